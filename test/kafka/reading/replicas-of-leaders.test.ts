import { expect, test } from '@jest/globals';
import { NearbyReplicas } from '../../../kafka/reading/nearby-replicas.ts';

test('the end of a partition is the later one of its leader and its replica, until the leader serves it again', () => {
  const replicas = new NearbyReplicas();
  replicas.note(0, 2, { end: 90, stableEnd: 80 });
  const behind = { end: 70, stableEnd: 70 };
  const ahead = { end: 95, stableEnd: 75 };
  expect(replicas.furthestEnds(0, behind)).toEqual({ end: 90, stableEnd: 80 });
  expect(replicas.furthestEnds(0, ahead)).toEqual({ end: 95, stableEnd: 80 });
  expect(replicas.furthestEnds(1, behind)).toEqual(behind);
  expect([replicas.forget(0), replicas.forget(0)]).toEqual([true, false]);
  expect(replicas.furthestEnds(0, behind)).toEqual(behind);
});

test('a broker that fails is forgotten for each of its partitions, and no other broker is', () => {
  const replicas = new NearbyReplicas();
  const ends = { end: 1, stableEnd: 1 };
  for (const [partition, node] of [
    [0, 2],
    [1, 3],
    [2, 2],
  ] as const) {
    replicas.note(partition, node, ends);
  }
  replicas.forgetNode(2);
  expect([0, 1, 2].map((partition) => replicas.nodeOf(partition))).toEqual([undefined, 3, undefined]);
});
