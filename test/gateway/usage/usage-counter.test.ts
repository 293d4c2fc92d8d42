import { expect, test } from '@jest/globals';
import { countRequests } from '../../../gateway/usage/count-requests.ts';
import { UsageCounter } from '../../../gateway/usage/usage-counter.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

const HOUR_MS = 60 * 60_000;

/** Counts answers of an account, and returns the errors that are kept of them. */
function countErrors(counter: UsageCounter, status: number, times: number): number {
  const error = { requestId: 'r', method: 'GET', code: 'c', message: 'm' };
  for (let time = 0; time < times; time += 1) {
    counter.count({ accountId: 1, keyId: 1, at: HOUR_MS, route: '/v1/states', status, error });
  }
  return counter.take(1000)?.errors.filter((kept) => kept.status === status).length ?? 0;
}

test('of answers without an error, slow ones and a few others are kept, with a share for each account', () => {
  const counter = new UsageCounter();
  const count = (accountId: number, ms: number) => {
    const sample = { requestId: `${accountId}-${ms}`, method: 'GET', ms };
    counter.count({ accountId, keyId: 1, at: HOUR_MS, route: '/v1/states', status: 200, sample });
  };
  const kept = () => {
    for (let time = 0; time < 30; time += 1) for (const accountId of [1, 2]) count(accountId, time);
    for (let time = 0; time < 30; time += 1) count(1, 1000 + time);
    return Object.groupBy(
      counter.take(1000)?.samples ?? [],
      ({ accountId, ms }) => `${accountId} ${ms >= 1000}`,
    );
  };
  for (const _round of [1, 2]) {
    const samples = kept();
    expect(samples['1 true']?.map(({ ms }) => ms)).toEqual(Array.from({ length: 20 }, (_, at) => 1000 + at));
    expect([samples['1 false']?.length, samples['2 false']?.length]).toEqual([3, 3]);
  }
  for (let accountId = 1; accountId <= 2000; accountId += 1) count(accountId, 5);
  expect(counter.take(1)?.samples).toHaveLength(1000);
});

test('a request that asks to wait is not slow, and one without a sender is not counted', async () => {
  const clock = new ManualClock();
  const counter = new UsageCounter();
  const answer = async (querystring: string, state: object) => {
    const ctx = {
      querystring,
      method: 'GET',
      status: 200,
      state: { requestId: 'r', route: '/v1/events', ...state },
    };
    await countRequests(counter, clock)(ctx as never, () => clock.advance(1500));
    return counter.take(1)?.samples.map(({ ms, requestId, accountId }) => ({ ms, requestId, accountId }));
  };
  const sender = { accountId: 7, keyId: 1 };
  expect(await answer('', { sender })).toEqual([{ ms: 1500, requestId: 'r', accountId: 7 }]);
  expect(await answer('limit=3&wait=20', { sender })).toEqual([{ ms: 0, requestId: 'r', accountId: 7 }]);
  expect(await answer('', { sender, error: { code: 'c', message: 'm' } })).toEqual([]);
  expect(await answer('', {})).toBeUndefined();
});

test('an account that has filled its share of the errors has the same share after they are taken', () => {
  const counter = new UsageCounter();
  const kept = [429, 404, 429, 404].map((status) => countErrors(counter, status, 100));
  expect(kept).toEqual([10, 50, 10, 50]);
});
