import { type PartitionRead, TopicReader } from './topic-reader.ts';

const LIMITS = { maxWaitMs: 0, partitionMaxBytes: 4 * 1024 * 1024 };

/**
 * Reads a topic once through, a fetch of a partition at a time, up to where each partition ends when it is reached.
 *
 * @param from by partition, where to begin; its beginning where there is none.
 * @throws the Kafka client's error when the brokers do not answer or there is no such topic.
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
