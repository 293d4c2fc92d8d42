import type { ClientBase, Pool } from 'pg';

/** Another consumer advanced the offset meanwhile; nothing of this transaction may be kept (INV-8). */
class OffsetMovedError extends Error {
  override name = 'OffsetMovedError';
}

/** The offset of the next message to apply of a partition; 0 at first. Locked until the transaction ends. */
export async function lockConsumerOffset(
  client: ClientBase,
  topic: string,
  partition: number,
): Promise<number> {
  await client.query(
    'INSERT INTO consumer_positions (topic, partition, next_offset) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING',
    [topic, partition],
  );
  const { rows } = await client.query<{ next_offset: string }>(
    'SELECT next_offset FROM consumer_positions WHERE topic = $1 AND partition = $2 FOR UPDATE',
    [topic, partition],
  );
  return Number(rows[0]?.next_offset);
}

/**
 * Advances a partition's offset, within the transaction of the messages that were applied up to it (INV-8).
 *
 * @throws OffsetMovedError if the offset is no longer `from`.
 */
export async function advanceConsumerOffset(
  client: ClientBase,
  topic: string,
  partition: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const { rowCount } = await client.query(
    'UPDATE consumer_positions SET next_offset = $4 WHERE topic = $1 AND partition = $2 AND next_offset = $3',
    [topic, partition, from, to],
  );
  if (rowCount !== 1) {
    throw new OffsetMovedError(`The stored offset of ${topic}/${partition} is no longer ${from}.`);
  }
}

/** The stored offsets of a topic, by partition. */
export async function loadConsumerOffsets(
  client: ClientBase | Pool,
  topic: string,
): Promise<Map<number, number>> {
  const { rows } = await client.query<{ partition: number; next_offset: string }>(
    'SELECT partition, next_offset FROM consumer_positions WHERE topic = $1',
    [topic],
  );
  return new Map(rows.map((row) => [row.partition, Number(row.next_offset)]));
}

/** Sets a partition's offset, whatever it was: for a topic that was created anew. */
export async function resetConsumerOffset(
  client: ClientBase | Pool,
  topic: string,
  partition: number,
  to: number,
): Promise<void> {
  await client.query('UPDATE consumer_positions SET next_offset = $3 WHERE topic = $1 AND partition = $2', [
    topic,
    partition,
    to,
  ]);
}
