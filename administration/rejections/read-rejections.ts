import { hash } from 'node:crypto';
import { type ReadTopic, readTopic } from '../../kafka/reading/read-topic.ts';
import { type Rejection, rejectionCodec } from '../../schemas/submission.ts';
import { createLruCache } from '../../service/lru-cache.ts';

/** A part of the rejected topic. */
export interface RejectionPage {
  /** By time, without duplicates from a crash. */
  rejections: Rejection[];
  /** Other records and unreadable batches: any program can write to the topic. */
  strangers: number;
  /** The offset up to which the topic was read so far, by partition. */
  ends: ReadonlyMap<number, number>;
  /** The earliest time of a rejection so far, by partition with any, in milliseconds since 1970. */
  oldest: ReadonlyMap<number, number>;
}

/** The order of rejections. */
export const byTime = (a: Rejection, b: Rejection): number => a.rejected_at - b.rejected_at;

/** The size of a page, in bytes of values. The last fetch can exceed it. */
const PAGE_BYTES = 8 * 1024 * 1024;
/** The most rejections to remember for finding duplicates, which follow within a few hundred. */
const REMEMBERED = 100_000;

/**
 * Reads the rejected topic to its end, in pages. The topic is too large for the memory if somebody sends noise. Pages
 * follow each other roughly in the order of time; there is at least one.
 *
 * @param from the offset to begin at, by partition; other partitions are read from their beginning
 * @param to the offset before which to stop, by partition; other partitions are read to their ends
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function* readRejections(
  { brokers, topic, onProgress }: Pick<ReadTopic, 'brokers' | 'topic' | 'onProgress'>,
  from: ReadonlyMap<number, number> = new Map(),
  to: ReadonlyMap<number, number> = new Map(),
): AsyncGenerator<RejectionPage> {
  const seen = createLruCache<string, true>(REMEMBERED);
  const ends = new Map<number, number>();
  const oldest = new Map<number, number>();
  let page: Rejection[] = [];
  let bytes = 0;
  let strangers = 0;
  const endPage = (): RejectionPage => {
    const rejections = page.sort(byTime);
    const ended = { rejections, strangers, ends: new Map(ends), oldest: new Map(oldest) };
    page = [];
    bytes = 0;
    strangers = 0;
    return ended;
  };
  const clientId = 'ballot-endorsements-administration';
  const reading = { brokers, topic, clientId, ...(onProgress && { onProgress }) };
  const chooseStart = (partition: number) => from.get(partition) ?? 0;
  for await (const { partition, records, unreadable, nextOffset } of readTopic(reading, chooseStart, to)) {
    strangers += unreadable.length;
    for (const { value } of records) {
      const rejection = decode(value);
      if (rejection === null) {
        strangers += 1;
        continue;
      }
      oldest.set(
        partition,
        Math.min(rejection.rejected_at, oldest.get(partition) ?? Number.POSITIVE_INFINITY),
      );
      const identity = identify(rejection);
      if (seen.has(identity)) continue;
      seen.set(identity, true);
      page.push(rejection);
      bytes += value?.length ?? 0;
    }
    ends.set(partition, nextOffset);
    if (bytes >= PAGE_BYTES) yield endPage();
  }
  yield endPage();
}

/**
 * Equal for two rejections of the same submission. The origin alone is not enough, because offsets restart at
 * 0 if the topic of submissions is made anew.
 */
function identify({ topic, partition, offset, value, truncated }: Rejection): string {
  const digest = truncated ? truncated.sha256.toString('hex') : value && hash('sha256', value);
  return `${topic} ${partition} ${offset} ${digest}`;
}

/** Null for another program's record, also if its time is invalid. */
function decode(value: Buffer | null): Rejection | null {
  try {
    const rejection = rejectionCodec.decode(value);
    return Number.isNaN(new Date(rejection.rejected_at).getTime()) ? null : rejection;
  } catch {
    return null;
  }
}
