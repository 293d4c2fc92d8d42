import { expect, test } from '@jest/globals';
import { ConcurrencyLimiter } from '../../../gateway/limits/concurrency.ts';

const LIMITED = { accountId: 1, requestsPerMinute: 60 };

/** Begins requests that last until `finish` is called, with the text that answers them. */
function begin(
  limiter: ConcurrencyLimiter,
  count: number,
  account: Parameters<typeof limiter.run>[0] = LIMITED,
) {
  const { promise: finished, resolve: finish } = Promise.withResolvers<string>();
  const answers = Array.from({ length: count }, () => limiter.run(account, () => finished));
  return { answers, finish };
}

test('requests above the limit of an account are refused, and say when to retry', async () => {
  const limiter = new ConcurrencyLimiter(2);
  const { answers, finish } = begin(limiter, 2);
  await expect(limiter.run(LIMITED, async () => 'late')).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
    message: 'The account has 2 requests under way already; wait for some of them to be answered.',
    headers: { 'Retry-After': '1' },
  });
  finish('answer');
  expect(await Promise.all(answers)).toEqual(['answer', 'answer']);
});

test('a refused request takes no place, and a finished one frees exactly its own', async () => {
  const limiter = new ConcurrencyLimiter(2);
  const first = begin(limiter, 1);
  const second = begin(limiter, 1);
  const refused = begin(limiter, 3);
  expect((await Promise.allSettled(refused.answers)).map(({ status }) => status)).toEqual(
    Array(3).fill('rejected'),
  );
  first.finish('first');
  await Promise.all(first.answers);
  const third = begin(limiter, 2);
  third.finish('third');
  expect((await Promise.allSettled(third.answers)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
  ]);
  second.finish('second');
  await Promise.all(second.answers);
});

test('a request that fails frees its place, and its error reaches the caller', async () => {
  const limiter = new ConcurrencyLimiter(1);
  for (let i = 0; i < 3; i += 1) {
    await expect(limiter.run(LIMITED, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  }
  expect(await limiter.run(LIMITED, async () => 'answer')).toBe('answer');
});

test('each account has its own places, and a plan without a limit has unlimited places', async () => {
  const limiter = new ConcurrencyLimiter(1);
  const { answers, finish } = begin(limiter, 1);
  expect(await limiter.run({ ...LIMITED, accountId: 2 }, async () => 'other')).toBe('other');
  const unlimited = begin(limiter, 20, { accountId: 3, requestsPerMinute: null });
  unlimited.finish('unlimited');
  finish('limited');
  expect(await Promise.all([...unlimited.answers, ...answers])).toEqual([
    ...Array(20).fill('unlimited'),
    'limited',
  ]);
});

test('requests from before a plan had a limit count once it has one', async () => {
  const limiter = new ConcurrencyLimiter(2);
  const earlier = begin(limiter, 2, { ...LIMITED, requestsPerMinute: null });
  await expect(limiter.run(LIMITED, async () => 'late')).rejects.toMatchObject({
    code: 'rate_limit_exceeded',
  });
  earlier.finish('earlier');
  await Promise.all(earlier.answers);
  expect(await limiter.run(LIMITED, async () => 'answer')).toBe('answer');
});
