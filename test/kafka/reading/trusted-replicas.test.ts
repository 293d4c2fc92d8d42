/** The replicas that leaders have named. nearby-replicas.test.ts reads from real ones. */
import { beforeEach, expect, test } from '@jest/globals';
import { NearbyReplicas } from '../../../kafka/reading/nearby-replicas.ts';
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
