import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { ADVISORY_LOCKS } from '../connection/advisory-locks.ts';
import { refuseOldServer } from '../connection/server-version.ts';

const MIGRATIONS = new URL('./', import.meta.url);

/** The database's schema, or its server, does not fit this program. */
export class SchemaMismatchError extends Error {
  override name = 'SchemaMismatchError';
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, MIGRATIONS), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** The migrations that the database lacks, in order. @throws SchemaMismatchError as `migrate` does */
function choosePending(migrations: Migration[], rows: { name: string; checksum: string }[]): Migration[] {
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  const unknown = rows.find((row) => !migrations.some((migration) => migration.name === row.name));
  if (unknown)
    throw new SchemaMismatchError(
      `The database is newer than this program: it has the unknown migration ${unknown.name}. Run a newer version.`,
    );
  const edited = migrations.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  if (edited) {
    throw new SchemaMismatchError(
      `Migration ${edited.name} was edited after it was applied. Restore the file.`,
    );
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

const APPLIED = 'SELECT name, checksum FROM schema_migrations';

/**
 * The names of the migrations that the database lacks; all of them if it has no schema of this service.
 *
 * @throws SchemaMismatchError as `migrate` does
 */
export async function findPendingMigrations(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query("SELECT WHERE to_regclass('schema_migrations') IS NOT NULL");
  const { rows } = found.length === 0 ? { rows: [] } : await client.query(APPLIED);
  return choosePending(await readMigrations(), rows).map(({ name }) => name);
}

async function applyPending(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY,
      checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`);
  const { rows } = await client.query<{ name: string; checksum: string }>(APPLIED);
  const done: string[] = [];
  for (const { name, sql, checksum } of choosePending(migrations, rows)) {
    await client.query('BEGIN');
    try {
      await client.query(sql);
      await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw new Error(`Migration ${name} failed and was rolled back.`, { cause: error });
    }
    done.push(name);
  }
  return done;
}

/**
 * Brings the database to the newest schema: applies the pending files of `store/migrations` in order, each in a
 * transaction of its own. Several processes may run this at once.
 *
 * @param client a connection of the caller's own, to be ended afterwards, because it keeps the lock.
 * @returns the names of the migrations that were applied now.
 * @throws SchemaMismatchError if an applied migration was edited since, or is unknown to this program, or if the server is
 *   too old.
 * @throws Error if a migration fails.
 */
export async function migrate(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ version: string }>(
    "SELECT current_setting('server_version') AS version",
  );
  const tooOld = refuseOldServer(rows[0]?.version ?? '');
  if (tooOld !== null) throw new SchemaMismatchError(tooOld);
  const migrations = await readMigrations();
  // Processes that migrate at once take turns. The lock lasts until the connection ends.
  await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
  return applyPending(client, migrations);
}
