import type { ClientBase, Pool } from 'pg';
import { chooseToDelete } from './make-room.ts';

/** The most uploads of an account. Those that were sent make room for new ones. */
export const MAX_UPLOADS = 10;
/** How long an upload is kept after its last change, in days. */
export const KEPT_DAYS = 14;

/** A person's settings for a whole table. */
export interface UploadSettings {
  /** `COLUMN=FIELD`; `COLUMN=` leaves the column out. */
  map: string[];
  /** The slug of the endorser of all rows; null if a column has it. */
  endorser: string | null;
  /** The slug of the election of all rows; null if a column has it. */
  election: string | null;
  /** Whether the table is the whole list, so that what it lacks is withdrawn. */
  isWhole: boolean;
}

/** A person's decision about a row. */
export interface UploadDecision {
  /** `no`, or the key of a contest, a slash and the key of a choice. */
  decision: string;
  /** The slug of the endorser, if it was in question. */
  endorser: string | null;
}

/** The decisions about rows, by the line of the table. */
export type UploadDecisions = Record<string, UploadDecision>;

export interface Upload {
  id: number;
  fileName: string;
  /** The names of the table's columns. */
  header: string[];
  person: string;
  settings: UploadSettings;
  decisions: UploadDecisions;
  /** `draft`: nothing is sent. `sending`: its submissions are made, and some or none of them sent. `sent`: all are. */
  state: 'draft' | 'sending' | 'sent';
  changedAt: Date;
  /** The upload that it undoes, which may be deleted since; null for a table. */
  undoes: number | null;
  /** The last change of the stream that its submissions have seen; null in a draft, and if it is not known. */
  sinceSequence: number | null;
  /** The rows of the table of which no submission was made; 0 in a draft. */
  leftOut: number;
}

const STATE = `CASE WHEN content IS NOT NULL THEN 'draft'
  WHEN EXISTS (SELECT FROM upload_batches b WHERE b.upload_id = uploads.id AND b.publication_id IS NULL) THEN 'sending'
  ELSE 'sent' END`;
const UPLOAD = `id, file_name AS "fileName", header, person, settings, decisions, ${STATE} AS state,
  changed_at AS "changedAt", undoes, since_sequence::float8 AS "sinceSequence", left_out AS "leftOut"`;

/** A table, or the undoing of an upload, which has no file. */
type NewUpload = Pick<Upload, 'fileName' | 'header' | 'person' | 'settings'> & { accountId: number } & (
    | { content: Buffer; undoes?: null }
    | { content: null; undoes: number }
  );

/**
 * Saves an uploaded file, or the undoing of an upload, which stays beside it.
 *
 * @param client in a transaction
 * @returns the id of the upload
 * @throws TooManyFilesError if the account has MAX_UPLOADS that are not sent
 */
export async function saveUpload(client: ClientBase, upload: NewUpload): Promise<number> {
  const { accountId, person, fileName, content, header, settings, undoes = null } = upload;
  // Uploads of an account take turns, so that they are counted right.
  await client.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  const { rows: held } = await client.query<{ id: number; isDone: boolean }>(
    `SELECT id, ${STATE} = 'sent' AND id IS DISTINCT FROM $2 AS "isDone" FROM uploads WHERE account_id = $1 ORDER BY id`,
    [accountId, undoes],
  );
  const old = chooseToDelete(held, MAX_UPLOADS, `The account has ${MAX_UPLOADS} tables that are not sent.`);
  await client.query('DELETE FROM uploads WHERE id = ANY($1)', [old]);
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO uploads (account_id, person, file_name, bytes, header, content, settings, undoes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [accountId, person, fileName, content?.length ?? 0, header, content, JSON.stringify(settings), undoes],
  );
  return rows[0]?.id ?? 0;
}

/** The uploads of an account, the newest first. */
export async function listUploads(client: ClientBase | Pool, accountId: number): Promise<Upload[]> {
  const { rows } = await client.query<Upload>(
    `SELECT ${UPLOAD} FROM uploads WHERE account_id = $1 ORDER BY id DESC LIMIT $2`,
    [accountId, MAX_UPLOADS],
  );
  return rows;
}

/**
 * Finds an upload of an account; null if it does not exist, or was deleted.
 *
 * @param hold whether to keep others from changing it until the transaction ends
 */
export async function findUpload(
  client: ClientBase | Pool,
  { accountId, id, hold = false }: { accountId: number; id: number; hold?: boolean },
): Promise<Upload | null> {
  const { rows } = await client.query<Upload>(
    `SELECT ${UPLOAD} FROM uploads WHERE account_id = $1 AND id = $2 ${hold ? 'FOR NO KEY UPDATE' : ''}`,
    [accountId, id],
  );
  return rows[0] ?? null;
}

/** The undoings of an upload, the newest first. */
export async function listUndoings(client: ClientBase | Pool, { id }: { id: number }): Promise<Upload[]> {
  const { rows } = await client.query<Upload>(
    `SELECT ${UPLOAD} FROM uploads WHERE undoes = $1 ORDER BY id DESC LIMIT $2`,
    [id, MAX_UPLOADS],
  );
  return rows;
}

/** Stores what a person has said about the whole table, and about rows. */
export async function changeUpload(
  client: ClientBase,
  id: number,
  { settings, decisions }: Pick<Upload, 'settings' | 'decisions'>,
): Promise<void> {
  await client.query(
    'UPDATE uploads SET settings = $2, decisions = $3, changed_at = clock_timestamp() WHERE id = $1',
    [id, JSON.stringify(settings), JSON.stringify(decisions)],
  );
}

/** Stores the next batch of an upload's submissions. @param submissions the JSON of a list */
export async function addBatch(
  client: ClientBase,
  id: number,
  { ordinal, submissions, count }: { ordinal: number; submissions: string; count: number },
): Promise<void> {
  await client.query(
    'INSERT INTO upload_batches (upload_id, ordinal, submissions, count) VALUES ($1, $2, $3, $4)',
    [id, ordinal, submissions, count],
  );
}

/** Forgets the file of an upload whose batches are made. @param leftOut the rows of which none was made */
export async function forgetContent(client: ClientBase, id: number, leftOut = 0): Promise<void> {
  await client.query(
    'UPDATE uploads SET content = NULL, left_out = $2, changed_at = clock_timestamp() WHERE id = $1',
    [id, leftOut],
  );
}

/** A batch of submissions, and where it was published. */
export interface UploadBatch {
  ordinal: number;
  count: number;
  /** Null if it is not sent. */
  publicationId: number | null;
}

/** The batches of an upload, in their order. */
export async function listBatches(client: ClientBase | Pool, id: number): Promise<UploadBatch[]> {
  const { rows } = await client.query<UploadBatch>(
    `SELECT ordinal, count, publication_id::float8 AS "publicationId" FROM upload_batches
     WHERE upload_id = $1 ORDER BY ordinal`,
    [id],
  );
  return rows;
}

/** A batch that is not sent. */
export interface WaitingBatch {
  ordinal: number;
  /** A list in JSON. */
  submissions: string;
  count: number;
  idempotencyKey: string;
}

/** The first batch that is not sent; null if all are. */
export async function findNextBatch(client: ClientBase | Pool, id: number): Promise<WaitingBatch | null> {
  const { rows } = await client.query<WaitingBatch>(
    `SELECT ordinal, submissions, count, idempotency_key AS "idempotencyKey" FROM upload_batches
     WHERE upload_id = $1 AND publication_id IS NULL ORDER BY ordinal LIMIT 1`,
    [id],
  );
  return rows[0] ?? null;
}

/** Remembers where a batch was published, also if somebody has stopped the upload in the meantime. */
export async function markPublished(
  client: ClientBase | Pool,
  id: number,
  { ordinal, count, publicationId }: { ordinal: number; count: number; publicationId: number },
): Promise<void> {
  await client.query(
    `INSERT INTO upload_batches (upload_id, ordinal, submissions, count, publication_id)
     SELECT id, $2, '', $3, $4 FROM uploads WHERE id = $1
     ON CONFLICT (upload_id, ordinal) DO UPDATE SET publication_id = excluded.publication_id, submissions = ''`,
    [id, ordinal, count, publicationId],
  );
}

/** Forgets the batches of an upload that are not sent. An undoing of which nothing is sent is deleted. */
export async function stopUpload(client: ClientBase | Pool, id: number): Promise<void> {
  await client.query('DELETE FROM upload_batches WHERE upload_id = $1 AND publication_id IS NULL', [id]);
  await client.query(
    `DELETE FROM uploads WHERE id = $1 AND undoes IS NOT NULL
       AND NOT EXISTS (SELECT FROM upload_batches WHERE upload_id = $1)`,
    [id],
  );
}

/** Deletes an upload of an account, and what is not sent of it, if it is in this state. */
export async function deleteUpload(
  client: ClientBase | Pool,
  { accountId, id, state }: { accountId: number; id: number; state: string },
): Promise<void> {
  await client.query(`DELETE FROM uploads WHERE account_id = $1 AND id = $2 AND ${STATE} = $3`, [
    accountId,
    id,
    state,
  ]);
}

/** Deletes uploads that nobody has changed for KEPT_DAYS. */
export async function forgetOldUploads(client: ClientBase | Pool): Promise<void> {
  await client.query(`DELETE FROM uploads WHERE changed_at < now() - $1 * interval '1 day'`, [KEPT_DAYS]);
}
