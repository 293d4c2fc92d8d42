/** The replicas that leaders have named. nearby-replicas.test.ts reads from real ones. */
import { beforeEach, expect, test } from '@jest/globals';
import { NearbyReplicas } from '../../../kafka/reading/nearby-replicas.ts';
import { TopicReader } from '../../../kafka/reading/topic-reader.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

const ENDS = { end: 10, stableEnd: 8 };
let clock: ManualClock;
let replicas: NearbyReplicas;

beforeEach(() => {
  clock = new ManualClock();
  replicas = new NearbyReplicas(clock);
});

test('leaders are asked again about the replicas of a broker after ten seconds, and each answer counts anew', async () => {
  replicas.note(0, 2, ENDS);
  replicas.note(1, 3, ENDS);
  await clock.advance(5000);
  replicas.note(2, 2, ENDS);
  await clock.advance(4999);
  expect(replicas.findStale(2, [0, 1, 2, 3])).toEqual([]);
  await clock.advance(1);
  expect(replicas.findStale(2, [0, 1, 2, 3])).toEqual([0]);
  expect(replicas.findStale(2, [1, 2, 3])).toEqual([]);
  replicas.note(0, 2, ENDS);
  await clock.advance(5000);
  expect(replicas.findStale(2, [0, 1, 2, 3])).toEqual([2]);
  expect(replicas.findStale(3, [1])).toEqual([1]);
});

test('a partition returns to its leader once its replica, or the broker of the replica, is forgotten', () => {
  for (const [partition, node] of [
    [0, 2],
    [1, 2],
    [2, 3],
  ] as const) {
    replicas.note(partition, node, ENDS);
  }
  expect(replicas.forget(0)).toBe(true);
  expect(replicas.forget(0)).toBe(false);
  expect([0, 1, 2].map((partition) => replicas.nodeOf(partition))).toEqual([undefined, 2, 3]);
  replicas.forgetNode(2);
  expect([0, 1, 2].map((partition) => replicas.nodeOf(partition))).toEqual([undefined, undefined, 3]);
});

test('each end is the further one of the replica and the leader, until the replica is forgotten', () => {
  const behind = { end: 12, stableEnd: 7 };
  expect(replicas.furthestEnds(0, behind)).toEqual(behind);
  replicas.note(0, 2, ENDS);
  expect(replicas.furthestEnds(0, behind)).toEqual({ end: 12, stableEnd: 8 });
  expect(replicas.furthestEnds(0, { end: 9, stableEnd: 9 })).toEqual({ end: 10, stableEnd: 9 });
  expect(replicas.furthestEnds(1, behind)).toEqual(behind);
  replicas.forgetNode(2);
  expect(replicas.furthestEnds(0, behind)).toEqual(behind);
});

/** The numbers of Kafka's requests. */
const FETCH = 1;
const API_VERSIONS = 18;

/** A reader of a partition that broker 1 leads, and of which it names the replica of broker 2. */
function createReader(replica: () => object): TopicReader {
  const answers: Record<number, () => object> = {
    1: () => ({ preferredReplica: 2, errorCode: 0 }),
    2: replica,
  };
  const answer = (request: number, node: number) => {
    if (request === API_VERSIONS) return { apiKeys: [{ apiKey: FETCH, maxVersion: 17 }] };
    const log = { highWatermark: 10, lastStableOffset: 10, aborted: [], bytes: Buffer.alloc(0) };
    return {
      errorCode: 0,
      partitions: [{ partition: 0, preferredReplica: -1, ...log, ...answers[node]?.() }],
    };
  };
  const connect = (node: number) => ({
    send(request: number, ...rest: unknown[]) {
      const callback = rest.at(-1) as (error: Error | null, answer?: object) => void;
      try {
        callback(null, answer(request, node));
      } catch (error) {
        callback(error as Error);
      }
    },
  });
  class LocalReader extends TopicReader {
    protected override readonly client = {
      connections: { get: async (node: number) => connect(node) },
      clearMetadata: () => {},
      listOffsets: async () => new Map([['topic', [10n]]]),
    } as never;
    protected override metadata = async () =>
      ({
        ...{ clusterId: 'cluster', brokers: new Map([1, 2].map((node) => [node, node])) },
        topic: { id: 'id', partitions: [{ leader: 1, leaderEpoch: 0 }] },
      }) as never;
  }
  return new LocalReader({
    brokers: { addresses: ['127.0.0.1:1'], tls: null, login: null, rack: 'b' },
    ...{ topic: 'topic', clientId: 'test' },
  });
}

test.each<[string, () => object]>([
  [
    'does not answer',
    () => {
      throw new Error('The connection was lost.');
    },
  ],
  ['lacks the offset', () => ({ errorCode: 1 })],
  ['is no replica any more', () => ({ errorCode: 6 })],
])('a partition is read from its leader again as soon as its replica %s', async (_, replica) => {
  const reader = createReader(replica);
  const offsets = new Map([[0, 5]]);
  const limits = { maxWaitMs: 0, partitionMaxBytes: 1 };
  await reader.fetch(1, offsets, limits);
  expect(await reader.sources()).toEqual([2]);
  const reads = await reader.fetch(2, offsets, limits).catch(() => []);
  expect([reads, await reader.sources()]).toEqual([[], [1]]);
});
