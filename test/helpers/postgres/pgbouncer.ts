import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import { findPostgresUser } from '../../../ops/local/servers/postgres/user.ts';
import { findProgram } from '../servers/find-program.ts';
import { until } from '../until.ts';

/** The path of PgBouncer; null if it is not installed. */
export const pgBouncer = findProgram('pgbouncer');

interface Pooler {
  /** The address of the database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** The configuration of docs/examples/pgbouncer.ini, for a database and a port of this machine. */
async function render(database: URL, port: number, dir: string): Promise<string> {
  const text = await readFile('docs/examples/pgbouncer.ini', 'utf8');
  const name = database.pathname.slice(1);
  return `${text
    .replace('ballot = host=postgres port=5432', `${name} = host=${database.hostname} port=${database.port}`)
    .replace('listen_addr = *', 'listen_addr = 127.0.0.1')
    .replace('listen_port = 6432', `listen_port = ${port}`)
    .replace('/etc/pgbouncer/userlist.txt', path.join(dir, 'userlist.txt'))}\nunix_socket_dir =\n`;
}

/**
 * Starts PgBouncer in front of a database.
 *
 * @param change changes its configuration
 */
export async function startPgBouncer(
  databaseUrl: string,
  change: (config: string) => string = (config) => config,
): Promise<Pooler> {
  if (pgBouncer === null) throw new Error('PgBouncer is not installed.');
  const database = new URL(databaseUrl);
  // It refuses to run as root.
  const identity = await findPostgresUser();
  const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-pgbouncer-'));
  const port = await findFreePort();
  const config = path.join(dir, 'pgbouncer.ini');
  const users = path.join(dir, 'userlist.txt');
  await writeFile(config, change(await render(database, port, dir)));
  await writeFile(users, `"${database.username}" "${decodeURIComponent(database.password)}"\n`);
  if (identity) for (const file of [dir, config, users]) await chown(file, identity.uid, identity.gid);
  const child = spawn(pgBouncer, [config], { ...identity, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (bytes: Buffer) => {
    output += bytes;
  });
  await until('PgBouncer to listen', () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${output}`);
    return output.includes('process up');
  });
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(dir, { recursive: true, force: true });
    },
  };
}
