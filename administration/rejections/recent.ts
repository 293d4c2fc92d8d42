import { loadBounds } from '../../kafka/reading/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Rejection } from '../../schemas/submission.ts';
import { byTime, readRejections } from './read-rejections.ts';
import type { TopicsPlace } from './retry.ts';

export interface RecentRejections {
  /** By time. */
  rejections: Rejection[];
  /** Other records and unreadable batches that were read. */
  strangers: number;
  /** The offsets at which the reading began, by partition with older records; null if no partition has any. */
  before: ReadonlyMap<number, number> | null;
  /** The earliest time of a rejection that was read, by partition with any, in milliseconds since 1970. */
  oldest: ReadonlyMap<number, number>;
}

/** The records of a partition to read at first, and the factor by which further readings grow. */
const FIRST = 4;
const GROWTH = 7;
/** No further reading begins if it would have more bytes than this. */
const MAX_BYTES = 16 * 1024 * 1024;

const reading = ({ brokers, topicPrefix }: TopicsPlace) => ({
  brokers,
  topic: topicNames(topicPrefix).rejected,
  clientId: 'ballot-endorsements-administration',
  operation: 'Read' as const,
});

/**
 * Reads the first 8 MB of the rejections that follow those before an earlier reading: one of them can have the same
 * submission.
 *
 * @param before the earlier reading's `before`; null for the newest, which none follow
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function loadLaterRejections(
  place: TopicsPlace,
  before: ReadonlyMap<number, number> | null,
): Promise<Rejection[]> {
  if (before === null) return [];
  const bounds = await loadBounds(reading(place));
  const starts = bounds.map(({ end }, at) => [at, Math.min(end, before.get(at) ?? 0)] as const);
  for await (const page of readRejections(reading(place), new Map(starts))) return page.rejections;
  return [];
}

/**
 * Reads the newest rejections, or those before an earlier reading, so that the cost does not grow with the topic: fewer
 * if they are large.
 *
 * @param ofPartition the most records to read per partition
 * @param before the earlier reading's `before`; null for the newest
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function loadRecentRejections(
  place: TopicsPlace,
  ofPartition: number,
  before: ReadonlyMap<number, number> | null = null,
): Promise<RecentRejections> {
  const present = await loadBounds(reading(place));
  // A partition that the earlier reading did not know was added later.
  const bounds = present.map(({ start, end }, partition) => ({
    start,
    end: before ? Math.max(start, Math.min(end, before.get(partition) ?? start)) : end,
  }));
  const ends = new Map(before ? bounds.map(({ end }, partition) => [partition, end]) : []);
  for (let count = Math.min(FIRST, ofPartition); ; count = Math.min(GROWTH * count, ofPartition)) {
    const starts = new Map(
      bounds.map(({ start, end }, partition) => [partition, Math.max(start, end - count)]),
    );
    const older = new Map([...starts].filter(([partition, from]) => from !== bounds[partition]?.start));
    const isComplete = older.size === 0;
    const read: RecentRejections = {
      ...{ rejections: [], strangers: 0, before: isComplete ? null : older, oldest: new Map() },
    };
    for await (const page of readRejections(reading(place), starts, ends)) {
      read.rejections.push(...page.rejections);
      read.strangers += page.strangers;
      read.oldest = page.oldest;
    }
    const bytes = read.rejections.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    if (isComplete || count >= ofPartition || GROWTH * bytes > MAX_BYTES) {
      read.rejections.sort(byTime);
      return read;
    }
  }
}
