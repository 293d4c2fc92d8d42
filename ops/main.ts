/** `npm run ops -- COMMAND ...`: the commands for operators. */
import { describeFailure } from '../service/operator-error.ts';
import { startTracing } from '../service/start-tracing.ts';
import { stopTracing } from '../service/tracing.ts';
import { UnfinishedError } from './command.ts';
import { runProgram } from './program.ts';

// A reader that closes the pipe early, as `head` does, has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

/** The longest wait for connections to close after the work, in milliseconds. */
const GOODBYE_MS = 2000;

try {
  await startTracing('ops', process.env);
  process.exitCode = await runProgram(process.argv.slice(2), {
    env: process.env,
    stdin: process.stdin,
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
    terminal: process.stderr.isTTY === true,
    outTerminal: process.stdout.isTTY === true,
    now: () => new Date(),
    onInterrupt(listener) {
      process.on('SIGINT', listener);
      return () => process.off('SIGINT', listener);
    },
  });
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = error instanceof UnfinishedError ? 2 : 1;
} finally {
  await stopTracing();
}

// The connection to a silent server would keep the program alive. All output is written first.
process.stdout.write('', () =>
  process.stderr.write('', () => setTimeout(() => process.exit(), GOODBYE_MS).unref()),
);
