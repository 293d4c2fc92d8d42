import { expect, test } from '@jest/globals';
import { TokenBuckets } from '../../../gateway/limits/token-buckets.ts';

function createBuckets(perMinute: number) {
  const clock = { time: 1_000_000, now: () => clock.time };
  return { clock, buckets: new TokenBuckets(perMinute, clock) };
}

test('the tokens of a key return one by one, and never more than a bucket holds', () => {
  const { clock, buckets } = createBuckets(2);
  expect(buckets.waitMs(1)).toBe(0);
  for (let taken = 0; taken < 2; taken += 1) buckets.take(1);
  expect([buckets.waitMs(1), buckets.waitMs(2)]).toEqual([30_000, 0]);
  clock.time += 20_000;
  expect(buckets.waitMs(1)).toBeCloseTo(10_000);
  clock.time += 10_000;
  expect(buckets.waitMs(1)).toBe(0);
  buckets.take(1);
  expect(buckets.waitMs(1)).toBe(30_000);
  clock.time += 3_600_000;
  for (let taken = 0; taken < 2; taken += 1) {
    expect(buckets.waitMs(1)).toBe(0);
    buckets.take(1);
  }
  expect(buckets.waitMs(1)).toBe(30_000);
});

test('a clock that is set back locks nobody out', () => {
  const { clock, buckets } = createBuckets(2);
  for (let taken = 0; taken < 2; taken += 1) buckets.take(1);
  clock.time -= 600_000;
  expect(buckets.waitMs(1)).toBe(0);
  for (let taken = 0; taken < 2; taken += 1) buckets.take(1);
  expect(buckets.waitMs(1)).toBe(30_000);
});

test('INV-15: the buckets of 10,000 keys are kept, those that were asked for last', () => {
  const { buckets } = createBuckets(1);
  for (let key = 1; key <= 10_000; key += 1) buckets.take(key);
  expect([buckets.waitMs(1), buckets.waitMs(2)]).toEqual([60_000, 60_000]);
  for (let key = 10_001; key <= 19_998; key += 1) buckets.take(key);
  expect([buckets.waitMs(1), buckets.waitMs(2), buckets.waitMs(3)]).toEqual([60_000, 60_000, 0]);
});
