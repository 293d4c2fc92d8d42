import type { ClientBase, Pool } from 'pg';
import { splitBySize } from '../../service/split-by-size.ts';

/** A record for the rejected topic. */
export interface RejectionRecord {
  key: Buffer;
  value: Buffer;
}

/** A record that waits to be sent. */
export interface PendingRejection extends RejectionRecord {
  id: number;
}

/** The most bytes that one statement inserts. */
const MAX_INSERTED_BYTES = 16 * 1024 * 1024;

/**
 * Stores rejections to be sent, within the transaction that rejects. Sends all statements without waiting between them,
 * because the caller may send its commit right after them.
 */
export async function addPendingRejections(
  client: ClientBase,
  records: readonly RejectionRecord[],
): Promise<void> {
  const runs = splitBySize(records, MAX_INSERTED_BYTES, ({ value }) => value.length);
  await Promise.all(
    [...runs].map((run) =>
      client.query(
        'INSERT INTO pending_rejections (key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[])',
        [run.map(({ key }) => key), run.map(({ value }) => value)],
      ),
    ),
  );
}

/**
 * The oldest rejections that wait to be sent.
 *
 * @param limit.bytes the most bytes of values, unless the first is larger
 * @param limit.after only those with a greater id
 */
export async function loadPendingRejections(
  client: ClientBase | Pool,
  limit: { records: number; bytes: number; after?: number },
): Promise<PendingRejection[]> {
  const { rows } = await client.query<PendingRejection>(
    `SELECT id::float8 AS id, key, value FROM (
       SELECT *, sum(octet_length(value)) OVER (ORDER BY id) - octet_length(value) AS before
       FROM (SELECT * FROM pending_rejections WHERE id > $3 ORDER BY id LIMIT $1) AS oldest) AS summed
     WHERE before < $2 ORDER BY summed.id`,
    [limit.records, limit.bytes, limit.after ?? 0],
  );
  return rows;
}

/** Deletes sent rejections. */
export async function deletePendingRejections(
  client: ClientBase | Pool,
  ids: readonly number[],
): Promise<void> {
  await client.query('DELETE FROM pending_rejections WHERE id = ANY($1)', [ids]);
}

/** The number of rejections that wait to be sent. */
export async function countPendingRejections(client: ClientBase | Pool): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM pending_rejections',
  );
  return rows[0]?.count ?? 0;
}
