/** A Postgres with TLS, for the tests of a file. */
import { chmod, chown, copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startPostgres } from '../../../ops/local/servers/postgres/server.ts';
import { findPostgresUser } from '../../../ops/local/servers/postgres/user.ts';
import type { PostgresServer } from '../../../ops/local/servers/server.ts';
import { type IssuedCertificate, TestAuthority } from '../servers/certificates.ts';
import { ServerFolder } from '../servers/server-folder.ts';
import { withClient } from './with-client.ts';

/** The user that logs in with a certificate instead of a password. */
export const CERTIFICATE_USER = 'carl';

export class SecurePostgres {
  readonly dir: string;
  readonly authority: TestAuthority;
  /** The superuser's address on `localhost`, without TLS settings. */
  readonly url: string;
  readonly #folder: ServerFolder;
  readonly #server: PostgresServer;

  private constructor(folder: ServerFolder, authority: TestAuthority, server: PostgresServer) {
    this.dir = folder.dir;
    this.#folder = folder;
    this.authority = authority;
    this.url = server.url.replace('127.0.0.1', 'localhost');
    this.#server = server;
  }

  static async start(): Promise<SecurePostgres> {
    const folder = await ServerFolder.make('ballot-secure-');
    const { dir, onSpawn } = folder;
    const authority = await TestAuthority.create(dir, 'authority');
    const server = await startPostgres({
      dir: path.join(dir, 'postgres'),
      onSpawn,
      overrides: { fsync: 'off' },
    });
    const postgres = new SecurePostgres(folder, authority, server);
    await postgres.#place(authority.ca, 'ca.crt');
    await writeFile(
      path.join(dir, 'postgres', 'data', 'pg_hba.conf'),
      `hostssl all ${CERTIFICATE_USER} all cert\nhost all all all scram-sha-256\n`,
    );
    await postgres.show(await authority.issue({ name: 'server', subject: 'localhost' }));
    await postgres.query(`CREATE ROLE ${CERTIFICATE_USER} LOGIN`);
    return postgres;
  }

  /** Makes the server show another certificate from now on. */
  async show({ cert, key }: IssuedCertificate): Promise<void> {
    await this.#place(cert, 'server.crt');
    await this.#place(key, 'server.key');
    for (const [name, value] of Object.entries({
      ssl_ca_file: 'ca.crt',
      ssl_cert_file: 'server.crt',
      ssl_key_file: 'server.key',
      ssl: 'on',
    })) {
      await this.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    }
    await this.query('SELECT pg_reload_conf()');
  }

  /** Runs a statement as the superuser, without TLS. */
  async query(statement: string): Promise<void> {
    await withClient(this.#server.url, async (client) => {
      await client.query(statement);
    });
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await this.#folder.remove();
  }

  /** Copies a file to a place that only the server's user can read. */
  async #place(file: string, name: string): Promise<void> {
    const target = path.join(this.dir, 'postgres', 'data', name);
    await copyFile(file, target);
    await chmod(target, 0o600);
    const identity = await findPostgresUser();
    if (identity !== null) await chown(target, identity.uid, identity.gid);
  }
}
