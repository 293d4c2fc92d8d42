/**
 * `npm test` and its variants (`test:unit`, `test:system`, `test:all`, `test:secured`): runs jest under this Node with
 * the given arguments (`npm test -- test/domain`). The last line is `N passed, N failed`; the exit status is 1 if a
 * test failed or none ran.
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

const UNIT = '--unit';

/** The groups of jest.config.mjs that run if no file is named, by the script's option. */
const GROUPS: Record<string, string[]> = {
  [UNIT]: ['unit'],
  '--system': ['system'],
  '--all': ['unit', 'servers', 'system'],
};
/** The groups of `npm test`. */
const DEFAULT_GROUPS = ['unit', 'servers'];

/** Fewer cases of each property, for a quick answer. */
const UNIT_ENV = { PROPERTY_LIMIT: '100' };

/** The option that runs tests against three brokers with TLS, logins and rights. */
const SECURED = '--secured';
/** Its default tests: those of a whole service, except those that start their own servers. */
const SECURED_TESTS = [
  ...['test/acceptance', 'test/faults/kill-consumers', 'test/faults/kill-gateway'],
  ...['--testPathIgnorePatterns', 'runbooks', 'root-home', 'least-rights'],
];

/** @returns jest's arguments: named files run whatever their group */
function chooseTests(options: string[], args: string[]): string[] {
  if (args.some((arg) => arg.startsWith('test/'))) return args;
  if (options.includes(SECURED)) return [...SECURED_TESTS, ...args];
  const groups = options.flatMap((option) => GROUPS[option] ?? []);
  return [...args, '--selectProjects', ...(groups.length > 0 ? groups : DEFAULT_GROUPS)];
}

async function runJest(args: string[], env: Record<string, string>): Promise<number> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ballot-jest-'));
  const outputFile = path.join(folder, 'results.json');
  try {
    const require = createRequire(import.meta.url);
    const jest = path.join(path.dirname(require.resolve('jest/package.json')), 'bin', 'jest.js');
    const child = spawn(process.execPath, [jest, ...args, '--json', `--outputFile=${outputFile}`], {
      // With --json, jest prints its results on standard output too; they are read from the file.
      stdio: ['inherit', 'ignore', 'inherit'],
      env: { ...env, ...process.env },
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
  const runner = chooseRunner(await inspectMachine());
  const given = process.argv.slice(2);
  const options = given.filter((arg) => arg === SECURED || arg in GROUPS);
  const args = given.filter((arg) => !options.includes(arg));
  const isSecured = options.includes(SECURED);
  if (isSecured && runner === 'containers') {
    throw new OperatorError('The secured brokers need Java and Maven on this machine, and openssl.');
  }
  process.exitCode = await runJest(chooseTests(options, args), {
    ...(isSecured && { TEST_SECURED: '1' }),
    ...(options.includes(UNIT) && UNIT_ENV),
  });
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}
