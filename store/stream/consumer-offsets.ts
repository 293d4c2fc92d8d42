import type { ClientBase, Pool } from 'pg';
import { SupersededError } from '../../service/failure.ts';
import { sqlStateOf } from '../connection/sql-state.ts';

/** The SQLSTATE with which `advance_consumer_offsets` reports an unexpected offset. */
const POSITION_MOVED = 'BE001';

/**
 * The offsets of the next messages to apply, by partition; 0 at first. Locked until the transaction ends.
 *
 * @param partitions each once
 */
export async function lockConsumerOffsets(
  client: ClientBase,
  topic: string,
  partitions: readonly number[],
): Promise<Map<number, number>> {
  const stored = await lockStored(client, topic, partitions);
  if (stored.length === partitions.length) return new Map(stored);
  await client.query(
    `INSERT INTO consumer_offsets (topic, partition, next_offset)
     SELECT $1, partition, 0 FROM unnest($2::int[]) AS partition ON CONFLICT DO NOTHING`,
    [topic, partitions],
  );
  return new Map(await lockStored(client, topic, partitions));
}

async function lockStored(
  client: ClientBase,
  topic: string,
  partitions: readonly number[],
): Promise<[number, number][]> {
  const { rows } = await client.query<[number, number]>({
    name: 'lock-consumer-offsets',
    text: `SELECT partition, next_offset::float8 FROM consumer_offsets
      WHERE topic = $1 AND partition = ANY($2) ORDER BY partition FOR UPDATE`,
    values: [topic, partitions],
    rowMode: 'array',
  });
  return rows;
}

/** The progress of a partition. */
export interface OffsetAdvance {
  partition: number;
  from: number;
  to: number;
  /** The append time of the newest message before `to`, in milliseconds since 1970; null if unknown. */
  appendedAt?: number | null;
}

/**
 * Advances the offsets of partitions, within the transaction of the applied messages (INV-8). The statement
 * itself fails on an unexpected offset, so that a commit may be sent right after it.
 *
 * @param advances one for each partition
 * @throws SupersededError if a stored offset is no longer `from`, because another consumer has advanced it
 */
export async function advanceConsumerOffsets(
  client: ClientBase,
  topic: string,
  advances: readonly OffsetAdvance[],
): Promise<void> {
  const advancing = client.query({
    name: 'advance-consumer-offsets',
    text: 'SELECT advance_consumer_offsets($1, $2, $3, $4, $5)',
    values: [
      topic,
      advances.map(({ partition }) => partition),
      advances.map(({ from }) => from),
      advances.map(({ to }) => to),
      advances.map(({ appendedAt }) => appendedAt ?? null),
    ],
  });
  await advancing.catch((cause: unknown) => {
    if (sqlStateOf(cause) !== POSITION_MOVED) throw cause;
    throw new SupersededError(`Another process has moved a stored offset of ${topic}.`, { cause });
  });
}

/** The stored offsets of a topic, by partition. */
export async function loadConsumerOffsets(
  client: ClientBase | Pool,
  topic: string,
): Promise<Map<number, number>> {
  const { rows } = await client.query<[number, number]>({
    text: 'SELECT partition, next_offset::float8 FROM consumer_offsets WHERE topic = $1',
    values: [topic],
    rowMode: 'array',
  });
  return new Map(rows);
}

/** A stored offset. */
export interface StoredOffset {
  /** The offset of the next message. */
  offset: number;
  /** The append time of the newest message before it, in milliseconds since 1970; null if unknown. */
  appendedAt: number | null;
}

/** The stored offsets of a topic with their times, by partition. */
export async function loadStoredOffsets(
  client: ClientBase | Pool,
  topic: string,
): Promise<Map<number, StoredOffset>> {
  const { rows } = await client.query<{ partition: number; offset: number; appendedAt: string | null }>(
    `SELECT partition, next_offset::float8 AS offset, CASE WHEN last_appended_offset = next_offset
       THEN (extract(epoch FROM last_appended_at) * 1000)::bigint END AS "appendedAt"
     FROM consumer_offsets WHERE topic = $1`,
    [topic],
  );
  return new Map(
    rows.map(({ partition, offset, appendedAt }) => [
      partition,
      { offset, appendedAt: appendedAt === null ? null : Number(appendedAt) },
    ]),
  );
}

/** Overwrites a partition's offset, for a topic that was created anew. */
export async function resetConsumerOffset(
  client: ClientBase | Pool,
  topic: string,
  partition: number,
  to: number,
): Promise<void> {
  await client.query(
    `INSERT INTO consumer_offsets (topic, partition, next_offset) VALUES ($1, $2, $3)
     ON CONFLICT (topic, partition) DO UPDATE SET next_offset = excluded.next_offset`,
    [topic, partition, to],
  );
}

/** Kafka's id of the topic of the stored offsets; null if not known yet. */
export async function loadTopicId(client: ClientBase | Pool, topic: string): Promise<string | null> {
  const { rows } = await client.query<{ topic_id: string }>(
    'SELECT topic_id FROM consumed_topics WHERE topic = $1',
    [topic],
  );
  return rows[0]?.topic_id ?? null;
}

/** Kafka's ids of a topic and its cluster. */
interface TopicIdentity {
  topicId: string;
  clusterId: string;
}

/**
 * Stores the ids of a topic. If another id was stored, its offsets mean nothing, and are deleted. Call it in
 * the transaction that handles the new topic.
 *
 * @returns the earlier ids; null if the offsets stay valid
 */
export async function reconcileTopic(
  client: ClientBase,
  topic: string,
  { topicId, clusterId }: TopicIdentity,
): Promise<TopicIdentity | null> {
  const { rows } = await client.query<TopicIdentity>(
    `SELECT topic_id AS "topicId", cluster_id AS "clusterId" FROM consumed_topics WHERE topic = $1 FOR UPDATE`,
    [topic],
  );
  const [known] = rows;
  if (known?.topicId === topicId) return null;
  await client.query(
    `INSERT INTO consumed_topics (topic, topic_id, cluster_id) VALUES ($1, $2, $3)
     ON CONFLICT (topic) DO UPDATE SET topic_id = excluded.topic_id, cluster_id = excluded.cluster_id`,
    [topic, topicId, clusterId],
  );
  if (known === undefined) return null;
  await client.query('DELETE FROM consumer_offsets WHERE topic = $1', [topic]);
  return known;
}

/**
 * The offsets of the next messages to apply, by partition, if the topic has this id. Empty for a new topic
 * that apply has not noticed yet.
 */
export async function loadOffsetsOf(
  client: ClientBase | Pool,
  { topic, topicId }: { topic: string; topicId: string },
): Promise<Map<number, number>> {
  // Reads the id first, because the offsets change with it.
  const knownId = await loadTopicId(client, topic);
  return knownId === null || knownId === topicId ? loadConsumerOffsets(client, topic) : new Map();
}
