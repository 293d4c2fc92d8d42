import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { ChangeLog } from '../../feed/change-log.ts';
import { CHUNK_CHANGES } from '../../feed/chunk-cache.ts';
import { replays } from '../../feed/metrics.ts';
import type { Chunk, ResumePoint } from '../../feed/rendered-event.ts';
import { Replay } from '../../feed/replay.ts';
import { ReplayRun } from '../../feed/replay-run.ts';
import { UnreadableBatches } from '../../feed/unreadable-batches.ts';
import type { PartitionRead } from '../../kafka/reading/partition-read.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import type { Brokers } from '../../service/brokers.ts';
import { createLog } from '../../service/log.ts';
import { createTestTopics } from '../helpers/kafka/topics.ts';
import { writeChanges } from '../helpers/stream/write-changes.ts';
import { until } from '../helpers/until.ts';

const PARTITIONS = 5;
const CHUNKS = 24;
/** The last chunk is half full. */
const LATEST = CHUNKS * CHUNK_CHANGES - CHUNK_CHANGES / 2;
const STREAM = { epoch: 1, foreignUpTo: -1, latest: LATEST };
const BEGINNING: ResumePoint = { sequence: 0, time: 0, offsets: [] };
const KEPT_BYTES = 64 * 1024 * 1024;
/** Smaller than any chunk. */
const KEEPING_NOTHING = 1;

const partitionOf = (sequence: number) => (sequence * 7919) % PARTITIONS;

/** By partition: the offset at which the changes after a sequence begin. */
function offsetsAfter(sequence: number): number[] {
  const offsets = new Array<number>(PARTITIONS).fill(0);
  for (let before = 1; before <= sequence; before += 1) {
    const partition = partitionOf(before);
    offsets[partition] = (offsets[partition] ?? 0) + 1;
  }
  return offsets;
}

const locate = jest.fn<ChangeLog['locate']>(async (sequence) => offsetsAfter(sequence));
const load = jest.fn<ChangeLog['load']>(async () => []);

let options: { brokers: Brokers; topic: string };
let replay: Replay;

beforeAll(async () => {
  const { brokers, prefix } = await createTestTopics({ partitions: PARTITIONS });
  options = { brokers, topic: topicNames(prefix).changes };
  await writeChanges({ ...options, epoch: STREAM.epoch, count: LATEST, atOnce: 500, partitionOf });
});

beforeEach(() => {
  locate.mockClear();
  load.mockClear();
  replay = createReplay(KEPT_BYTES);
});
afterEach(() => replay.close());

function createReplay(cacheBytes: number): Replay {
  const log = createLog('test', 'silent');
  const unreadable = new UnreadableBatches(options.topic, log);
  const changeLog = { load, locate, findFirst: async () => null, reportFilled: () => {} };
  return new Replay({ ...options, expectedId: () => null, cacheBytes, changeLog, unreadable, log });
}

/** Reads to the end and checks that each chunk follows the one before. */
async function readToEnd(start: ResumePoint): Promise<void> {
  for (let resumePoint = start; resumePoint.sequence < LATEST; ) {
    const chunk = await replay.read(resumePoint, STREAM, 1);
    expectFollowing(resumePoint, chunk);
    resumePoint = chunk.resumePoint;
  }
}

function expectFollowing(resumePoint: ResumePoint, chunk: Chunk): void {
  const first = resumePoint.sequence + 1;
  expect(chunk.resumePoint.sequence).toBeGreaterThanOrEqual(first);
  expect(chunk.events).toHaveLength(chunk.resumePoint.sequence - resumePoint.sequence);
  // Jest compares long lists slowly.
  const stray = chunk.events.findIndex(({ sequence }, at) => sequence !== first + at);
  expect(stray).toBe(-1);
}

/** Counts the chunks that are fetched from Kafka during some work. */
async function countFetched(work: () => Promise<void>): Promise<number> {
  const count = async () => (await replays.get()).values[0]?.value ?? 0;
  const before = await count();
  await work();
  return (await count()) - before;
}

describe('INV-10: older changes are read once for all readers', () => {
  test('hundreds of readers of the same days cost the fetches of one', async () => {
    const fetched = await countFetched(async () => {
      await Promise.all(Array.from({ length: 300 }, () => readToEnd(BEGINNING)));
    });
    expect(fetched).toBe(CHUNKS);
  });

  test('later readers, wherever they start, are served from memory up to the last whole chunk', async () => {
    await readToEnd(BEGINNING);
    const fetched = await countFetched(async () => {
      for (const sequence of [0, 1, 999, 1000, 3500, LATEST - 600]) {
        const resumePoint = { ...BEGINNING, sequence };
        expectFollowing(resumePoint, await replay.read(resumePoint, { ...STREAM, latest: sequence }, 1));
      }
    });
    expect(fetched).toBe(0);
  });

  test('without a cache, readers at more places than there are idle runs still get everything', async () => {
    await replay.close();
    replay = createReplay(KEEPING_NOTHING);
    const places = Array.from({ length: 40 }, (_, at) => LATEST - 100 * at);
    await Promise.all(
      places.map((sequence) => readToEnd({ ...BEGINNING, sequence, offsets: offsetsAfter(sequence) })),
    );
  });
});

const read = ReplayRun.prototype.read;
afterEach(() => {
  jest.restoreAllMocks();
});

const pointAfter = (sequence: number): ResumePoint => ({
  ...BEGINNING,
  sequence,
  offsets: offsetsAfter(sequence),
});

describe('INV-15: an account that reads from many places', () => {
  const PLACES = 80;
  /** As many reads as places, since a later place comes first: no read includes another. */
  const readEverywhere = () => {
    const places = Array.from({ length: PLACES }, (_, at) => pointAfter(LATEST - 1 - 100 * at));
    return Promise.all(places.map((place) => replay.read(place, { ...STREAM, latest: 0 }, 1)));
  };
  const first = pointAfter(LATEST - 1 - 100 * (PLACES - 1));

  test.each([
    ['another account that reads from another place', pointAfter(500)],
    ['another account that wants the last of its reads', first],
  ])('does not hold up %s', async (_what, place) => {
    await replay.close();
    replay = createReplay(KEEPING_NOTHING);
    let everywhere: Promise<Chunk[]> | undefined;
    const fetched = await countFetched(async () => {
      everywhere = readEverywhere();
      expectFollowing(place, await replay.read(place, { ...STREAM, latest: 0 }, 2));
    });
    expect(fetched).toBeLessThan(20);
    for (const chunk of (await everywhere) ?? []) expect(chunk.events.length).toBeGreaterThan(0);
  });
});

test('INV-15: of a topic with more partitions, fewer runs are kept for readers to continue', async () => {
  await replay.close();
  replay = createReplay(KEEPING_NOTHING);
  const runs: ReplayRun[] = [];
  jest.spyOn(ReplayRun.prototype, 'read').mockImplementation(function (this: ReplayRun, ...given) {
    runs.push(this);
    return read.apply(this, given);
  });
  const stream = { ...STREAM, latest: 0 };
  await replay.read(pointAfter(0), stream, 1);
  expect(runs[0]?.leastBytes).toBe(PARTITIONS * 2 * 128 * 1024);
  // As of a hundred partitions.
  jest.spyOn(ReplayRun.prototype, 'leastBytes', 'get').mockReturnValue(100 * 2 * 128 * 1024);
  for (const sequence of [2500, 4500, 6500, 8500, 10_500]) await replay.read(pointAfter(sequence), stream, 1);
  for (const sequence of [11_000, 9000, 7000, 5000]) await replay.read(pointAfter(sequence), stream, 1);
  // Three are continued.
  expect(runs.slice(6).map((run) => runs.indexOf(run))).toEqual([5, 4, 3, 9]);
});

describe('a read that another reader joins', () => {
  test('and that ends before that reader begins, or just there, is followed by another read', async () => {
    jest.spyOn(ReplayRun.prototype, 'read').mockImplementationOnce(function (this: ReplayRun, reader) {
      return read.call(this, reader, 100);
    });
    const places = [5000, 5100, 5500].map(pointAfter);
    const chunks = await Promise.all(places.map((place) => replay.read(place, STREAM, 1)));
    for (const [index, chunk] of chunks.entries()) expectFollowing(places[index] as ResumePoint, chunk);
  });

  test('INV-4: has no places for the next one, if the stream moves to another log meanwhile', async () => {
    const runs: ReplayRun[] = [];
    jest.spyOn(ReplayRun.prototype, 'read').mockImplementation(async function (this: ReplayRun, ...given) {
      runs.push(this);
      const events = await read.apply(this, given);
      if (runs.length === 1) replay.forgetPlaces();
      return events;
    });
    const quiet = { ...STREAM, latest: 0 };
    for (let resumePoint = pointAfter(5000), chunk = 0; chunk < 3; chunk += 1) {
      ({ resumePoint } = await replay.read(resumePoint, quiet, 1));
    }
    expect(runs[1]).not.toBe(runs[0]);
    expect(runs[2]).toBe(runs[1]);
  });
});

test('INV-4: a reader that waits for its turn gets no places of a log that the stream leaves meanwhile', async () => {
  const runs: ReplayRun[] = [];
  let mayRead = Promise.resolve();
  jest.spyOn(ReplayRun.prototype, 'read').mockImplementation(async function (this: ReplayRun, ...given) {
    runs.push(this);
    await mayRead;
    return read.apply(this, given);
  });
  const quiet = { ...STREAM, latest: 0 };
  const { resumePoint } = await replay.read(pointAfter(5000), quiet, 1);
  const { promise, resolve } = Promise.withResolvers<void>();
  mayRead = promise;
  const reads = [8000, 10_000, 12_000, 14_000].map((sequence) => replay.read(pointAfter(sequence), quiet, 1));
  reads.push(replay.read(resumePoint, quiet, 1));
  await until('the readers are in use', () => runs.length === 5);
  replay.forgetPlaces();
  resolve();
  await Promise.all(reads);
  expect(runs).toHaveLength(6);
  expect(runs[5]).not.toBe(runs[0]);
});

test('the fetches of one reader grow with its progress; those of many readers stay small', async () => {
  const fetch = jest.spyOn(TopicReader.prototype, 'fetchFromSources');
  const fetchedBytes = () => fetch.mock.calls.map(([, , { partitionMaxBytes }]) => partitionMaxBytes);
  await readToEnd(BEGINNING);
  expect(fetchedBytes()[0]).toBe(128 * 1024);
  expect(Math.max(...fetchedBytes())).toBe(512 * 1024);

  await replay.close();
  replay = createReplay(KEEPING_NOTHING);
  fetch.mockClear();
  // More than the number of kept runs. Each has read one chunk.
  const places = Array.from({ length: 36 }, (_, at) => ({
    ...BEGINNING,
    sequence: 500 * at,
    offsets: offsetsAfter(500 * at),
  }));
  const firsts = await Promise.all(places.map((place) => replay.read(place, { ...STREAM, latest: 0 }, 1)));
  const seconds = firsts.map(({ resumePoint }) => replay.read(resumePoint, { ...STREAM, latest: 0 }, 1));
  await Promise.all(seconds);
  const most = (96 * 1024 * 1024) / 36 / PARTITIONS / 2;
  expect(Math.max(...fetchedBytes())).toBeLessThanOrEqual(most);
});

describe('INV-4: a resume point works with any offsets', () => {
  test('true offsets are enough: the database is not asked', async () => {
    await readToEnd({ ...BEGINNING, sequence: 20_300, offsets: offsetsAfter(20_300) });
    expect(locate).not.toHaveBeenCalled();
  });

  test.each([
    ['of the beginning', new Array<number>(PARTITIONS).fill(0)],
    ['of the end', offsetsAfter(LATEST)],
    ['beyond everything', new Array<number>(PARTITIONS).fill(2 ** 40)],
  ])('with offsets %s, the database is asked instead of reading the whole log', async (_, offsets) => {
    const resumePoint = { ...BEGINNING, sequence: 20_300, offsets };
    expectFollowing(resumePoint, await replay.read(resumePoint, STREAM, 1));
    expect(locate.mock.calls).toEqual([[20_300]]);
  });

  test('with offsets that are true only for the next change, it is returned, and then the database is asked', async () => {
    const next = partitionOf(20_301);
    const offsets = offsetsAfter(20_300).map((offset, partition) => (partition === next ? offset : 0));
    const resumePoint = { ...BEGINNING, sequence: 20_300, offsets };
    const first = await replay.read(resumePoint, STREAM, 1);
    expectFollowing(resumePoint, first);
    expect(locate).not.toHaveBeenCalled();
    expectFollowing(first.resumePoint, await replay.read(first.resumePoint, STREAM, 1));
    expect(locate.mock.calls).toEqual([[20_301]]);
  });

  test('records of an earlier epoch, which are ignored, are searched no further than others', async () => {
    locate.mockResolvedValueOnce(null);
    const fetch = jest.spyOn(TopicReader.prototype, 'fetch');
    const resumePoint = { ...BEGINNING, sequence: 20_300 };
    expect(await replay.read(resumePoint, { ...STREAM, epoch: 2 }, 1)).toEqual({ events: [], resumePoint });
    const answers = fetch.mock.results.map(({ value }) => value as Promise<PartitionRead[]>);
    fetch.mockRestore();
    const reads = (await Promise.all(answers)).flat();
    const fetched = reads.reduce((sum, { records }) => sum + records.length, 0);
    expect(fetched).toBeGreaterThan(5000);
    expect(fetched).toBeLessThan(LATEST / 2);
  });

  test('with any offsets, exactly the following changes are returned', async () => {
    await replay.close();
    replay = createReplay(KEEPING_NOTHING);
    const offset = fc.oneof(fc.nat(LATEST / PARTITIONS), fc.maxSafeNat());
    const resumePoint = fc.record({
      sequence: fc.nat(LATEST - 1),
      time: fc.constant(0),
      offsets: fc.array(offset, { maxLength: 2 * PARTITIONS }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(resumePoint, { minLength: 1, maxLength: 4 }), async (places) => {
        const chunks = await Promise.all(places.map((place) => replay.read(place, STREAM, 1)));
        for (const [index, chunk] of chunks.entries()) expectFollowing(places[index] as ResumePoint, chunk);
      }),
      { numRuns: 8 },
    );
  });

  test('a change that the database lacks too is not searched for', async () => {
    locate.mockResolvedValueOnce(null);
    const resumePoint = { ...BEGINNING, sequence: 20_300, offsets: [0, 0, 0, 0, 0] };
    expect(await replay.read(resumePoint, STREAM, 1)).toEqual({ events: [], resumePoint });
    expect(load).toHaveBeenCalledTimes(1);
  });
});
