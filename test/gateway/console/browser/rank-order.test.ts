import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { moveRank, type Ranked } from '../../../../gateway/console/browser/rank-order.ts';

const ranked = (...keys: string[]): Ranked[] => [
  ...keys.map((key, index) => ({ key, rank: 2 * index + 3 })),
  { key: 'x', rank: null },
  { key: 'y', rank: null },
];

test.each([
  ['up', 'c', 'a', ['c', 'a', 'b']],
  ['down', 'a', 'b', ['b', 'a', 'c']],
  ['to the end', 'a', 'c', ['b', 'c', 'a']],
  ['to itself', 'b', 'b', ['a', 'b', 'c']],
  ['to a choice without a rank', 'a', 'y', ['b', 'c', 'a']],
  ['that had no rank', 'x', 'b', ['a', 'x', 'b', 'c']],
  ['that had no rank to another one', 'x', 'y', ['a', 'b', 'c', 'x']],
])('a choice moves %s, and ranks have no gaps', (_where, moved, before, order) => {
  expect(moveRank(ranked('a', 'b', 'c'), moved, before)).toEqual(order);
});

test('a move gives the moved choice the rank of the other one, and keeps the order of all others', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e']), fc.nat(4), fc.nat(4), (keys, from, to) => {
      const [moved, before] = [keys[from % (keys.length || 1)], keys[to % (keys.length || 1)]];
      if (moved === undefined || before === undefined || moved === before) return;
      const order = moveRank(ranked(...keys), moved, before);
      expect(order.indexOf(moved)).toBe(keys.indexOf(before));
      const others = (list: readonly string[]) => list.filter((key) => key !== moved);
      expect(others(order)).toEqual(others(keys));
    }),
  );
});
