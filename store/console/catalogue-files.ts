import type { ClientBase, Pool } from 'pg';
import { makeStorable } from '../../schemas/catalogue/storable.ts';
import type { CatalogueKind } from '../../schemas/catalogue-files.ts';
import type { ElectionType } from '../../schemas/vocabulary.ts';
import { ADVISORY_LOCKS } from '../connection/advisory-locks.ts';
import { chooseToDelete } from './make-room.ts';
import { readPieces } from './pieces.ts';

/** The most files that are kept. Those that were imported make room for new ones. */
export const MAX_CATALOGUE_FILES = 10;
/** How long a file is kept after its last change, in days. */
export const CATALOGUE_FILE_DAYS = 14;

/** How a catalogue file is read, and what its import may do. */
export interface CatalogueFileOptions {
  /** The records of each line of an NDJSON file; null for a table of choices. */
  kind: CatalogueKind | null;
  isTable: boolean;
  /** The slug of the election of a table's rows that name none. */
  election: string | null;
  /** The type of elections whose rows do not say it. */
  electionType: ElectionType | null;
  skipRefused: boolean;
  keepMissing: boolean;
  allowRenames: boolean;
}

export type CatalogueWork = 'compare' | 'import';

/** An uploaded catalogue file. @template T what an import would change, or has changed */
export interface CatalogueFile<T> {
  id: number;
  fileName: string;
  person: string;
  options: CatalogueFileOptions;
  work: CatalogueWork | null;
  workSince: Date | null;
  /** Whether a gateway is at work on it now. */
  isWorkedOn: boolean;
  outcome: T | null;
  problem: string | null;
  importedAt: Date | null;
  changedAt: Date;
}

const IS_WORKED_ON = `EXISTS (
  SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = ${ADVISORY_LOCKS.catalogueFile} AND objid::bigint = catalogue_files.id)`;
const FILE = `id, file_name AS "fileName", person, options, work, work_since AS "workSince",
  ${IS_WORKED_ON} AS "isWorkedOn", outcome, problem, imported_at AS "importedAt", changed_at AS "changedAt"`;

/**
 * Saves an uploaded file.
 *
 * @param client in a transaction
 * @returns its id
 * @throws TooManyFilesError if MAX_CATALOGUE_FILES are not imported
 */
export async function saveCatalogueFile(
  client: ClientBase,
  file: { person: string; fileName: string; content: Buffer; options: CatalogueFileOptions },
): Promise<number> {
  const { person, fileName, content, options } = file;
  // Uploads take turns, so that they are counted right.
  await client.query('LOCK TABLE catalogue_files IN SHARE ROW EXCLUSIVE MODE');
  const { rows: held } = await client.query<{ id: number; isDone: boolean }>(
    'SELECT id, imported_at IS NOT NULL AS "isDone" FROM catalogue_files ORDER BY id',
  );
  const full = `There are ${MAX_CATALOGUE_FILES} catalogue files that are not imported.`;
  const old = chooseToDelete(held, MAX_CATALOGUE_FILES, full);
  await client.query('DELETE FROM catalogue_files WHERE id = ANY($1)', [old]);
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO catalogue_files (person, file_name, bytes, content, options) VALUES ($1, $2, $3, $4, $5)
     RETURNING id`,
    [person, fileName, content.length, content, JSON.stringify(options)],
  );
  return rows[0]?.id ?? 0;
}

/** All files, the newest first, without what their imports would change. */
export async function listCatalogueFiles(client: ClientBase | Pool): Promise<CatalogueFile<never>[]> {
  const { rows } = await client.query<CatalogueFile<never>>(
    `SELECT ${FILE.replace('outcome', 'NULL AS outcome')} FROM catalogue_files ORDER BY id DESC LIMIT $1`,
    [MAX_CATALOGUE_FILES],
  );
  return rows;
}

/** Finds a file; null if it does not exist, or was deleted. */
export async function findCatalogueFile<T>(
  client: ClientBase | Pool,
  id: number,
): Promise<CatalogueFile<T> | null> {
  const read = async () => {
    const { rows } = await client.query<CatalogueFile<T>>(
      `SELECT ${FILE} FROM catalogue_files WHERE id = $1`,
      [id],
    );
    return rows[0] ?? null;
  };
  const file = await read();
  // A statement sees rows as of its start but locks as of now, so work that ends in between looks abandoned.
  return file && file.work !== null && !file.isWorkedOn ? read() : file;
}

/**
 * Begins to work on a file that is not imported. The connection holds the file's lock until it ends.
 *
 * @returns the file; null if it is imported or deleted, or a gateway works on it
 */
export async function beginCatalogueWork(
  client: ClientBase,
  id: number,
  work: CatalogueWork,
): Promise<{ fileName: string; content: Buffer; options: CatalogueFileOptions } | null> {
  const { rows: locks } = await client.query<{ held: boolean }>(
    'SELECT pg_try_advisory_lock($1, $2) AS held',
    [ADVISORY_LOCKS.catalogueFile, id],
  );
  if (!locks[0]?.held) return null;
  const { rows } = await client.query<{ fileName: string; options: CatalogueFileOptions }>(
    `UPDATE catalogue_files SET work = $2, work_since = clock_timestamp(), problem = NULL,
       changed_at = clock_timestamp()
     WHERE id = $1 AND content IS NOT NULL RETURNING file_name AS "fileName", options`,
    [id, work],
  );
  if (!rows[0]) return null;
  // In pieces, because decoding all of the content at once would hold the process up.
  const pieces: Buffer[] = [];
  for await (const piece of readPieces(client, 'catalogue_files', id)) pieces.push(piece);
  return { ...rows[0], content: Buffer.concat(pieces) };
}

/** Stores what people allow the import of a file. Its last comparison is out of date then. */
export async function changeCatalogueOptions(
  client: ClientBase | Pool,
  id: number,
  options: CatalogueFileOptions,
): Promise<void> {
  await client.query(
    `UPDATE catalogue_files SET options = $2, outcome = NULL, problem = NULL, changed_at = clock_timestamp()
     WHERE id = $1 AND content IS NOT NULL`,
    [id, JSON.stringify(options)],
  );
}

/** Refused lines are quoted, and a quotation can be cut within a character. */
const storable = (_: string, value: unknown) => (typeof value === 'string' ? makeStorable(value) : value);

/** Ends the work on a file. @param result what it has found; without an outcome, the last one stays */
export async function endCatalogueWork(
  client: ClientBase,
  id: number,
  { outcome = null, problem = null }: { outcome?: unknown; problem?: string | null },
): Promise<void> {
  await client.query(
    `UPDATE catalogue_files SET work = NULL, work_since = NULL, outcome = COALESCE($2, outcome), problem = $3,
       changed_at = clock_timestamp()
     WHERE id = $1`,
    [id, outcome && JSON.stringify(outcome, storable), problem],
  );
}

/**
 * Notes in the transaction of its import that a file is imported, and forgets its content.
 *
 * @returns false if it was deleted
 */
export async function markImported(client: ClientBase, id: number): Promise<boolean> {
  const { rowCount } = await client.query(
    'UPDATE catalogue_files SET imported_at = clock_timestamp(), content = NULL WHERE id = $1',
    [id],
  );
  return rowCount === 1;
}

export async function deleteCatalogueFile(client: ClientBase | Pool, id: number): Promise<void> {
  await client.query('DELETE FROM catalogue_files WHERE id = $1', [id]);
}

/** Deletes files that nobody has changed for CATALOGUE_FILE_DAYS. */
export async function forgetOldCatalogueFiles(client: ClientBase | Pool): Promise<void> {
  await client.query(`DELETE FROM catalogue_files WHERE changed_at < now() - $1 * interval '1 day'`, [
    CATALOGUE_FILE_DAYS,
  ]);
}
