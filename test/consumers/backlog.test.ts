import { expect, test } from '@jest/globals';
import { Backlog } from '../../consumers/apply/backlog.ts';
import type { PartitionRead } from '../../kafka/reading/partition-read.ts';
import type { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { createLog } from '../../service/log.ts';
import { until } from '../helpers/until.ts';

test('submissions from many small fetches are taken together', async () => {
  const held = Promise.withResolvers<PartitionRead[]>();
  let fetches = 0;
  const reader = {
    sources: async () => [1],
    async fetch(_: number, offsets: ReadonlyMap<number, number>): Promise<PartitionRead[]> {
      const offset = offsets.get(0) ?? 0;
      fetches += 1;
      if (offset === 5) return held.promise;
      const records = [{ offset, timestamp: 1000 + offset, key: null, value: null, headers: null }];
      const read = { partition: 0, records, unreadable: [], nextOffset: offset + 1, newestAt: 1000 + offset };
      return [{ ...read, end: 5, stableEnd: 5, atEnd: false, isOutOfRange: false }];
    },
  };
  const log = createLog('consumers', 'silent');
  const backlog = new Backlog(reader as unknown as TopicReader, [0], async () => false, log);
  backlog.start();
  await until('the sixth fetch', () => fetches === 6);
  const ranges = await backlog.take(4, 0, new AbortController().signal);
  expect(ranges.map(({ from, to, appendedAt }) => [from, to, appendedAt])).toEqual([[0, 4, 1003]]);
  expect(ranges[0]?.records.map(({ offset }) => offset)).toEqual([0, 1, 2, 3]);
  const [rest] = await backlog.take(4, 0, new AbortController().signal);
  expect([rest?.from, rest?.to]).toEqual([4, 5]);
  held.resolve([]);
  await backlog.stop();
});
