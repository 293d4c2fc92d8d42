/** A pass through the changes topic in which changes are missing. */
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { Decoder } from '../../feed/decoder.ts';
import { ReplayRun } from '../../feed/replay-run.ts';
import { UnreadableBatches } from '../../feed/unreadable-batches.ts';
import type { PartitionRead } from '../../kafka/reading/partition-read.ts';
import { OtherTopicError } from '../../kafka/reading/topic-lookup.ts';
import type { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { KafkaUnavailableError } from '../../service/failure.ts';
import { createLog } from '../../service/log.ts';
import { createEvent } from '../helpers/stream/create-event.ts';
import { encodeChange } from '../helpers/stream/write-changes.ts';

const EPOCH = 7;
/** The first sequence of changes whose frames have 37 KB. */
const LARGE_FROM = 100_000;
const log = createLog('test', 'silent');
const decoder = new Decoder();
afterAll(() => decoder.close());

const values = new Map<number, Buffer>();
/** The value of a change; that of sequence 0 has an earlier epoch. */
function encoded(sequence: number): Buffer {
  const statement = sequence >= LARGE_FROM ? 'x'.repeat(36_000) : undefined;
  const value = values.get(sequence) ?? encodeChange(sequence === 0 ? EPOCH - 1 : EPOCH, sequence, statement);
  values.set(sequence, value);
  return value;
}

interface Setting {
  /** The last sequence whose id has offsets of another log. */
  foreignUpTo?: number;
  /** By sequence: the present log's offsets of the changes after it, as far as the database knows them. */
  places?: Record<number, number[]>;
  /** The failures of the first fetches. */
  failures?: Error[];
  /** The sequence after which the run begins. */
  after?: number;
  /** The most records of a partition in a fetch. */
  perFetch?: number;
  /** The bytes that the run may work on. */
  maxBytes?: () => number;
}

/** Reads a topic of two partitions, with these sequences, and a change log that has every change up to 10. */
function startRun(
  partitions: readonly (readonly number[])[],
  {
    foreignUpTo = -1,
    places = {},
    failures = [],
    after = 0,
    perFetch = Number.POSITIVE_INFINITY,
    maxBytes = () => 1_000_000,
  }: Setting = {},
) {
  /** The bytes that each fetch asked for of a partition. */
  const fetchBytes: (number | undefined)[] = [];
  const fetchFromSources: TopicReader['fetchFromSources'] = async (_, offsets, { partitionMaxBytes }) => {
    fetchBytes.push(partitionMaxBytes);
    const failure = failures.shift();
    if (failure) throw failure;
    return [...offsets].map(([partition, from]): PartitionRead => {
      const values = partitions[partition] ?? [];
      const nextOffset = Math.min(values.length, from + perFetch);
      const records = values.slice(from, nextOffset).map((sequence, index) => ({
        ...{ offset: from + index, value: encoded(sequence) },
        ...{ timestamp: 0, key: null, headers: null },
      }));
      const end = values.length;
      const place = { nextOffset, newestAt: 0, end, stableEnd: end };
      return { partition, records, unreadable: [], ...place, atEnd: nextOffset === end, isOutOfRange: false };
    });
  };
  const reader = { sources: async () => [0, 0], refresh: jest.fn(async () => {}), fetchFromSources };
  const changeLog = {
    load: jest.fn(async (from: number, to: number) =>
      Array.from({ length: Math.min(to, 10) - from + 1 }, (_, index) =>
        createEvent({ sequence: from + index }),
      ),
    ),
    reportFilled: jest.fn(),
    locate: jest.fn(async (sequence: number) => places[sequence] ?? null),
    findFirst: async () => null,
  };
  const unreadable = new UnreadableBatches('changes', log);
  const report = jest.spyOn(unreadable, 'report');
  const run = new ReplayRun(
    { sequence: after, time: 0, offsets: [0, 0] },
    { epoch: EPOCH, foreignUpTo, decoder, maxBytes, changeLog, log, unreadable },
  );
  const read = async (limit: number) => {
    const events = await run.read(reader as unknown as TopicReader, limit);
    return events.map(({ sequence }) => sequence);
  };
  return { run, read, changeLog, reader, report, fetchBytes };
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
  expect(changeLog.load.mock.calls).toEqual([
    [2, 3],
    [4, 5],
    [6, 6],
    [8, 9],
  ]);
  expect(changeLog.reportFilled.mock.calls.flat(2)).toEqual([2, 3, 4, 5, 6, 8, 9]);
});

describe('a log that is being written again', () => {
  test('is left out while it lacks the next change; from then on its holes are reported', async () => {
    const places: Record<number, number[]> = {};
    // The offsets of the run are offsets of another log.
    const { read, changeLog } = startRun([[3, 4, 6], []], { foreignUpTo: 9, places });
    expect(await read(2)).toEqual([1, 2]);
    places[2] = [0, 0];
    expect([await read(100), await read(100)]).toEqual([
      [3, 4],
      [5, 6],
    ]);
    expect([changeLog.load.mock.calls, changeLog.reportFilled.mock.calls]).toEqual([
      [
        [1, 2],
        [5, 5],
      ],
      [[[5]]],
    ]);
  });

  test('is left out from the moment at which the topic is another one', async () => {
    const failures = [new OtherTopicError('another topic')];
    const { read, changeLog } = startRun([[1, 2], []], { failures });
    expect(await read(2)).toEqual([1, 2]);
    expect([changeLog.load.mock.calls, changeLog.reportFilled.mock.calls]).toEqual([[[1, 2]], []]);
  });
});

describe('a broker that hands its partitions over', () => {
  const away = () => new KafkaUnavailableError('no broker');

  test('may fail one fetch of a read', async () => {
    const { read, changeLog } = startRun([[1, 2, 3], []], { failures: [away()] });
    expect(await read(100)).toEqual([1, 2, 3]);
    expect(changeLog.load).not.toHaveBeenCalled();
  });

  test('fails the read with the second fetch, and the next read continues', async () => {
    const { read } = startRun([[1, 2, 3], []], { failures: [away(), away()] });
    await expect(read(100)).rejects.toThrow('no broker');
    expect(await read(100)).toEqual([1, 2, 3]);
  });

  test('fails the read at once if the failure is not an outage', async () => {
    const { read } = startRun([[1, 2, 3], []], { failures: [new TypeError('injected')] });
    await expect(read(100)).rejects.toThrow('injected');
  });
});

test('INV-4: the point after an event has the offsets of the first change that was not returned', async () => {
  const { run, read } = startRun([
    [1, 4, 5],
    [2, 3],
  ]);
  expect(await read(2)).toEqual([1, 2]);
  const last = createEvent({ sequence: 2, occurredAt: 1_793_000_000_000 });
  expect(run.resumePointAfter(last)).toEqual({ sequence: 2, time: 1_793_000_000_000, offsets: [1, 1] });
  expect(run.sequence).toBe(2);
});

describe('a cursor whose offsets are far from the next change', () => {
  /** Changes of an earlier epoch. */
  const earlier = (count: number) => Array.from({ length: count }, () => 0);

  test('costs a search of five thousand records, and then continues at the place that the database knows', async () => {
    const setting = { after: 5, perFetch: 700, places: { 5: [5600, 0] } };
    const { read, changeLog, reader } = startRun([[...earlier(5600), 6, 7], []], setting);
    expect(await read(2)).toEqual([6, 7]);
    expect([changeLog.locate.mock.calls, changeLog.load.mock.calls]).toEqual([[[5]], []]);
    expect(reader.refresh).toHaveBeenCalledTimes(1);
  });

  test('counts the records of all partitions', async () => {
    const setting = { after: 5, perFetch: 700, places: { 5: [2800, 2800] } };
    const { read, changeLog } = startRun([[...earlier(2800), 6], earlier(2800)], setting);
    expect([await read(1), changeLog.locate.mock.calls]).toEqual([[6], [[5]]]);
  });

  test('is read on from the change log if the database does not know the place', async () => {
    const { read, changeLog } = startRun([[...earlier(5600), 6], []], { after: 5, perFetch: 700 });
    expect(await read(2)).toEqual([6, 7]);
    expect([changeLog.locate.mock.calls, changeLog.load.mock.calls]).toEqual([[[5]], [[6, 7]]]);
  });

  test('may be almost three thousand records from it, again and again', async () => {
    const setting = { after: 5, perFetch: 700 };
    const log = [...earlier(2800), 6, ...earlier(2800), 7, ...earlier(2800), 8];
    const { read, changeLog } = startRun([log, []], setting);
    expect(await read(3)).toEqual([6, 7, 8]);
    expect(changeLog.locate).not.toHaveBeenCalled();
  });
});

describe('the bytes of a fetch', () => {
  const KIB = 1024;
  const many = Array.from({ length: 10 }, (_, index) => index + 1);
  /** The sizes of the fetches of a run in this order, each once. */
  async function sizes(chunk: number, setting: Setting) {
    const { read, fetchBytes } = startRun([many, []], { perFetch: 1, ...setting });
    for (let chunks = 0; chunks < 6; chunks += 1) await read(chunk);
    return [...new Set(fetchBytes)].map((bytes = 0) => bytes / KIB);
  }

  test('double with each whole chunk', async () => {
    expect(await sizes(1, { maxBytes: () => 64 * KIB * KIB })).toEqual([128, 256, 512]);
  });

  test('are at most half of the share of a partition, and never too few for a batch', async () => {
    expect(await sizes(1, { maxBytes: () => 800 * KIB })).toEqual([128, 200]);
    expect(await sizes(1, { maxBytes: () => 0 })).toEqual([128]);
  });

  test('stay few while the log has no whole chunk', async () => {
    expect(await sizes(100, { maxBytes: () => 64 * KIB * KIB })).toEqual([128]);
  });
});

test('INV-15: a read of large changes ends before its limit', async () => {
  const large = Array.from({ length: 300 }, (_, index) => LARGE_FROM + index);
  const [even, odd] = [0, 1].map((rest) => large.filter((sequence) => sequence % 2 === rest)) as [
    number[],
    number[],
  ];
  const { read } = startRun([even, odd], { after: LARGE_FROM - 1, perFetch: 20 });
  const reads = [];
  for (let left = large.length; left > 0; left -= reads.at(-1)?.length ?? left) reads.push(await read(1000));
  expect(reads.map(({ length }) => length)).toEqual([120, 120, 60]);
  expect(reads.flat()).toEqual(large);
});

test('batches that cannot be read are reported for each partition', async () => {
  const { read, report } = startRun([[1], [2]]);
  await read(2);
  expect(report.mock.calls.map(([{ partition }]) => partition)).toEqual([0, 1]);
});
