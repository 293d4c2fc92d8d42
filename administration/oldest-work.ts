import type { Pool } from 'pg';
import { loadTimesAfter } from '../kafka/reading/read-topic.ts';
import { topicNames } from '../kafka/topic-names.ts';
import { rejectionCodec } from '../schemas/submission.ts';
import { loadStoredOffsets } from '../store/stream/consumer-offsets.ts';
import { loadPendingRejections } from '../store/stream/pending-rejections.ts';
import type { KafkaPlace, ServiceLag } from './lag.ts';

/** The times of the oldest work that waits; undefined if none waits, or neither Kafka nor Postgres knows. */
export interface OldestWork {
  /** A submission that is not applied. */
  submission?: Date | undefined;
  /** A submission that an open transaction holds back. Known once everything before it is applied. */
  held?: Date | undefined;
  /** A rejection that is not in the rejected topic. */
  rejection?: Date | undefined;
}

type Partitions = ServiceLag['submissions'];

/**
 * Finds the oldest work of a lag. On Kafka it only describes the topic of submissions.
 *
 * @throws the Kafka client's error if the brokers do not answer
 */
export async function findOldestWork(
  pool: Pool,
  place: KafkaPlace,
  { submissions, rejections }: ServiceLag,
): Promise<OldestWork> {
  const waiting = submissions.filter(({ lag }) => lag > 0);
  const held = waiting.filter(({ lag, stable_lag }) => lag > stable_lag);
  const times = waiting.length === 0 ? new Map<number, number>() : await loadTimes(pool, place, waiting);
  const oldestOf = (partitions: Partitions) => {
    const found = partitions.flatMap(({ partition }) => times.get(partition) ?? []);
    // An unknown one could be older.
    return found.length === 0 || found.length < partitions.length ? undefined : new Date(Math.min(...found));
  };
  const [rejection] = rejections.lag === 0 ? [] : await loadPendingRejections(pool, { records: 1, bytes: 1 });
  return {
    submission: oldestOf(waiting),
    held: held.every(({ stable_lag }) => stable_lag === 0) ? oldestOf(held) : undefined,
    rejection: rejection && new Date(rejectionCodec.decode(rejection.value).rejected_at),
  };
}

/** The append times of the first submissions after those that are applied, by partition, where they are known. */
async function loadTimes(
  pool: Pool,
  { brokers, topicPrefix }: KafkaPlace,
  partitions: Partitions,
): Promise<Map<number, number>> {
  const topic = topicNames(topicPrefix).submissions;
  const stored = await loadStoredOffsets(pool, topic);
  const after = partitions.flatMap(({ partition }): [number, number][] => {
    // Nothing is stored before the first submission of a partition.
    const { appendedAt } = stored.get(partition) ?? { appendedAt: -1 };
    return appendedAt === null ? [] : [[partition, appendedAt + 1]];
  });
  const clientId = 'ballot-endorsements-administration';
  return loadTimesAfter({ brokers, topic, clientId }, new Map(after));
}
