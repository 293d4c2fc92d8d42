/**
 * `npm run test:mutants -- [--static] PATH...`: changes the code in small ways, one at a time, and names the changes that
 * no test notices. Values from loading a file, such as constants, are changed only with `--static`.
 */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { childExit } from '../../ops/local/processes/daemon.ts';
import { startTestServers, stopTestServers } from '../helpers/servers/test-servers.ts';
import { groups } from '../jest/groups.mjs';
import { chooseTests, findCode } from './choose-tests.mjs';

const CONFIG = 'test/mutants/stryker.config.mjs';
/** The names of the chosen tests, by test file; the runner writes them. */
const NOTES = path.resolve('.cache/mutants-tests.json');

async function runStryker(mutate: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const require = createRequire(import.meta.url);
  const folder = path.dirname(require.resolve('@stryker-mutator/core/package.json'));
  const args = [path.join(folder, 'bin', 'stryker.js'), 'run', CONFIG, '--mutate', mutate];
  // It leads a process group, so that its test processes end with it, even if a mutant loops endlessly.
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
    detached: true,
  });
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  process.on('exit', kill);
  const ending = await childExit(child);
  process.off('exit', kill);
  return ending === 'exit code 0';
}

const say = (sentence: string) => process.stderr.write(`${sentence}\n`);

/** Names the test files that failed or were slow without a mutant, and so had to notice none. */
function reportLeftOut(): void {
  const noted = Object.entries(JSON.parse(readFileSync(NOTES, 'utf8')) as Record<string, string[]>);
  const leftOut = noted.flatMap(([file, names]) => (names.length > 0 ? [] : [path.basename(file)]));
  if (leftOut.length > 0) say(`Left out, slow or failing without a mutant: ${leftOut.join(', ')}`);
}

const paths = process.argv.slice(2).filter((arg) => arg !== '--static');
for (const given of paths) if (findCode(given).length === 0) say(`${given} names no code.`);
const chosen = paths.flatMap(findCode).map((code) => ({ ...code, tests: chooseTests(code.file) }));
for (const { file, tests } of chosen) if (tests.length === 0) say(`No test of npm test reaches ${file}.`);
if (chosen.length === 0) say('Name files or folders of code, such as domain/position.ts.');
process.exitCode = chosen.some(({ tests }) => tests.length > 0) ? 0 : 1;
const needsServers = (test: string) => groups.servers.includes(path.resolve(test));
const servers = chosen.some(({ tests }) => tests.some(needsServers)) ? await startTestServers() : null;
try {
  for (const { file, lines, tests } of chosen.filter((each) => each.tests.length > 0)) {
    rmSync(NOTES, { force: true });
    const isDone = await runStryker(`${file}${lines}`, {
      MUTANT_NOTES: NOTES,
      MUTANT_FILE: file.replaceAll('/', '-'),
      MUTANT_TESTS: tests.join(' '),
      MUTANT_STATIC: process.argv.includes('--static') ? '1' : '0',
      PROPERTY_LIMIT: '100',
      ...(servers && {
        TEST_DATABASE_URL: servers.databaseUrl,
        TEST_KAFKA_BROKERS: servers.brokers.addresses.join(','),
      }),
    });
    if (isDone) reportLeftOut();
    else process.exitCode = 1;
  }
} finally {
  if (servers) await stopTestServers();
}
