import type { Brokers } from '../../service/brokers.ts';
import type { PartitionRead } from './partition-read.ts';
import { type PartitionBounds, type TopicIdentity, TopicLookup } from './topic-lookup.ts';
import { TopicReader } from './topic-reader.ts';

const LIMITS = { maxWaitMs: 0, partitionMaxBytes: 4 * 1024 * 1024 };

/** A topic, and the client's name for reading it. */
export interface ReadTopic {
  brokers: Brokers;
  topic: string;
  clientId: string;
  /** The right that an error names as missing; by default the one that the call needs. */
  operation?: 'Describe' | 'Read';
  /** Ends the reading when it aborts, although a broker does not answer. */
  signal?: AbortSignal;
  /** Called with the number of offsets read so far, and the total. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Reads a topic once, up to each partition's end at the start of the reading, or a little further.
 *
 * @param chooseStart the offset to begin at in a partition; by default the partition's beginning
 * @param ends the offsets before which to stop, by partition; other partitions are read to their ends
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function* readTopic(
  options: ReadTopic,
  chooseStart: (partition: number, bounds: PartitionBounds) => number = (_, { start }) => start,
  ends: ReadonlyMap<number, number> = new Map(),
): AsyncGenerator<PartitionRead> {
  const reader = new TopicReader(options);
  const { signal } = options;
  // Its requests then fail.
  const giveUp = () => void reader.close().catch(() => {});
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted) giveUp();
  try {
    const bounds = await reader.bounds();
    const open = new Map(bounds.map((each, partition) => [partition, chooseStart(partition, each)]));
    const endOf = (at: number) => Math.min(bounds[at]?.end ?? 0, ends.get(at) ?? Number.POSITIVE_INFINITY);
    for (const at of ends.keys()) if ((open.get(at) ?? 0) >= endOf(at)) open.delete(at);
    const total = bounds.reduce((sum, _, at) => sum + Math.max(0, endOf(at) - (open.get(at) ?? 0)), 0);
    let done = 0;
    while (open.size > 0) {
      for (const read of await reader.fetchFromSources(await reader.sources(), open, LIMITS)) {
        const { partition, nextOffset } = read;
        const end = endOf(partition);
        yield ends.has(partition) ? cutAt(read, end) : read;
        done += Math.max(0, Math.min(nextOffset, end) - (open.get(partition) ?? 0));
        options.onProgress?.(done, total);
        if (read.atEnd || nextOffset >= end) open.delete(partition);
        else open.set(partition, nextOffset);
      }
    }
  } finally {
    signal?.removeEventListener('abort', giveUp);
    await reader.close();
  }
}

/** The part of a reading before an offset. */
function cutAt(read: PartitionRead, end: number): PartitionRead {
  const records = read.records.filter(({ offset }) => offset < end);
  return { ...read, records, unreadable: read.unreadable.filter(({ firstOffset }) => firstOffset < end) };
}

async function askOnce<T>(options: ReadTopic, ask: (lookup: TopicLookup) => Promise<T>): Promise<T> {
  const lookup = new TopicLookup(options);
  try {
    return await ask(lookup);
  } finally {
    await lookup.close();
  }
}

/** The present beginning and end of each partition of a topic. @throws as `readTopic` does */
export function loadBounds(options: ReadTopic): Promise<PartitionBounds[]> {
  return askOnce(options, (lookup) => lookup.bounds());
}

/**
 * The append time of the first record at or after a time, by partition. Partitions without one are missing.
 *
 * @param times milliseconds since 1970, by partition
 * @throws as `readTopic` does
 */
export function loadTimesAfter(
  options: ReadTopic,
  times: ReadonlyMap<number, number>,
): Promise<Map<number, number>> {
  return askOnce(options, async (lookup) => {
    const found = await Promise.all(
      [...times].map(async ([partition, time]) => [partition, await lookup.timeAt(partition, time)] as const),
    );
    return new Map(found.flatMap(([partition, time]) => (time === null ? [] : [[partition, time]])));
  });
}

/** The offset and time of each partition's record with the latest time. @throws as `readTopic` does */
export function loadNewestTimes(options: ReadTopic): ReturnType<TopicLookup['newestTimes']> {
  return askOnce(options, (lookup) => lookup.newestTimes());
}

/** The ids of a topic and its cluster. @throws as `readTopic` does */
export function identifyTopic(options: ReadTopic): Promise<TopicIdentity> {
  return askOnce(options, (lookup) => lookup.identify());
}

/** The ids and the bounds, with one client. @throws as `readTopic` does */
export function describeTopic(options: ReadTopic): Promise<TopicIdentity & { bounds: PartitionBounds[] }> {
  return askOnce(options, async (lookup) => ({
    ...(await lookup.identify()),
    bounds: await lookup.bounds(),
  }));
}
