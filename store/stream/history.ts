import type { ClientBase } from 'pg';
import { formatEventId } from '../../schemas/cursor.ts';
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
  const { rows } = await client.query<{
    last_sequence: string;
    occurred_ms: string | null;
    offsets: string[] | null;
  }>(
    `SELECT h.last_sequence, (extract(epoch FROM c.occurred_at) * 1000)::bigint AS occurred_ms, (
       SELECT CASE WHEN last_sequence >= $1 THEN offsets END FROM relay_batches
       WHERE first_sequence <= $1 ORDER BY first_sequence DESC LIMIT 1) AS offsets
     FROM stream_head h LEFT JOIN change_log c ON c.sequence = $1`,
    [sequence],
  );
  const [row] = rows;
  if (!row) throw new Error('The table stream_head has lost its row.');
  const lastSequence = Number(row.last_sequence);
  if (row.occurred_ms === null || row.offsets === null) return { epoch, lastSequence, announcedId: null };
  const announcedId = formatEventId({
    epoch,
    sequence,
    time: Number(row.occurred_ms),
    offsets: row.offsets.map(Number),
  });
  return { epoch, lastSequence, announcedId };
}
