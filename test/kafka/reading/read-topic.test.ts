/** Reading a topic once, from a reader of the test. */
import { afterEach, expect, jest, test } from '@jest/globals';
import type { PartitionRead } from '../../../kafka/reading/partition-read.ts';
import { readTopic } from '../../../kafka/reading/read-topic.ts';
import { TopicReader } from '../../../kafka/reading/topic-reader.ts';
import { plaintextBrokers } from '../../../service/brokers.ts';

const BROKERS = plaintextBrokers(['127.0.0.1:1']);
/** By partition: the beginning and the end of its log. */
const BOUNDS = [
  [0, 5],
  [0, 5],
  [2, 4],
].map(([start = 0, end = 0]) => ({ start, end, stableEnd: end }));
/** The number of records of a fetch. */
const BATCH = 2;

afterEach(() => {
  jest.restoreAllMocks();
});

/** The answer for a partition: records, of which the offset 1 cannot be read. */
function readAt(partition: number, from: number, bounds = BOUNDS): PartitionRead {
  const { end, stableEnd } = bounds[partition] ?? { end: 0, stableEnd: 0 };
  const nextOffset = Math.min(end, from + BATCH);
  const offsets = Array.from({ length: nextOffset - from }, (_, index) => from + index);
  const common = { timestamp: 0, key: null, value: null, headers: null };
  const lost = { firstOffset: 1, lastOffset: 1, newestAt: 0, bytes: Buffer.alloc(0), reason: 'lost' };
  return {
    partition,
    records: offsets.filter((offset) => offset !== 1).map((offset) => ({ offset, ...common })),
    unreadable: offsets.includes(1) ? [lost] : [],
    ...{ nextOffset, newestAt: 0, end, stableEnd, atEnd: nextOffset === end, isOutOfRange: false },
  };
}

/**
 * Reads the topic.
 *
 * @param bounds the bounds when the partitions are read
 * @returns the place of each record and each unreadable batch, and the progress
 */
async function read(ends?: Map<number, number>, bounds = BOUNDS) {
  const asked: number[][] = [];
  jest.spyOn(TopicReader.prototype, 'bounds').mockResolvedValue(BOUNDS);
  jest.spyOn(TopicReader.prototype, 'sources').mockResolvedValue([1, 1, 1]);
  jest.spyOn(TopicReader.prototype, 'fetchFromSources').mockImplementation(async (_, offsets) => {
    asked.push([...offsets.keys()]);
    if (asked.length > 9) throw new Error('The reading does not end.');
    return [...offsets].map(([partition, offset]) => readAt(partition, offset, bounds));
  });
  const close = jest.spyOn(TopicReader.prototype, 'close');
  const places: string[] = [];
  const progress: number[][] = [];
  const topic = { brokers: BROKERS, topic: 'topic', clientId: 'test' };
  const onProgress = (done: number, total: number) => progress.push([done, total]);
  for await (const { partition, records, unreadable } of readTopic(
    { ...topic, onProgress },
    undefined,
    ends,
  )) {
    places.push(...records.map(({ offset }) => `${partition}/${offset}`));
    places.push(...unreadable.map(({ firstOffset }) => `${partition}/${firstOffset} unreadable`));
  }
  expect(close).toHaveBeenCalledTimes(1);
  return { places: places.sort(), progress, asked };
}

test('each partition is read from its beginning to its end, and no further fetch asks for it', async () => {
  const { places, progress, asked } = await read();
  expect(places).toEqual([
    ...['0/0', '0/1 unreadable', '0/2', '0/3', '0/4'],
    ...['1/0', '1/1 unreadable', '1/2', '1/3', '1/4', '2/2', '2/3'],
  ]);
  expect(asked).toEqual([
    [0, 1, 2],
    [0, 1],
    [0, 1],
  ]);
  expect([progress[0], progress.at(-1)]).toEqual([
    [2, 12],
    [12, 12],
  ]);
});

test('a partition with an end of its own is read before it, and not at all if nothing is before it', async () => {
  const ends = new Map([
    [0, 3],
    [1, 0],
    [2, 9],
  ]);
  const { places, progress, asked } = await read(ends);
  expect(places).toEqual(['0/0', '0/1 unreadable', '0/2', '2/2', '2/3']);
  expect(asked).toEqual([[0, 2], [0]]);
  expect(progress.at(-1)).toEqual([5, 5]);
});

test('an unreadable batch at or after the end is left out', async () => {
  const { places } = await read(new Map([[0, 1]]));
  expect(places.filter((place) => place.startsWith('0/'))).toEqual(['0/0']);
});

test('a reader that is left early is closed', async () => {
  jest.spyOn(TopicReader.prototype, 'bounds').mockRejectedValue(new Error('no broker'));
  const close = jest.spyOn(TopicReader.prototype, 'close');
  const reading = readTopic({ brokers: BROKERS, topic: 'topic', clientId: 'test' });
  await expect(reading.next()).rejects.toThrow('no broker');
  expect(close).toHaveBeenCalledTimes(1);
});

test('a partition that has lost its newest records meanwhile is read to its present end', async () => {
  const { places, asked } = await read(undefined, [{ start: 0, end: 1, stableEnd: 1 }, ...BOUNDS.slice(1)]);
  expect(places.filter((place) => place.startsWith('0/'))).toEqual(['0/0']);
  expect(asked).toEqual([[0, 1, 2], [1], [1]]);
});

test.each([
  ['before the reading', 0],
  ['during it', 1],
])('a signal that aborts %s closes the reader, so that its requests fail', async (_, begun) => {
  const stopping = new AbortController();
  const close = jest.spyOn(TopicReader.prototype, 'close');
  jest.spyOn(TopicReader.prototype, 'bounds').mockImplementation(async () => {
    if (begun > 0) stopping.abort();
    expect(close).toHaveBeenCalledTimes(1);
    throw new Error('closed');
  });
  if (begun === 0) stopping.abort();
  const topic = { brokers: BROKERS, topic: 'topic', clientId: 'test', signal: stopping.signal };
  await expect(readTopic(topic).next()).rejects.toThrow('closed');
});
