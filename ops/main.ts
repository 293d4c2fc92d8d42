/** `npm run ops -- COMMAND ...`: the commands for operators. */
import { describeFailure } from '../service/operator-error.ts';
import { startTracing } from '../service/start-tracing.ts';
import { stopTracing } from '../service/tracing.ts';
import { UnfinishedError } from './command.ts';
import { runProgram } from './program.ts';

/** The commands that only show something. A reader that closes the pipe early, as `head` does, has read enough of it. */
const SHOWS = /^(lag|usage|doctor|\w+ (list|show|tail|listen|export|check|plan|acls))\b/;
let isUnread = false;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isUnread) return;
  if (error.code !== 'EPIPE') {
    process.stderr.write(`Standard output cannot be written (${error.message}): the command has ended.\n`);
    process.exit(1);
  }
  // Other commands finish their work.
  if (SHOWS.test(process.argv.slice(2).join(' '))) process.exit();
  isUnread = true;
});

// Messages that nobody reads do not end the work, and leave its exit status as it is.
process.stderr.on('error', () => {});

/** The longest wait for connections to close after the work, in milliseconds. */
const GOODBYE_MS = 2000;

try {
  await startTracing('ops', process.env);
  process.exitCode = await runProgram(process.argv.slice(2), {
    env: process.env,
    stdin: process.stdin,
    out: (line) => {
      if (!isUnread) process.stdout.write(`${line}\n`);
    },
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
