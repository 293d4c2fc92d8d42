import type { ClientBase } from 'pg';
import { onlyRow } from '../connection/only-row.ts';
import { beginGeneration } from './generation.ts';

/** An epoch, and the last sequence before it. */
export interface Epoch {
  epoch: number;
  after: number;
}

/** The present epoch of the stream. */
export async function loadEpoch(client: ClientBase): Promise<Epoch> {
  const found = await client.query<Epoch>(
    'SELECT epoch::float8 AS epoch, epoch_after::float8 AS after FROM stream_head',
  );
  return onlyRow(found, 'stream_head');
}

/**
 * Begins a new epoch after every change in the store, within the caller's transaction. Cursors of the
 * previous epoch expire. Needed if the store and Kafka no longer fit together.
 *
 * The offsets of earlier batches become useless, and may belong to a deleted topic. One batch at the end of
 * the previous epoch replaces them, so that readers of the new epoch begin at `offsets`.
 *
 * @param changes the id of the changes topic, and the present end of each of its partitions, or a slightly
 * earlier one.
 */
export async function beginEpoch(
  client: ClientBase,
  { topicId, offsets, published }: { topicId: string; offsets: number[]; published: number },
): Promise<Epoch> {
  await client.query(
    `UPDATE stream_head SET epoch_after = last_sequence,
       epoch = GREATEST(epoch, $1) + 1 + floor(random() * 1000000000)::bigint`,
    [published],
  );
  const epoch = await loadEpoch(client);
  await client.query('DELETE FROM relay_batches');
  // A relay still in the previous epoch may have begun a batch of that number meanwhile.
  await client.query(
    `INSERT INTO relay_batches (first_sequence, last_sequence, offsets, acknowledged_at)
     VALUES ($1, $1, $2, clock_timestamp())
     ON CONFLICT (first_sequence) DO UPDATE
       SET last_sequence = excluded.last_sequence, offsets = excluded.offsets, acknowledged_at = excluded.acknowledged_at`,
    [epoch.after, offsets],
  );
  await beginGeneration(client, { topicId, after: epoch.after - 1, isComplete: true });
  return epoch;
}
