import { expect, test } from '@jest/globals';
import { UsageCounter } from '../../../gateway/usage/usage-counter.ts';

const HOUR_MS = 60 * 60_000;

/** Counts answers of an account, and returns the errors that are kept of them. */
function countErrors(counter: UsageCounter, status: number, times: number): number {
  const error = { requestId: 'r', method: 'GET', code: 'c', message: 'm' };
  for (let time = 0; time < times; time += 1) {
    counter.count({ accountId: 1, keyId: 1, at: HOUR_MS, route: '/v1/states', status, error });
  }
  return counter.take(1000)?.errors.filter((kept) => kept.status === status).length ?? 0;
}

test('an account that has filled its share of the errors has the same share after they are taken', () => {
  const counter = new UsageCounter();
  const kept = [429, 404, 429, 404].map((status) => countErrors(counter, status, 100));
  expect(kept).toEqual([10, 50, 10, 50]);
});
