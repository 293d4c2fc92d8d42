import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { ADVISORY_LOCKS } from '../connection/advisory-locks.ts';
import { refuseOldServer } from '../connection/server-version.ts';

/** The schema of version 1.0.0, one file for each area. Each file uses only objects of earlier files. */
const BASELINE = new URL('../schema/', import.meta.url);
const BASELINE_NAME = 'baseline';
/** The changes of the schema since then. */
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

async function readSqlFiles(folder: URL): Promise<{ name: string; sql: string }[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({ name, sql: await readFile(new URL(name, folder), 'utf8') })),
  );
}

/** The baseline, then the folder's migrations. */
async function readMigrations(folder: URL): Promise<Migration[]> {
  const areas = await readSqlFiles(BASELINE);
  const baseline = { name: BASELINE_NAME, sql: areas.map(({ sql }) => sql).join('\n') };
  return [baseline, ...(await readSqlFiles(folder))].map(({ name, sql }) => ({
    name,
    sql,
    checksum: createHash('sha256').update(sql).digest('hex'),
  }));
}

interface Applied {
  name: string;
  checksum: string;
}

/** The database's migrations; empty without a schema of this service. */
async function loadApplied(client: pg.Client): Promise<Applied[]> {
  const { rows: found } = await client.query("SELECT WHERE to_regclass('schema_migrations') IS NOT NULL");
  if (found.length === 0) return [];
  const { rows } = await client.query<Applied>('SELECT name, checksum FROM schema_migrations');
  return rows;
}

/** The migrations that the database lacks, in order. @throws SchemaMismatchError as `migrate` does */
function choosePending(migrations: Migration[], rows: Applied[]): Migration[] {
  const applied = new Map(rows.map((row) => [row.name, row.checksum]));
  if (rows.length > 0 && !applied.has(BASELINE_NAME)) {
    throw new SchemaMismatchError(
      'A version before 1.0.0 made this database, and it cannot be upgraded. Name an empty database in ' +
        'DATABASE_URL (with "npm start", an empty folder in DATA_DIR), and load the data again.',
    );
  }
  const unknown = rows.find((row) => !migrations.some((migration) => migration.name === row.name));
  if (unknown)
    throw new SchemaMismatchError(
      `The database is newer than this program: it has the unknown migration ${unknown.name}. Run a newer version.`,
    );
  const edited = migrations.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  if (edited) {
    const files = edited.name === BASELINE_NAME ? 'store/schema' : `store/migrations/${edited.name}`;
    throw new SchemaMismatchError(`${files} was edited after the database had applied it. Restore it.`);
  }
  return migrations.filter(({ name }) => !applied.has(name));
}

/**
 * The names of the migrations that the database lacks, including the baseline if it has no schema of this
 * service.
 *
 * @throws SchemaMismatchError as `migrate` does
 */
export async function findPendingMigrations(client: pg.Client): Promise<string[]> {
  const migrations = await readMigrations(MIGRATIONS);
  return choosePending(migrations, await loadApplied(client)).map(({ name }) => name);
}

async function applyMigration(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw new Error(`Migration ${name} failed and was rolled back.`, { cause: error });
  }
}

/**
 * Brings the database to the newest schema. Applies the baseline, all of `store/schema`, and then the files
 * of `store/migrations` in order, each in a transaction of its own. Several processes may run this at once.
 *
 * @param client a connection of the caller's own, to be ended afterwards, because it keeps the lock.
 * @param folder the migrations after the baseline.
 * @returns the names of the newly applied migrations.
 * @throws SchemaMismatchError if an applied migration was edited since or is unknown to this program, if a
 * version before the baseline created the database, or if the server is too old.
 * @throws Error if a migration fails.
 */
export async function migrate(client: pg.Client, folder = MIGRATIONS): Promise<string[]> {
  const { rows } = await client.query<{ version: string }>(
    "SELECT current_setting('server_version') AS version",
  );
  const tooOld = refuseOldServer(rows[0]?.version ?? '');
  if (tooOld !== null) throw new SchemaMismatchError(tooOld);
  const migrations = await readMigrations(folder);
  // Concurrent processes take turns. The lock lasts until the connection ends.
  await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
  const pending = choosePending(migrations, await loadApplied(client));
  for (const migration of pending) await applyMigration(client, migration);
  return pending.map(({ name }) => name);
}
