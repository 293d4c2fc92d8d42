import type { ClientBase, Pool } from 'pg';
import { describeTopic } from '../kafka/reading/read-topic.ts';
import type { PartitionBounds } from '../kafka/reading/topic-lookup.ts';
import { topicNames } from '../kafka/topic-names.ts';
import type { Brokers } from '../service/brokers.ts';
import { loadOffsetsOf } from '../store/stream/consumer-offsets.ts';
import { countPendingRejections } from '../store/stream/pending-rejections.ts';
import { loadRelayProgress } from '../store/stream/relay-batches.ts';

/** How far a partition of the submissions topic is applied. Offsets are those of the next submission. */
interface PartitionLag {
  partition: number;
  done: number;
  /** The last stable offset: an open transaction holds later submissions back. */
  stable_end: number;
  end: number;
  /** Submissions that wait, up to the end of the log. */
  lag: number;
  /** Submissions that wait and can be applied now. */
  stable_lag: number;
}

/** The work that the consumers have yet to do. */
export interface ServiceLag {
  submissions: PartitionLag[];
  /** By sequence: the last change that Kafka has, and the last one of the change log. */
  changes: { done: number; end: number; lag: number; oldest_seconds: number };
  /** Rejections that are not yet in the rejected topic. */
  rejections: { lag: number };
}

function lagOf(partition: number, applied: number, { start, stableEnd, end }: PartitionBounds): PartitionLag {
  // Submissions that retention deleted before they were applied are not waiting.
  const done = Math.max(applied, start);
  const lag = Math.max(0, end - done);
  return { partition, done, stable_end: stableEnd, end, lag, stable_lag: Math.max(0, stableEnd - done) };
}

/**
 * Asks Kafka, then Postgres. Submissions that arrive between the two questions can show as lag for a moment.
 *
 * @param place the `host:port` of each broker, and the beginning of every topic's name
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function measureLag(
  client: ClientBase | Pool,
  { brokers, topicPrefix }: { brokers: Brokers; topicPrefix: string },
): Promise<ServiceLag> {
  const topic = topicNames(topicPrefix).submissions;
  const place = { brokers, topic, clientId: 'ballot-endorsements-administration' };
  const { topicId, bounds } = await describeTopic(place);
  const applied = await loadOffsetsOf(client, { topic, topicId });
  const { logged, relayed, oldestWaitedSeconds } = await loadRelayProgress(client);
  return {
    submissions: bounds.map((each, partition) => lagOf(partition, applied.get(partition) ?? 0, each)),
    changes: {
      done: relayed,
      end: logged,
      lag: logged - relayed,
      oldest_seconds: Math.round(oldestWaitedSeconds),
    },
    rejections: { lag: await countPendingRejections(client) },
  };
}
