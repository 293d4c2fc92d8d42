import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Backlog } from '../../consumers/apply/backlog.ts';
import type { PartitionRead } from '../../kafka/reading/partition-read.ts';
import { OtherTopicError } from '../../kafka/reading/topic-lookup.ts';
import type { FetchLimits, TopicReader } from '../../kafka/reading/topic-reader.ts';
import { KafkaUnavailableError } from '../../service/failure.ts';
import { createLog } from '../../service/log.ts';
import { settle } from '../helpers/service/manual-clock.ts';
import { until } from '../helpers/until.ts';

const never = new AbortController().signal;
let backlog: Backlog;
/** The answer that comes at the end of a test. */
let held: PromiseWithResolvers<PartitionRead[]>;
beforeEach(() => {
  held = Promise.withResolvers();
});
afterEach(async () => {
  jest.restoreAllMocks();
  held.resolve([]);
  await backlog.stop();
});

interface Topic {
  /** By partition: its broker. */
  sources: number[];
  fetch: (
    node: number,
    offsets: ReadonlyMap<number, number>,
    limits: FetchLimits,
  ) => PartitionRead[] | Promise<PartitionRead[]>;
  wasTruncated?: (partitions: readonly number[]) => Promise<boolean>;
}

/** Starts a backlog of a topic in memory. */
function start(topic: Topic): void {
  const reader = {
    sources: async () => topic.sources,
    fetch: async (...asked: Parameters<Topic['fetch']>) => topic.fetch(...asked),
  } as unknown as TopicReader;
  const offsets = topic.sources.map(() => 0);
  const { wasTruncated = async () => false } = topic;
  backlog = new Backlog(reader, offsets, wasTruncated, createLog('consumers', 'silent'));
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

/** Takes until nothing waits. @returns the offsets of the submissions of partition 0 */
async function takeAll(): Promise<number[]> {
  const offsets: number[] = [];
  for (;;) {
    const ranges = await backlog.take(10_000, 0, never);
    if (ranges.length === 0) return offsets;
    const own = ranges.filter((range) => range.partition === 0);
    offsets.push(...own.flatMap(({ records }) => records.map(({ offset }) => offset)));
  }
}

const countTo = (end: number) => Array.from({ length: end }, (_, offset) => offset);

test('submissions from many small fetches are taken together', async () => {
  let fetches = 0;
  start({
    sources: [1],
    fetch: (_, offsets) => {
      const offset = offsets.get(0) ?? 0;
      fetches += 1;
      return offset === 5 ? held.promise : [readOf(0, offset, 1)];
    },
  });
  await until('the sixth fetch', () => fetches === 6);
  const ranges = await backlog.take(4, 0, never);
  expect(ranges.map(({ from, to, appendedAt }) => [from, to, appendedAt])).toEqual([[0, 4, 1003]]);
  expect(ranges[0]?.records.map(({ offset }) => offset)).toEqual([0, 1, 2, 3]);
  const [rest] = await backlog.take(4, 0, never);
  expect([rest?.from, rest?.to]).toEqual([4, 5]);
});

test('INV-14: a full partition is not fetched, however small the parts are in which it is taken', async () => {
  // Of a value that is not a submission, so much is kept. Some 63 of them are the bytes that may wait.
  const value = Buffer.alloc(64 * 1024);
  let taken = 0;
  let mostWaiting = 0;
  const fetch: Topic['fetch'] = (_, offsets) => {
    const offset = offsets.get(0) ?? 0;
    mostWaiting = Math.max(mostWaiting, offset - taken);
    return [readOf(0, offset, 40, value)];
  };
  start({ sources: [1], fetch });
  for (; taken < 60; taken += 1) {
    expect((await backlog.take(1, 5000, never))[0]?.records).toHaveLength(1);
    await settle();
  }
  expect(mostWaiting).toBeGreaterThan(30);
  // The last one is not counted as taken yet.
  expect(mostWaiting).toBeLessThanOrEqual(65);
});

test('INV-15: nothing is fetched while the submissions of all partitions fill 64 MB, and again after a take', async () => {
  const [partitions, count, value] = [20, 60, Buffer.alloc(64 * 1024)];
  let fetches = 0;
  const fetch: Topic['fetch'] = (_, offsets) => {
    fetches += 1;
    if (fetches > 1) return held.promise;
    return [...offsets].map(([partition, offset]) => readOf(partition, offset, count, value));
  };
  start({ sources: Array(partitions).fill(1), fetch });
  await until('the answer is read', () => backlog.lag.every(({ toEnd }) => toEnd === count));
  await settle();
  expect(fetches).toBe(1);
  expect(await backlog.take(1000, 0, never)).not.toEqual([]);
  await until('the next fetch', () => fetches === 2);
});

test('a broker delays an empty answer only briefly while one of its partitions is full', async () => {
  const waits: number[] = [];
  const fetch: Topic['fetch'] = (_, offsets, { maxWaitMs }) => {
    waits.push(maxWaitMs);
    return waits.length > 1 ? held.promise : [readOf(0, offsets.get(0) ?? 0, 70, Buffer.alloc(64 * 1024))];
  };
  start({ sources: [1, 1], fetch });
  await until('the second fetch', () => waits.length === 2);
  expect(waits).toEqual([500, 50]);
});

test('INV-14: a busy partition, whose submissions fill each take, does not starve the others', async () => {
  let fetches = 0;
  const fetch = () => {
    fetches += 1;
    return fetches > 1 ? held.promise : [readOf(0, 0, 100), readOf(1, 0, 100), readOf(2, 0, 1)];
  };
  start({ sources: [1, 1, 1], fetch });
  await until('the second fetch', () => fetches === 2);
  const takes: (number | undefined)[][] = [];
  for (let take = 0; take < 3; take += 1) {
    takes.push((await backlog.take(10, 0, never)).map(({ partition }) => partition));
  }
  expect(takes).toEqual([[0], [1], [2, 0]]);
});

test('INV-14: submissions of all partitions are taken together up to a number of bytes, and all in the end', async () => {
  const [partitions, count, value] = [5, 60, Buffer.alloc(64 * 1024)];
  let fetches = 0;
  const fetch = () => {
    fetches += 1;
    if (fetches > 1) return held.promise;
    return Array.from({ length: partitions }, (_, partition) => readOf(partition, 0, count, value));
  };
  start({ sources: Array(partitions).fill(1), fetch });
  await until('the second fetch', () => fetches === 2);
  const taken: number[] = [];
  for (let take = 0; take < 3; take += 1) {
    const ranges = await backlog.take(1000, 0, never);
    taken.push(ranges.reduce((sum, { records }) => sum + records.length, 0));
  }
  const most = Math.ceil((16 * 1024 * 1024) / value.length);
  expect(taken[0]).toBeGreaterThan(most - 10);
  expect(taken[0]).toBeLessThanOrEqual(most);
  expect([(taken[0] ?? 0) + (taken[1] ?? 0), taken[2]]).toEqual([partitions * count, 0]);
});

test('reading is not healthy before the first look, and while no partition has a leader', async () => {
  start({ sources: [-1], fetch: () => [] });
  expect(backlog.isHealthy).toBe(false);
  await settle();
  expect(backlog.isHealthy).toBe(false);
});

test('INV-14: each fetch asks for another partition first, because the last ones may find no room', async () => {
  const first: (number | undefined)[] = [];
  const fetch: Topic['fetch'] = (_, offsets) => {
    first.push([...offsets.keys()][0]);
    return first.length === 6 ? held.promise : [];
  };
  start({ sources: [1, 1, 1], fetch });
  await until('six fetches', () => first.length === 6);
  expect(first).toEqual([1, 2, 0, 1, 2, 0]);
});

describe('INV-8: while a partition moves to another broker', () => {
  /** Two brokers have fetched the first partition from its beginning, and answer when the test says so. */
  async function startMoving() {
    const [former, present] = [
      Promise.withResolvers<PartitionRead[]>(),
      Promise.withResolvers<PartitionRead[]>(),
    ];
    const topic: Topic = { sources: [1, 2], fetch: () => held.promise };
    const asked: string[] = [];
    topic.fetch = (node, offsets) => {
      const from = offsets.get(0);
      asked.push(`${node} from ${from}`);
      if (node === 1) return former.promise;
      if (from === undefined) {
        topic.sources = [2, 2];
        return [];
      }
      if (from === 0) return present.promise;
      return from < 2500 ? [readOf(0, from, 2500 - from)] : held.promise;
    };
    start(topic);
    await until('both have asked', () => asked.includes('1 from 0') && asked.includes('2 from 0'));
    return { former, present, asked };
  }

  test('a late answer of its former broker changes nothing', async () => {
    const { former, present, asked } = await startMoving();
    present.resolve([readOf(0, 0, 500)]);
    await until('everything is read', () => asked.includes('2 from 2500'));
    former.resolve([readOf(0, 0, 3)]);
    await settle();
    expect(await takeAll()).toEqual(countTo(2500));
  });

  test('a long answer of its former broker, read in turn with answers of the other, adds nothing twice', async () => {
    const { former, present, asked } = await startMoving();
    former.resolve([readOf(0, 0, 2500)]);
    present.resolve([readOf(0, 0, 500)]);
    await until('everything is read', () => asked.includes('2 from 2500'));
    await settle();
    expect(await takeAll()).toEqual(countTo(2500));
  });
});

test('a partition without a leader is not asked for, and an added one is read from its beginning', async () => {
  const asked: [number, number[][]][] = [];
  const topic: Topic = {
    sources: [1, -1],
    fetch: (node, offsets) => {
      asked.push([node, [...offsets].sort()]);
      topic.sources = [1, -1, 1];
      return asked.length === 1 ? [readOf(0, 0, 3)] : held.promise;
    },
  };
  start(topic);
  await until('the second fetch', () => asked.length === 2);
  expect(asked).toEqual([
    [1, [[0, 0]]],
    [
      1,
      [
        [0, 3],
        [2, 0],
      ],
    ],
  ]);
  expect(backlog.lag.map(({ partition }) => partition)).toEqual([0, 1, 2]);
});

test.each([
  ['has a leader again', -1],
  ['has another leader after a failure', 3],
])('a partition that %s is not read before it is known not to be rolled back', async (_, former) => {
  const steps: string[] = [];
  const topic: Topic = {
    sources: [1, former],
    fetch: (node, offsets) => {
      const isFirst = topic.sources[1] === former;
      topic.sources = [1, 2];
      if (node === former) throw new KafkaUnavailableError('away');
      if (offsets.has(1)) steps.push(`fetch of ${[...offsets.keys()]}`);
      return isFirst || steps.length === 2 ? [] : held.promise;
    },
    wasTruncated: async (partitions) => {
      steps.push(`look at ${partitions}`);
      return false;
    },
  };
  start(topic);
  await until('the partition is read twice', () => steps.length > 2);
  expect(steps).toEqual(['look at 1', 'fetch of 1', 'fetch of 1']);
});

test('a partition whose broker changes while it is looked at is looked at again', async () => {
  const asked: number[] = [];
  const answers = new Map<number, () => void>();
  const looks: PromiseWithResolvers<boolean>[] = [];
  const topic: Topic = {
    sources: [1, -1, 3],
    fetch: (node) => {
      asked.push(node);
      const answer = Promise.withResolvers<PartitionRead[]>();
      answers.set(node, () => answer.resolve([]));
      return Promise.race([answer.promise, held.promise]);
    },
    wasTruncated: (partitions) => {
      expect(partitions).toEqual([1]);
      looks.push(Promise.withResolvers());
      return looks.at(-1)?.promise ?? Promise.resolve(false);
    },
  };
  const answerOf = async (node: number) => {
    const before = asked.length;
    answers.get(node)?.();
    await until('the next fetch', () => asked.slice(before).includes(node));
  };
  start(topic);
  await until('both brokers are asked', () => asked.length === 2);
  topic.sources = [1, 2, 3];
  await answerOf(1);
  await until('the look', () => looks.length === 1);
  topic.sources = [1, 3, 3];
  await answerOf(1);
  looks[0]?.resolve(false);
  await until('the former broker is asked', () => asked.includes(2));
  answers.get(3)?.();
  await until('the other look', () => looks.length === 2);
  looks[1]?.resolve(false);
});

test('reading is not healthy while a partition has no leader', async () => {
  const healthy: boolean[] = [];
  const topic: Topic = {
    sources: [1, -1],
    fetch: () => {
      healthy.push(backlog.isHealthy);
      topic.sources = [1, 1];
      return healthy.length === 2 ? held.promise : [];
    },
  };
  start(topic);
  await until('both are read', () => healthy.length === 2);
  expect(healthy).toEqual([false, true]);
});

test('the lag counts what is not applied, to the end of the log and to the last stable offset', async () => {
  let fetches = 0;
  start({
    sources: [1],
    fetch: () => {
      fetches += 1;
      return fetches > 1 ? held.promise : [{ ...readOf(0, 0, 3), end: 10, stableEnd: 2 }];
    },
  });
  await until('the second fetch', () => fetches === 2);
  expect(backlog.lag).toEqual([{ partition: 0, applied: 0, toEnd: 10, toStableEnd: 2 }]);
  backlog.applied(await backlog.take(10, 0, never));
  expect(backlog.lag).toEqual([{ partition: 0, applied: 3, toEnd: 7, toStableEnd: 0 }]);
});

test.each<[string, Topic['fetch'], string]>([
  [
    'lacks the next offset',
    () => [{ ...readOf(0, 0, 0), nextOffset: 5, isOutOfRange: true }],
    'no longer has offset 0',
  ],
  ['was made anew', () => Promise.reject(new OtherTopicError('submissions')), 'made anew'],
  [
    'was rolled back during an outage',
    () => Promise.reject(new KafkaUnavailableError('away')),
    'rolled back',
  ],
])('INV-8: reading ends once the topic %s', async (_, fetch, message) => {
  start({ sources: [1], fetch, wasTruncated: async () => true });
  await expect(backlog.take(1, 5000, never)).rejects.toThrow(message);
  await expect(backlog.take(1, 0, never)).rejects.toThrow(message);
});

test('reading is not healthy from a failure until the topic can be looked at again', async () => {
  // As in a process that has just started.
  const now = performance.now.bind(performance);
  const startedAt = now();
  jest.spyOn(performance, 'now').mockImplementation(() => now() - startedAt);
  const healthy: Record<string, boolean> = {};
  let fetches = 0;
  let looks = 0;
  start({
    sources: [1],
    fetch: () => {
      fetches += 1;
      healthy[`at fetch ${fetches}`] = backlog.isHealthy;
      if (fetches === 2) throw new KafkaUnavailableError('no broker');
      return fetches === 1 ? [readOf(0, 0, 1)] : held.promise;
    },
    wasTruncated: async () => {
      looks += 1;
      healthy[`at look ${looks}`] = backlog.isHealthy;
      if (looks === 1) throw new KafkaUnavailableError('still no broker');
      return false;
    },
  });
  await until('the third fetch', () => fetches === 3);
  expect(healthy).toEqual({
    'at fetch 1': true,
    'at fetch 2': true,
    'at look 1': false,
    'at look 2': false,
    'at fetch 3': true,
  });
});
