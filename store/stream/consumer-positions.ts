import type { ClientBase, Pool } from 'pg';

/** Somebody else advanced the position meanwhile; nothing of this transaction may be kept (INV-8). */
class PositionMovedError extends Error {
  override name = 'PositionMovedError';
}

/** The offset of the next message of a partition to deal with; 0 where none was. Locked until the transaction ends. */
export async function lockConsumerPosition(
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
 * Moves a partition's position, within the transaction of what was applied up to there (INV-8).
 *
 * @throws PositionMovedError when the position is no longer `from`.
 */
export async function advanceConsumerPosition(
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
    throw new PositionMovedError(`The position of ${topic}/${partition} is no longer ${from}.`);
  }
}

/** The stored positions of a topic, by partition. */
export async function loadConsumerPositions(
  client: ClientBase | Pool,
  topic: string,
): Promise<Map<number, number>> {
  const { rows } = await client.query<{ partition: number; next_offset: string }>(
    'SELECT partition, next_offset FROM consumer_positions WHERE topic = $1',
    [topic],
  );
  return new Map(rows.map((row) => [row.partition, Number(row.next_offset)]));
}

/** Moves a partition's position regardless of where it is: for a topic that was made anew. */
export async function resetConsumerPosition(
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
