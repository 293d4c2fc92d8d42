import type { ClientBase, Pool } from 'pg';
import { describeTopic } from '../kafka/reading/read-topic.ts';
import type { PartitionBounds } from '../kafka/reading/topic-lookup.ts';
import { topicNames } from '../kafka/topic-names.ts';
import type { Brokers } from '../service/brokers.ts';
import { loadOffsetsOf } from '../store/stream/consumer-offsets.ts';
import { countPendingRejections } from '../store/stream/pending-rejections.ts';
import { loadRelayProgress } from '../store/stream/relay-batches.ts';

/** The Kafka of the topics. */
export interface KafkaPlace {
  brokers: Brokers;
  /** The beginning of every topic's name. */
  topicPrefix: string;
}

/** The progress of a partition of the submissions topic. Offsets are those of the next submission. */
interface PartitionLag {
  partition: number;
  done: number;
  /** The last stable offset: an open transaction blocks later submissions. */
  stable_end: number;
  end: number;
  /** Waiting submissions, up to the end of the log. */
  lag: number;
  /** Waiting submissions that can be applied now. */
  stable_lag: number;
}

/** The consumers' remaining work. */
export interface ServiceLag {
  submissions: PartitionLag[];
  /** By sequence: Kafka's last change, and the change log's. */
  changes: { done: number; end: number; lag: number; oldest_seconds: number };
  /** Rejections that are not yet in the rejected topic. */
  rejections: { lag: number };
}

function lagOf(partition: number, applied: number, { start, stableEnd, end }: PartitionBounds): PartitionLag {
  // Submissions that expired before they were applied do not wait.
  const done = Math.max(applied, start);
  const lag = Math.max(0, end - done);
  return { partition, done, stable_end: stableEnd, end, lag, stable_lag: Math.max(0, stableEnd - done) };
}

/**
 * Asks Kafka, then Postgres. Submissions that arrive between the two requests can briefly show as lag.
 *
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function measureLag(
  client: ClientBase | Pool,
  { brokers, topicPrefix }: KafkaPlace,
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
