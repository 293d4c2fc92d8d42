/** A pass through the changes topic in which changes are missing. */
import { afterAll, expect, jest, test } from '@jest/globals';
import { Decoder } from '../../../gateway/feed/decoder.ts';
import { ReplayRun } from '../../../gateway/feed/replay-run.ts';
import { UnreadableBatches } from '../../../gateway/feed/unreadable-batches.ts';
import type { PartitionRead } from '../../../kafka/reading/partition-read.ts';
import type { TopicReader } from '../../../kafka/reading/topic-reader.ts';
import { createLog } from '../../../service/log.ts';
import { createEvent } from '../../helpers/stream/create-event.ts';
import { encodeChange } from '../../helpers/stream/write-changes.ts';

const EPOCH = 7;
const log = createLog('test', 'silent');
const decoder = new Decoder();
afterAll(() => decoder.close());

/** Reads a topic of two partitions, with these sequences, and a change log that has every change up to 10. */
function startRun(partitions: readonly (readonly number[])[]) {
  const fetchFromSources: TopicReader['fetchFromSources'] = async (_, offsets) =>
    [...offsets].map(([partition, from]): PartitionRead => {
      const values = partitions[partition] ?? [];
      const records = values.slice(from).map((sequence, index) => ({
        ...{ offset: from + index, value: encodeChange(EPOCH, sequence) },
        ...{ timestamp: 0, key: null, headers: null },
      }));
      const end = values.length;
      const place = { nextOffset: end, newestAt: 0, end, stableEnd: end };
      return { partition, records, unreadable: [], ...place, atEnd: true, isOutOfRange: false };
    });
  const reader = { sources: async () => [0, 0], refresh: async () => {}, fetchFromSources };
  const changeLog = {
    load: jest.fn(async (from: number, to: number) =>
      Array.from({ length: Math.min(to, 10) - from + 1 }, (_, index) =>
        createEvent({ sequence: from + index }),
      ),
    ),
    reportFilled: jest.fn(),
    locate: async () => null,
    findFirst: async () => null,
  };
  const run = new ReplayRun(
    { sequence: 0, time: 0, offsets: [0, 0] },
    {
      ...{ epoch: EPOCH, foreignUpTo: -1, decoder, maxBytes: () => 1_000_000, changeLog, log },
      unreadable: new UnreadableBatches('changes', log),
    },
  );
  const read = async (limit: number) => {
    const events = await run.read(reader as unknown as TopicReader, limit);
    return events.map(({ sequence }) => sequence);
  };
  return { read, changeLog };
}

test('INV-7: exactly the missing changes are loaded and reported, although others wait behind them', async () => {
  const { read, changeLog } = startRun([
    [1, 2, 3, 6, 8],
    [7, 9, 10],
  ]);
  expect([await read(100), await read(100)]).toEqual([
    [1, 2, 3],
    [4, 5, 6, 7, 8, 9, 10],
  ]);
  expect(changeLog.load.mock.calls).toEqual([[4, 5]]);
  expect(changeLog.reportFilled.mock.calls).toEqual([[[4, 5]]]);
});

test('INV-7: a hole that is larger than a chunk is loaded in chunks, and each change is reported once', async () => {
  const { read, changeLog } = startRun([[1, 7], []]);
  const chunks = [await read(2), await read(2), await read(2), await read(2), await read(2)];
  expect(chunks).toEqual([[1], [2, 3], [4, 5], [6, 7], [8, 9]]);
  expect(changeLog.reportFilled.mock.calls.flat(2)).toEqual([2, 3, 4, 5, 6, 8, 9]);
});
