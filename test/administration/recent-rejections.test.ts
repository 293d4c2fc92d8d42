import { afterEach, expect, jest, test } from '@jest/globals';
import { readRejections } from '../../administration/rejections/read-rejections.ts';
import { loadRecentRejections } from '../../administration/rejections/recent.ts';
import { searchRejections } from '../../administration/rejections/search.ts';
import type { PartitionRead } from '../../kafka/reading/partition-read.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { type Rejection, rejectionCodec, submissionCodec } from '../../schemas/submission.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { startKafkajsClient } from '../helpers/kafka/outside-javascript.ts';
import { createTestTopics } from '../helpers/kafka/topics.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

/** The bytes of a rejection, at a second of 1970. */
const rejectedAt = (second: number, values: Partial<Rejection> = {}): Buffer =>
  rejectionCodec.encode({
    ...{ code: 'undecodable', message: 'No.', topic: 'any', partition: 0, offset: second, last_offset: null },
    ...{ rejected_at: second * 1000, value: null, truncated: null, ...values },
  });

/** The rejected topic with these values in one partition. @returns the prefix of the topics, and their brokers */
async function keep(values: readonly Buffer[]) {
  const { prefix: topicPrefix, brokers } = await createTestTopics();
  const producer = await startKafkajsClient(brokers, topicNames(topicPrefix).rejected).open();
  await producer.send(values.map((value) => ({ key: null, partition: 0, value })));
  await producer.close();
  return { topicPrefix, brokers };
}

test('the newest records of each partition are read, and are complete only if no partition has older ones', async () => {
  const { prefix, brokers } = await createTestTopics();
  const producer = await startKafkajsClient(brokers, topicNames(prefix).rejected).open();
  const record = { key: null, partition: 0 };
  const values = [rejectedAt(1), Buffer.from('noise'), rejectedAt(3), rejectedAt(4)];
  await producer.send(values.map((value) => ({ ...record, value })));
  await producer.send([{ ...record, partition: 1, value: rejectedAt(2) }]);
  await producer.close();

  const load = async (ofPartition: number) => {
    const { rejections, strangers, before } = await loadRecentRejections(
      { brokers, topicPrefix: prefix },
      ofPartition,
    );
    return { seconds: rejections.map(({ offset }) => offset), strangers, isComplete: before === null };
  };
  expect(await load(1)).toEqual({ seconds: [2, 4], strangers: 0, isComplete: false });
  expect(await load(3)).toEqual({ seconds: [2, 3, 4], strangers: 1, isComplete: false });
  expect(await load(4)).toEqual({ seconds: [1, 2, 3, 4], strangers: 1, isComplete: true });
  expect(await load(100)).toEqual({ seconds: [1, 2, 3, 4], strangers: 1, isComplete: true });
});

test('an earlier page has nothing of a partition that was added after the page before it', async () => {
  const { prefix: topicPrefix, brokers } = await createTestTopics();
  const producer = await startKafkajsClient(brokers, topicNames(topicPrefix).rejected).open();
  await producer.send([1, 3].map((second) => ({ key: null, partition: 0, value: rejectedAt(second) })));
  await producer.send([{ key: null, partition: 1, value: rejectedAt(2) }]);
  await producer.close();
  const { rejections, before } = await loadRecentRejections({ brokers, topicPrefix }, 100, new Map([[0, 1]]));
  expect([rejections.map(({ offset }) => offset), before]).toEqual([[1], null]);
});

test("another program's records, records with an impossible time, and unreadable batches are strangers", async () => {
  const place = await keep([rejectedAt(1), Buffer.from('noise'), rejectedAt(2, { rejected_at: 9e15 })]);
  const fetch = TopicReader.prototype.fetchFromSources;
  jest.spyOn(TopicReader.prototype, 'fetchFromSources').mockImplementation(async function (
    this: TopicReader,
    ...given
  ) {
    const [first, ...others] = await fetch.apply(this, given);
    const reason = 'It is damaged.';
    const unreadable = [{ firstOffset: 0, lastOffset: 0, newestAt: 0, bytes: Buffer.alloc(0), reason }];
    return [{ ...(first as PartitionRead), unreadable }, ...others];
  });
  const { rejections, strangers } = await loadRecentRejections(place, 100);
  expect([rejections.map(({ offset }) => offset), strangers]).toEqual([[1], 3]);
});

test('a rejection is a duplicate only if its origin and its bytes are the same', async () => {
  const shortened = (byte: number) => ({
    ...{ value: Buffer.from('beginning'), truncated: { size: 9_000_000, sha256: Buffer.alloc(32, byte) } },
  });
  const different = [
    rejectedAt(1),
    rejectedAt(2),
    rejectedAt(1, { partition: 1 }),
    rejectedAt(1, { topic: 'other' }),
    rejectedAt(1, { value: Buffer.from('a') }),
    rejectedAt(1, { value: Buffer.from('b') }),
    rejectedAt(1, shortened(1)),
    rejectedAt(1, shortened(2)),
  ];
  const again = rejectedAt(1, { ...shortened(2), rejected_at: 5000 });
  const { rejections } = await loadRecentRejections(await keep([...different, again]), 100);
  expect(rejections).toHaveLength(different.length);
});

test('a page is in the order of time, and its reading tells its progress', async () => {
  const { topicPrefix, brokers } = await keep([3, 1, 2].map((second) => rejectedAt(second)));
  const { rejected: topic } = topicNames(topicPrefix);
  const onProgress = jest.fn();
  const pages: number[][] = [];
  for await (const { rejections } of readRejections({ brokers, topic, onProgress })) {
    pages.push(rejections.map(({ offset }) => offset));
  }
  expect(pages).toEqual([[1, 2, 3]]);
  expect(onProgress).toHaveBeenLastCalledWith(3, 3);
});

test('a search reads on until it finds, and tells of each match where a reading begins that has it', async () => {
  const codes = [
    'unknown_choice',
    'undecodable',
    'undecodable',
    'unknown_choice',
    'undecodable',
    'undecodable',
  ];
  const values = codes.map((code, index) => rejectedAt(index + 1, { code: code as Rejection['code'] }));
  const place = await keep(values);
  const search = { code: 'unknown_choice', endorser: null, since: null };
  const { found, places, before } = await searchRejections(place, search, { ofPartition: 2, before: null });
  expect(found.map(({ offset }) => offset)).toEqual([1, 4]);
  expect(before).toBeNull();
  for (const match of found) {
    const read = await loadRecentRejections(place, 2, places.get(match));
    expect(read.rejections.map(({ offset }) => offset)).toContain(match.offset);
  }
});

test('a search from a time on offers older rejections only until it has read past that time', async () => {
  const place = await keep([1, 2, 3, 4].map((second) => rejectedAt(second)));
  const find = async (since: number, before: ReadonlyMap<number, number> | null = null) => {
    const search = { code: null, endorser: null, since: since * 1000 };
    const { found, before: older } = await searchRejections(place, search, { ofPartition: 2, before });
    return { seconds: found.map(({ offset }) => offset), older };
  };
  expect(await find(4)).toEqual({ seconds: [4], older: null });
  const { seconds, older } = await find(2);
  expect(seconds).toEqual([3, 4]);
  expect(await find(2, older)).toEqual({ seconds: [2], older: null });
});

test('a partition that was read past a time does not end the search in one that has more', async () => {
  const { prefix: topicPrefix, brokers } = await createTestTopics();
  const producer = await startKafkajsClient(brokers, topicNames(topicPrefix).rejected).open();
  const send = (partition: number, seconds: number[]) =>
    producer.send(seconds.map((second) => ({ key: null, partition, value: rejectedAt(second) })));
  await send(0, [5, 6, 7, 8]);
  await send(1, [1, 2, 3]);
  await producer.close();
  const search = { code: null, endorser: null, since: 5000 };
  const pages: number[][] = [];
  let before: ReadonlyMap<number, number> | null = null;
  do {
    const read = await searchRejections({ brokers, topicPrefix }, search, { ofPartition: 2, before });
    pages.push(read.found.map(({ offset }) => offset));
    before = read.before;
  } while (before !== null && pages.length < 5);
  expect(pages).toEqual([
    [7, 8],
    [5, 6],
  ]);
});

test('a search that finds nothing ends after five readings, and continues where it ended', async () => {
  const place = await keep(
    Array.from({ length: 12 }, (_, at) =>
      rejectedAt(at + 1, { code: at === 0 || at === 11 ? 'unknown_choice' : 'undecodable' }),
    ),
  );
  const search = (before: ReadonlyMap<number, number> | null) =>
    searchRejections(
      place,
      { code: 'unknown_choice', endorser: null, since: null },
      { ofPartition: 2, before },
    );
  const first = await search(null);
  expect(first.found.map(({ offset }) => offset)).toEqual([12]);
  expect(first.rejections.map(({ offset }) => offset)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(first.before?.get(0)).toBe(2);
  const second = await search(first.before);
  expect([second.found.map(({ offset }) => offset), second.before]).toEqual([[1], null]);
});

test('a search that has found twenty reads no further, and one without a wish reads once', async () => {
  const place = await keep(Array.from({ length: 33 }, (_, at) => rejectedAt(at + 1)));
  const count = async (code: string | null) => {
    const search = { code, endorser: null, since: null };
    const { found, before } = await searchRejections(place, search, { ofPartition: 10, before: null });
    return [found.length, before?.get(0)];
  };
  expect(await count('undecodable')).toEqual([20, 13]);
  expect(await count(null)).toEqual([10, 23]);
});

test('a search for an endorser finds readable submissions only, by the one form of its name', async () => {
  const value = (by: string) => submissionCodec.encode(endorse(by, 'mayor', 'ann'));
  const place = await keep([
    rejectedAt(1, { value: value('coast-gazette ') }),
    rejectedAt(2, { value: value('nation-herald') }),
    rejectedAt(3),
  ]);
  const search = { code: null, endorser: 'coast-gazette', since: null };
  const { found } = await searchRejections(place, search, { ofPartition: 10, before: null });
  expect(found.map(({ offset }) => offset)).toEqual([1]);
});
