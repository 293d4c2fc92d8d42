/** How a reader continues after every kind of answer of its brokers. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { writeBatch } from '../../../kafka/protocol/write-batch.ts';
import type { PartitionRead } from '../../../kafka/reading/partition-read.ts';
import { type LocalAnswer, LocalBrokers } from '../../helpers/kafka/local-brokers.ts';

const LIMITS = { maxWaitMs: 500, partitionMaxBytes: 1000 };
const [OUT_OF_RANGE, NOT_LEADER, UNAUTHORIZED] = [1, 6, 29];
/** The time for which a replica is read before its leader is asked again, in milliseconds. */
const TRUSTED_MS = 10_000;

let brokers: LocalBrokers;
beforeEach(() => {
  brokers = new LocalBrokers([1, 1]);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const both = new Map([
  [0, 5],
  [1, 6],
]);
const partitionsOf = (reads: readonly PartitionRead[]) => reads.map(({ partition }) => partition);

/** A batch of one record at an offset. */
function batchAt(offset: number): Buffer {
  const producer = { producerId: 1n, producerEpoch: 0, firstSequence: 0 };
  const batch = writeBatch([{ key: 'k', value: Buffer.from(`${offset}`) }], producer, 1000);
  batch.writeBigInt64BE(BigInt(offset), 0);
  return batch;
}

describe('an error', () => {
  test('of one partition leaves the others readable, and the leaders are asked for at once', async () => {
    const reader = brokers.read();
    await reader.sources();
    brokers.answer = (partition) => (partition === 0 ? { errorCode: NOT_LEADER } : {});
    brokers.leaders = [2, 1];
    expect(partitionsOf(await reader.fetch(1, both, LIMITS))).toEqual([1]);
    expect([brokers.lookUps, await reader.sources()]).toEqual([2, [2, 1]]);
  });

  test.each<[string, () => void, string]>([
    [
      'of all partitions',
      () => {
        brokers.answer = () => ({ errorCode: NOT_LEADER });
      },
      'NOT_LEADER_OR_FOLLOWER',
    ],
    [
      'of the whole request',
      () => {
        brokers.errorCode = NOT_LEADER;
      },
      'NOT_LEADER_OR_FOLLOWER',
    ],
    [
      'that Kafka does not list',
      () => {
        brokers.errorCode = 9999;
      },
      'error 9999',
    ],
    [
      'for a missing right',
      () => {
        brokers.answer = () => ({ errorCode: UNAUTHORIZED });
      },
      'Read on the topic "topic"',
    ],
    [
      'of the connection',
      () => {
        brokers.answer = () => {
          throw new Error('The connection is lost.');
        };
      },
      'The connection is lost.',
    ],
  ])('%s fails the fetch, and the next look asks for the leaders', async (_, fail, message) => {
    const reader = brokers.read();
    expect(await reader.sources()).toEqual([1, 1]);
    fail();
    brokers.leaders = [2, 3];
    await expect(reader.fetch(1, both, LIMITS)).rejects.toThrow(message);
    expect(await reader.sources()).toEqual([2, 3]);
  });

  test('makes a reader ask the broker for its version again, which may have changed', async () => {
    const reader = brokers.read();
    for (const node of [1, 1, 2]) await reader.fetch(node, both, LIMITS);
    expect(brokers.versions).toEqual([1, 2]);
    brokers.errorCode = NOT_LEADER;
    await expect(reader.fetch(1, both, LIMITS)).rejects.toThrow();
    brokers.errorCode = 0;
    for (const node of [1, 2]) await reader.fetch(node, both, LIMITS);
    expect(brokers.versions).toEqual([1, 2, 1]);
  });
});

describe('an offset that the leader refuses', () => {
  beforeEach(() => {
    brokers.bounds = [0, 1].map(() => ({ start: 10, stableEnd: 18, end: 20 }));
  });

  test.each([
    ['before the log', 9, { nextOffset: 10, isOutOfRange: true, atEnd: false }],
    ['at its beginning meanwhile', 10, { nextOffset: 10, isOutOfRange: false, atEnd: false }],
    ['at its end meanwhile', 20, { nextOffset: 20, isOutOfRange: false, atEnd: true }],
    ['beyond its end', 21, { nextOffset: 10, isOutOfRange: true, atEnd: false }],
  ])('%s continues where the log allows it', async (_, offset, expected) => {
    brokers.answer = () => ({ errorCode: OUT_OF_RANGE });
    const [read] = await brokers.read().fetch(1, new Map([[0, offset]]), LIMITS);
    expect(read).toMatchObject({ partition: 0, records: [], end: 20, stableEnd: 18, ...expected });
  });

  test('does not continue in a topic that was made anew meanwhile', async () => {
    const { topicId } = brokers;
    const reader = brokers.read({ expectedId: () => topicId });
    await reader.sources();
    brokers.topicId = '00000000-0000-0000-0000-000000000002';
    brokers.answer = () => ({ errorCode: OUT_OF_RANGE });
    await expect(reader.fetch(1, both, LIMITS)).rejects.toThrow('not the one that this database knows');
  });

  test('is at the end of committed records where an open transaction begins', async () => {
    brokers.answer = () => ({ errorCode: OUT_OF_RANGE });
    const read = (committed: boolean) => brokers.read({ committed }).fetch(1, new Map([[0, 18]]), LIMITS);
    expect((await read(true))[0]?.atEnd).toBe(true);
    expect((await read(false))[0]?.atEnd).toBe(false);
    expect(brokers.fetches.map(({ committed }) => committed)).toEqual([true, false]);
  });

  test('neither hides the records of other partitions nor fails because of their errors', async () => {
    brokers.leaders = [1, 1, 1];
    brokers.answer = (partition) =>
      [{ errorCode: OUT_OF_RANGE }, { bytes: batchAt(6) }, { errorCode: NOT_LEADER }][partition] ?? {};
    const reads = await brokers.read().fetch(1, new Map([...both, [2, 7]]), LIMITS);
    const found = reads.map(({ partition, nextOffset, records }) => [partition, nextOffset, records.length]);
    expect(found.sort()).toEqual([
      [0, 10, 0],
      [1, 7, 1],
    ]);
  });
});

describe('a replica that the leader names', () => {
  /** A reader near broker 2, which has a replica of each partition. */
  async function readNearby() {
    const reader = brokers.read({}, 'b');
    brokers.answer = (_, node) => (node === 1 ? { preferredReplica: 2 } : {});
    await reader.fetch(1, both, LIMITS);
    expect(await reader.sources()).toEqual([2, 2]);
    brokers.fetches.length = 0;
    return reader;
  }

  test.each<[string, () => LocalAnswer]>([
    [
      'does not answer',
      () => {
        throw new Error('The connection was lost.');
      },
    ],
    ['lacks the offset', () => ({ errorCode: OUT_OF_RANGE })],
    ['is not a replica any more', () => ({ errorCode: NOT_LEADER })],
  ])('and that %s is left for the leader at once', async (_, replica) => {
    const reader = await readNearby();
    brokers.answer = (_partition, node) => (node === 2 ? replica() : {});
    const reads = await reader.fetch(2, both, LIMITS).catch(() => []);
    expect([reads, await reader.sources()]).toEqual([[], [1, 1]]);
  });

  test('is not read once its broker has left the cluster', async () => {
    const reader = await readNearby();
    brokers.nodes = [1, 3];
    await reader.refresh();
    expect(await reader.sources()).toEqual([1, 1]);
  });

  test('is read until its leader is asked again, whose answer counts at once', async () => {
    const now = performance.now.bind(performance);
    let laterMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
    const reader = await readNearby();
    await reader.fetch(2, both, LIMITS);
    laterMs = TRUSTED_MS;
    brokers.answer = (partition, node) => {
      if (node === 1 && partition === 0) return { preferredReplica: 2 };
      return { bytes: batchAt(partition + 5) };
    };
    const reads = await reader.fetch(2, both, LIMITS);
    expect(
      reads
        .filter(({ records }) => records.length > 0)
        .map(({ partition }) => partition)
        .sort(),
    ).toEqual([0, 1]);
    expect(brokers.fetches.map(({ node, offsets, maxWaitMs }) => [node, offsets, maxWaitMs])).toEqual([
      [2, { 0: 5, 1: 6 }, 500],
      [1, { 0: 5, 1: 6 }, 0],
      [2, { 0: 5 }, 500],
    ]);
    expect(await reader.sources()).toEqual([2, 1]);
  });

  test('and that lags behind is not at the end before it has what the leader has', async () => {
    const reader = await readNearby();
    brokers.answer = () => ({ highWatermark: 6, lastStableOffset: 6 });
    const reads = await reader.fetch(2, both, LIMITS);
    expect(reads.map(({ end, stableEnd, atEnd }) => [end, stableEnd, atEnd])).toEqual([
      [10, 10, false],
      [10, 10, false],
    ]);
  });

  test('is not asked for nothing once its leader answers instead', async () => {
    const reader = await readNearby();
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + TRUSTED_MS);
    brokers.answer = () => ({});
    expect(await reader.fetch(2, both, LIMITS)).toHaveLength(2);
    expect(brokers.fetches.map(({ node }) => node)).toEqual([1]);
  });

  test('is left out by a fetch from the leader', async () => {
    const reader = await readNearby();
    brokers.answer = () => ({ bytes: batchAt(5) });
    const read = await reader.fetchFromLeader(0, 5, LIMITS);
    expect([read?.records.length, brokers.fetches]).toEqual([
      1,
      [{ node: 1, rack: '', committed: false, maxWaitMs: 500, offsets: { 0: 5 } }],
    ]);
    await reader.fetch(2, both, LIMITS);
    expect(brokers.fetches.at(-1)?.rack).toBe('b');
  });
});

test('partitions are fetched from the brokers that have them, each once', async () => {
  const reads = await brokers.read().fetchFromSources([2, 3], both, LIMITS);
  expect(partitionsOf(reads).sort()).toEqual([0, 1]);
  expect(brokers.fetches.map(({ node, offsets }) => [node, offsets])).toEqual([
    [2, { 0: 5 }],
    [3, { 1: 6 }],
  ]);
});

test('a broker that the cluster does not have is not asked', async () => {
  await expect(brokers.read().fetch(7, both, LIMITS)).rejects.toThrow('The cluster has no broker 7.');
  expect(brokers.fetches).toEqual([]);
});
