import { afterEach, expect, test } from '@jest/globals';
import { Backlog } from '../../consumers/apply/backlog.ts';
import type { PartitionRead } from '../../kafka/reading/partition-read.ts';
import type { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { createLog } from '../../service/log.ts';
import { settle } from '../helpers/service/manual-clock.ts';
import { until } from '../helpers/until.ts';

const never = new AbortController().signal;
let backlog: Backlog;
/** Answers the fetches that a test has held back. */
let release: () => void;
afterEach(async () => {
  release();
  await backlog.stop();
});

/** Starts a backlog of a topic in memory, whose partitions have one broker. */
function start(
  partitions: number,
  fetch: (offsets: ReadonlyMap<number, number>) => PartitionRead[] | 'nothing more',
): void {
  const held = Promise.withResolvers<PartitionRead[]>();
  release = () => held.resolve([]);
  const reader = {
    sources: async () => Array.from({ length: partitions }, () => 1),
    fetch: async (_: number, offsets: ReadonlyMap<number, number>) => {
      const reads = fetch(offsets);
      return reads === 'nothing more' ? held.promise : reads;
    },
  } as unknown as TopicReader;
  const offsets = new Array<number>(partitions).fill(0);
  backlog = new Backlog(reader, offsets, async () => false, createLog('consumers', 'silent'));
  backlog.start();
}

/** The answer to a fetch: this many records from an offset on. */
function readOf(partition: number, from: number, count: number, value: Buffer | null = null): PartitionRead {
  const records = Array.from({ length: count }, (_, index) => ({
    ...{ offset: from + index, timestamp: 1000 + from + index },
    ...{ key: null, value, headers: null },
  }));
  const end = from + count;
  const place = { nextOffset: end, newestAt: 999 + end, end, stableEnd: end };
  return { partition, records, unreadable: [], ...place, atEnd: false, isOutOfRange: false };
}

test('submissions from many small fetches are taken together', async () => {
  let fetches = 0;
  start(1, (offsets) => {
    const offset = offsets.get(0) ?? 0;
    fetches += 1;
    return offset === 5 ? 'nothing more' : [readOf(0, offset, 1)];
  });
  await until('the sixth fetch', () => fetches === 6);
  const ranges = await backlog.take(4, 0, never);
  expect(ranges.map(({ from, to, appendedAt }) => [from, to, appendedAt])).toEqual([[0, 4, 1003]]);
  expect(ranges[0]?.records.map(({ offset }) => offset)).toEqual([0, 1, 2, 3]);
  const [rest] = await backlog.take(4, 0, never);
  expect([rest?.from, rest?.to]).toEqual([4, 5]);
});

test('INV-14: a full partition is not fetched, however small the parts are in which it is taken', async () => {
  const megabyte = Buffer.alloc(1_000_000);
  let taken = 0;
  let mostWaiting = 0;
  start(1, (offsets) => {
    const offset = offsets.get(0) ?? 0;
    mostWaiting = Math.max(mostWaiting, offset - taken);
    return [readOf(0, offset, 5, megabyte)];
  });
  for (; taken < 12; taken += 1) {
    expect((await backlog.take(1, 5000, never))[0]?.records).toHaveLength(1);
    await settle();
  }
  // Four megabytes may wait, and one that this test has not counted as taken yet.
  expect(mostWaiting).toBeGreaterThan(2);
  expect(mostWaiting).toBeLessThanOrEqual(5);
});

test('INV-14: a busy partition, whose submissions fill each take, does not starve the others', async () => {
  let fetches = 0;
  start(3, () => {
    fetches += 1;
    return fetches > 1 ? 'nothing more' : [readOf(0, 0, 100), readOf(1, 0, 100), readOf(2, 0, 1)];
  });
  await until('the second fetch', () => fetches === 2);
  const takes: (number | undefined)[][] = [];
  for (let take = 0; take < 3; take += 1) {
    takes.push((await backlog.take(10, 0, never)).map(({ partition }) => partition));
  }
  expect(takes).toEqual([[0], [1], [2, 0]]);
});
