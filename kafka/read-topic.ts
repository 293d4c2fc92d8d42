import { type PartitionRead, TopicReader } from './topic-reader.ts';

const LIMITS = { maxWaitMs: 0, partitionMaxBytes: 4 * 1024 * 1024 };

/**
 * Reads a topic once, to the end of each partition.
 *
 * @param from the offset to begin at, by partition; by default the partition's beginning
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function* readTopic(
  { brokers, topic }: { brokers: string[]; topic: string },
  from: ReadonlyMap<number, number> = new Map(),
): AsyncGenerator<PartitionRead> {
  const reader = new TopicReader({ brokers, topic, clientId: 'ballot-endorsements-ops' });
  try {
    const leaders = await reader.leaders();
    const open = new Map(leaders.map((_, partition) => [partition, from.get(partition) ?? 0]));
    while (open.size > 0) {
      for (const read of await reader.fetchFromLeaders(leaders, open, LIMITS)) {
        yield read;
        if (read.atEnd) open.delete(read.partition);
        else open.set(read.partition, read.nextOffset);
      }
    }
  } finally {
    await reader.close();
  }
}
