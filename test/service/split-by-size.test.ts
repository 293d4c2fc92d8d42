import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { splitBySize } from '../../service/split-by-size.ts';

const identity = (size: number) => size;
const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);

test('keeps all items in order, bounds every run, and begins a run only when it must', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.integer({ min: 1, max: 60 }), (sizes, maxSize) => {
      const runs = [...splitBySize(sizes, maxSize, identity)];
      expect(runs.flat()).toEqual(sizes);
      for (const [index, run] of runs.entries()) {
        expect(run.length === 1 || sum(run) <= maxSize).toBe(true);
        const [next] = runs[index + 1] ?? [];
        if (next !== undefined) expect(sum(run) + next).toBeGreaterThan(maxSize);
      }
    }),
  );
});

test('an item larger than a run is a run of its own', () => {
  expect([...splitBySize([10, 200, 10], 100, identity)]).toEqual([[10], [200], [10]]);
});

test('items that fill a run exactly stay together', () => {
  expect([...splitBySize([2, 2, 1], 4, (size) => size)]).toEqual([[2, 2], [1]]);
});
