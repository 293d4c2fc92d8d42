import type { Brokers } from '../service/brokers.ts';
import { type PartitionBounds, type PartitionRead, TopicReader } from './topic-reader.ts';

const LIMITS = { maxWaitMs: 0, partitionMaxBytes: 4 * 1024 * 1024 };

/** A topic, and the name under which it is read. */
export interface ReadTopic {
  brokers: Brokers;
  topic: string;
  clientId: string;
  /** The right that is named if it is missing; the one that the call needs by default. */
  operation?: 'Describe' | 'Read';
}

/**
 * Reads a topic once, to where each partition ended when the reading began, or a little further.
 *
 * @param chooseStart the offset to begin at in a partition; by default the partition's beginning
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function* readTopic(
  options: ReadTopic,
  chooseStart: (partition: number, bounds: PartitionBounds) => number = (_, { start }) => start,
): AsyncGenerator<PartitionRead> {
  const reader = new TopicReader(options);
  try {
    const bounds = await reader.bounds();
    const open = new Map(bounds.map((each, partition) => [partition, chooseStart(partition, each)]));
    while (open.size > 0) {
      for (const read of await reader.fetchFromSources(await reader.sources(), open, LIMITS)) {
        yield read;
        const isDone = read.atEnd || read.nextOffset >= (bounds[read.partition]?.end ?? 0);
        if (isDone) open.delete(read.partition);
        else open.set(read.partition, read.nextOffset);
      }
    }
  } finally {
    await reader.close();
  }
}

async function describeTopic<T>(options: ReadTopic, ask: (reader: TopicReader) => Promise<T>): Promise<T> {
  const reader = new TopicReader({ operation: 'Describe', ...options });
  try {
    return await ask(reader);
  } finally {
    await reader.close();
  }
}

/** Where each partition of a topic begins and ends now. @throws as `readTopic` does */
export function loadBounds(options: ReadTopic): Promise<PartitionBounds[]> {
  return describeTopic(options, (reader) => reader.bounds());
}

/** The id that Kafka gave a topic when it was made. @throws as `readTopic` does */
export function loadTopicId(options: ReadTopic): Promise<string> {
  return describeTopic(options, (reader) => reader.topicId());
}
