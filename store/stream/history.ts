import type { ClientBase } from 'pg';
import { formatEventId } from '../../schemas/cursor.ts';
import { onlyRow } from '../connection/only-row.ts';
import { loadEpoch } from './epoch.ts';

/**
 * The store's epoch and newest sequence, and its event id for one sequence. The id is null if the change log
 * no longer has that change, or the relay has not begun to send it.
 */
export async function loadHistory(
  client: ClientBase,
  sequence: number,
): Promise<{ epoch: number; lastSequence: number; announcedId: string | null }> {
  const { epoch } = await loadEpoch(client);
  const found = await client.query<{ lastSequence: number; time: string | null; offsets: number[] | null }>(
    `SELECT h.last_sequence::float8 AS "lastSequence",
       (extract(epoch FROM c.occurred_at) * 1000)::bigint AS time, (
       SELECT CASE WHEN last_sequence >= $1 THEN offsets::float8[] END FROM relay_batches
       WHERE first_sequence <= $1 ORDER BY first_sequence DESC LIMIT 1) AS offsets
     FROM stream_head h LEFT JOIN change_log c ON c.sequence = $1`,
    [sequence],
  );
  const { lastSequence, time, offsets } = onlyRow(found, 'stream_head');
  if (time === null || offsets === null) return { epoch, lastSequence, announcedId: null };
  const announcedId = formatEventId({ epoch, sequence, time: Number(time), offsets });
  return { epoch, lastSequence, announcedId };
}
