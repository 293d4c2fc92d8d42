import { loadBounds } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { type ReadRejections, readRejections } from './read-rejections.ts';
import type { TopicsPlace } from './retry.ts';

export interface RecentRejections extends Omit<ReadRejections, 'ends'> {
  /** Whether these are all rejections in Kafka. */
  isComplete: boolean;
}

/**
 * Reads the newest rejections, so that the cost does not grow with the topic.
 *
 * @param ofPartition the most records to read per partition
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function loadRecentRejections(
  { brokers, topicPrefix }: TopicsPlace,
  ofPartition: number,
): Promise<RecentRejections> {
  const topic = topicNames(topicPrefix).rejected;
  const clientId = 'ballot-endorsements-administration';
  const bounds = await loadBounds({ brokers, topic, clientId, operation: 'Read' });
  const starts = bounds.map(({ start, end }) => Math.max(start, end - ofPartition));
  const { rejections, strangers } = await readRejections({ brokers, topic }, new Map(starts.entries()));
  return {
    rejections,
    strangers,
    isComplete: bounds.every(({ start }, partition) => starts[partition] === start),
  };
}
