/** Streaming replicas of an embedded Postgres, which has no pg_basebackup. SQL commands make the base backup. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../../ops/local/servers/postgres/server.ts';
import { findPostgresUser } from '../../../ops/local/servers/postgres/user.ts';
import type { PostgresServer } from '../../../ops/local/servers/server.ts';
import { ServerFolder } from '../servers/server-folder.ts';
import { withClient } from './with-client.ts';

const SETTINGS = { fsync: 'off', wal_keep_size: '1GB', max_connections: '200' };
/** Created by each server itself, or useless to another one. */
const NOT_COPIED = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'pg_stat_tmp']);

async function run(url: string, ...statements: string[]): Promise<void> {
  await withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

/** A Postgres that can have replicas. */
export class Primary {
  readonly server: PostgresServer;
  readonly #folder: ServerFolder;
  readonly #settings: Record<string, string>;
  readonly #replicas: Replica[] = [];

  private constructor(folder: ServerFolder, server: PostgresServer, settings: Record<string, string>) {
    this.#folder = folder;
    this.server = server;
    this.#settings = settings;
  }

  /** @param overrides settings of it and of its replicas */
  static async start(overrides: Record<string, string> = {}): Promise<Primary> {
    const folder = await ServerFolder.make('ballot-replicated-');
    const settings = { ...SETTINGS, ...overrides };
    const server = await startPostgres({
      dir: path.join(folder.dir, 'primary'),
      onSpawn: folder.onSpawn,
      overrides: settings,
    });
    return new Primary(folder, server, settings);
  }

  get dir(): string {
    return this.#folder.dir;
  }

  /** @param overrides settings of the replica */
  async addReplica(overrides: Record<string, string> = {}): Promise<Replica> {
    const folder = path.join(this.dir, `replica-${this.#replicas.length + 1}`);
    await mkdir(folder);
    const source = path.join(this.dir, 'primary', 'data');
    const data = path.join(folder, 'data');
    const client = new pg.Client({ connectionString: this.server.url });
    await client.connect();
    await client.query(`SELECT pg_backup_start('replica', fast => true)`);
    await cp(source, data, {
      recursive: true,
      preserveTimestamps: true,
      filter: (file) => !NOT_COPIED.has(path.basename(file)) || path.dirname(file) !== source,
    });
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)');
    await client.end();
    for (const name of ['pg_wal', 'pg_replslot', 'pg_stat_tmp']) await mkdir(path.join(data, name));
    await writeFile(path.join(data, 'backup_label'), rows[0].labelfile);
    await writeFile(path.join(data, 'standby.signal'), '');
    await cp(path.join(this.dir, 'primary', 'password'), path.join(folder, 'password'));
    await this.#giveAway(data);
    const { hostname, port, username, password } = new URL(this.server.url);
    const conninfo = `host=${hostname} port=${port} user=${username} password=${password}`;
    const replica = new Replica(folder, this.#folder.onSpawn, {
      ...this.#settings,
      ...overrides,
      primary_conninfo: conninfo,
    });
    this.#replicas.push(replica);
    await replica.start();
    return replica;
  }

  async stop(): Promise<void> {
    for (const replica of this.#replicas) await replica.stop();
    await this.server.stop();
    await this.#folder.remove();
  }

  /** Gives the files to the server's user, with the required rights. */
  async #giveAway(data: string): Promise<void> {
    execFileSync('chmod', ['-R', 'u=rwX,go=', data]);
    const identity = await findPostgresUser();
    if (identity === null) return;
    execFileSync('chown', ['-R', `${identity.uid}:${identity.gid}`, data]);
  }
}

/** A replica that follows a primary. */
export class Replica {
  readonly #folder: string;
  readonly #onSpawn: ServerFolder['onSpawn'];
  readonly #settings: Record<string, string>;
  #server: PostgresServer | null = null;
  #port: number | undefined;

  constructor(folder: string, onSpawn: ServerFolder['onSpawn'], settings: Record<string, string>) {
    this.#folder = folder;
    this.#onSpawn = onSpawn;
    this.#settings = settings;
  }

  /** The replica's address for one of the primary's databases. */
  urlOf(databaseUrl: string): string {
    return Object.assign(new URL(databaseUrl), { port: String(this.#port) }).href;
  }

  /** Starts it, on its first port. */
  async start(): Promise<void> {
    this.#server = await startPostgres({
      dir: this.#folder,
      port: this.#port,
      onSpawn: this.#onSpawn,
      overrides: this.#settings,
    });
    this.#port = this.#server.port;
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = null;
  }

  /** Runs statements on it, one after another. */
  async run(...statements: string[]): Promise<void> {
    if (this.#server) await run(this.#server.url, ...statements);
  }

  /** Runs statements on one of its databases. */
  async runOn(database: string, ...statements: string[]): Promise<void> {
    if (!this.#server) return;
    await run(Object.assign(new URL(this.#server.url), { pathname: `/${database}` }).href, ...statements);
  }

  /** Makes it replay each commit this much after the primary, such as `5s`; `0` means at once. */
  async delay(time: string): Promise<void> {
    await this.run(`ALTER SYSTEM SET recovery_min_apply_delay = '${time}'`, 'SELECT pg_reload_conf()');
  }
}
