/**
 * `npm test`, and `npm run test:secured`: runs jest under this Node with the given arguments (`npm test -- test/domain`). The last line is
 * `N passed, N failed`; the exit status is 1 if a test failed or none ran.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { describeFailure, OperatorError } from '../../service/operator-error.ts';
import { childExit } from './processes/daemon.ts';
import { chooseRunner, inspectMachine } from './servers/runner.ts';
import { formatTally, type JestResults } from './test-tally.ts';

const NODE_OPTIONS = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  // Tests have a `process` of jest's own, on which kafka/connection/client.ts cannot silence Node's warning.
  '--disable-warning=TimeoutNegativeWarning',
];

/** The option that runs tests against three brokers with TLS, logins and rights. */
const SECURED = '--secured';
/** The tests that it runs if none are named: those of a whole service, without those that start servers of their own. */
const SECURED_TESTS = [
  ...['test/acceptance', 'test/faults/kill-consumers', 'test/faults/kill-gateway'],
  ...['--testPathIgnorePatterns', 'runbooks', 'root-home', 'least-rights'],
];
/** Replicas, TLS and rights take their time, above all on a busy machine. */
const PATIENCE = '--testTimeout=120000';

async function runJest(args: string[], env: Record<string, string>): Promise<number> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ballot-jest-'));
  const outputFile = path.join(folder, 'results.json');
  try {
    const require = createRequire(import.meta.url);
    const jest = path.join(path.dirname(require.resolve('jest/package.json')), 'bin', 'jest.js');
    const child = spawn(process.execPath, [jest, ...args, '--json', `--outputFile=${outputFile}`], {
      // With --json, jest prints its results on standard output too; they are read from the file.
      stdio: ['inherit', 'ignore', 'inherit'],
      env: {
        ...process.env,
        ...env,
        NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', ...NODE_OPTIONS].join(' ').trim(),
      },
    });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
    const ending = await childExit(child);
    const results = await readFile(outputFile, 'utf8').catch(() => null);
    if (results === null) {
      process.stderr.write(`jest ended without results (${ending}).\n`);
      return 1;
    }
    const tally = formatTally(JSON.parse(results) as JestResults);
    process.stdout.write(`${tally.line}\n`);
    return ending === 'exit code 0' && tally.ok ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  const machine = await inspectMachine();
  chooseRunner(machine);
  const args = process.argv.slice(2).filter((arg) => arg !== SECURED);
  const isSecured = args.length < process.argv.length - 2;
  if (isSecured && chooseRunner(machine) === 'containers') {
    throw new OperatorError('The secured brokers need Java and Maven on this machine, and openssl.');
  }
  const chosen =
    isSecured && !args.some((arg) => arg.startsWith('test/')) ? [...SECURED_TESTS, ...args] : args;
  process.exitCode = isSecured
    ? await runJest([PATIENCE, ...chosen], { TEST_SECURED: '1' })
    : await runJest(chosen, {});
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}
