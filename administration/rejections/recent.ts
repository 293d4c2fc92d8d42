import { loadBounds } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Rejection } from '../../schemas/submission.ts';
import { readRejections } from './read-rejections.ts';
import type { TopicsPlace } from './retry.ts';

export interface RecentRejections {
  /** By time. */
  rejections: Rejection[];
  /** Other records and unreadable batches that were read. */
  strangers: number;
  /** Whether these are all rejections in Kafka. */
  isComplete: boolean;
}

/** The records of a partition to read at first, and the factor by which further readings grow. */
const FIRST = 4;
const GROWTH = 7;
/** No further reading begins if it would have more bytes than this. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the newest rejections, so that the cost does not grow with the topic: fewer if they are large.
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
  for (let count = Math.min(FIRST, ofPartition); ; count = Math.min(GROWTH * count, ofPartition)) {
    const starts = bounds.map(({ start, end }) => Math.max(start, end - count));
    const read: RecentRejections = {
      rejections: [],
      strangers: 0,
      isComplete: bounds.every(({ start }, partition) => starts[partition] === start),
    };
    for await (const page of readRejections({ brokers, topic }, new Map(starts.entries()))) {
      read.rejections.push(...page.rejections);
      read.strangers += page.strangers;
    }
    const bytes = read.rejections.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    if (read.isComplete || count >= ofPartition || GROWTH * bytes > MAX_BYTES) {
      read.rejections.sort((a, b) => a.rejected_at - b.rejected_at);
      return read;
    }
  }
}
