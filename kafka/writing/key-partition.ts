import { Partitioners } from 'kafkajs';
import { createLruCache } from '../../service/lru-cache.ts';

const choose = Partitioners.DefaultPartitioner();
/** The partition by number of partitions and key, because kafkajs takes microseconds to choose it. */
const cachedPartitions = createLruCache<string, number>(50_000);

/** The partition of a key, as Java's clients choose it. */
export function partitionOfKey(key: string, partitions: number): number {
  const name = `${partitions} ${key}`;
  let partition = cachedPartitions.get(name);
  if (partition === undefined) {
    const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
      partitionId,
      leader: 0,
      partitionErrorCode: 0,
      replicas: [],
      isr: [],
    }));
    partition = choose({ topic: '', partitionMetadata, message: { key, value: null } });
    cachedPartitions.set(name, partition);
  }
  return partition;
}
