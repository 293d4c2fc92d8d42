import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RequestLimiter } from '../../../gateway/limits/request-limiter.ts';
import { createLog } from '../../../service/log.ts';
import { leaseRequests } from '../../../store/access/request-quotas.ts';
import type { DatabasePool } from '../../../store/connection/read-pool.ts';
import { createSeverablePool, type SeverablePool } from '../../helpers/faults/severable-pool.ts';
import { createAccount } from '../../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../../helpers/postgres/database.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';
import { until } from '../../helpers/until.ts';

const HOUR_MS = 60 * 60_000;

const database = useTestDatabase();
const { client } = database;
let severable: SeverablePool;
let clock: ManualClock;
let limiters: [RequestLimiter, RequestLimiter];
let accountId: number;

beforeAll(async () => {
  severable = await createSeverablePool(database.url, 3);
});
afterAll(async () => {
  await severable.close();
});
beforeEach(async () => {
  severable.way.mend();
  accountId = await createAccount(client);
  clock = new ManualClock();
  const create = () => new RequestLimiter(severable.pool, clock, createLog('test', 'silent'));
  limiters = [create(), create()];
});

interface PlanNumbers {
  requestsPerMinute?: number | null;
  requestsPerDay?: number | null;
}

const ask = ({ requestsPerMinute = null, requestsPerDay = null }: PlanNumbers, gateway = 0) =>
  limiters[gateway === 0 ? 0 : 1].admit({ accountId, requestsPerMinute, requestsPerDay });

/** Sends `count` requests at once, alternating between both gateways. Returns the codes of the refusals. */
async function askAll(plan: PlanNumbers, count: number): Promise<{ admitted: number; codes: Set<string> }> {
  const asked = Array.from({ length: count }, (_, index) => ask(plan, index % 2));
  const refusals = (await Promise.all(asked)).flatMap(({ refusal }) => refusal ?? []);
  return { admitted: count - refusals.length, codes: new Set(refusals.map(({ code }) => code)) };
}

describe('the limits of a plan, on two gateways together', () => {
  test.each([1, 7, 60, 600])('of %i a minute admit exactly as many', async (requestsPerMinute) => {
    // Each gateway gets more requests than the limit, so that no leased request is left over.
    const asked = 2 * requestsPerMinute + 100;
    const first = await askAll({ requestsPerMinute }, asked);
    expect(first).toEqual({ admitted: requestsPerMinute, codes: new Set(['rate_limit_exceeded']) });
    await clock.advance(60_000);
    expect((await askAll({ requestsPerMinute }, asked)).admitted).toBe(requestsPerMinute);
  });

  test('of a day hold until the next UTC day, in any minute', async () => {
    const plan = { requestsPerMinute: 60, requestsPerDay: 100 };
    expect((await askAll(plan, 200)).admitted).toBe(60);
    await clock.advance(60_000);
    const second = await askAll(plan, 200);
    expect(second.admitted).toBeGreaterThanOrEqual(38);
    expect(second.admitted).toBeLessThanOrEqual(40);
    expect(second.codes).toEqual(new Set(['daily_limit_exceeded']));
    await clock.advance(11 * HOUR_MS);
    expect((await ask(plan)).refusal?.code).toBe('daily_limit_exceeded');
    await clock.advance(HOUR_MS);
    expect((await ask(plan)).refusal).toBeNull();
  });

  test('say when to retry, and the retry works', async () => {
    await clock.advance(20_500);
    const plan = { requestsPerMinute: 1 };
    await ask(plan);
    const { refusal, headers } = await ask(plan);
    expect(refusal?.headers).toEqual({ 'Retry-After': '40' });
    expect(headers).toMatchObject({ 'RateLimit-Remaining': '0', 'RateLimit-Reset': '40' });
    await clock.advance(38_000);
    expect((await ask(plan)).refusal).not.toBeNull();
    await clock.advance(2000);
    expect((await ask(plan)).refusal).toBeNull();
  });

  test('say when to retry after a used-up day', async () => {
    const plan = { requestsPerDay: 1 };
    await ask(plan);
    expect((await ask(plan)).refusal?.headers).toEqual({ 'Retry-After': String(12 * 60 * 60) });
  });

  test('say when to retry after a minute and a day that are used up together: the next day', async () => {
    const plan = { requestsPerMinute: 1, requestsPerDay: 1 };
    await ask(plan);
    const { refusal } = await ask(plan);
    expect([refusal?.code, refusal?.headers]).toEqual([
      'daily_limit_exceeded',
      { 'Retry-After': String(12 * 60 * 60) },
    ]);
  });

  test.each([
    [{ requestsPerMinute: 1 }, 'allows 1 requests a minute. Ask again in 60 s.'],
    [{ requestsPerDay: 1 }, 'allows 1 requests a day (UTC). Ask again in 43200 s.'],
  ])('of %j are named by a refusal', async (plan, sentence) => {
    await ask(plan);
    expect((await ask(plan)).refusal?.message).toContain(sentence);
  });

  test('are separate for each account', async () => {
    const plan = { requestsPerMinute: 1, requestsPerDay: null };
    await ask(plan);
    const otherId = await createAccount(client);
    const other = await limiters[0].admit({ accountId: otherId, ...plan });
    expect([(await ask(plan)).refusal === null, other.refusal === null]).toEqual([false, true]);
  });

  test('count a request that is given back no longer, and say so', async () => {
    const plan = { requestsPerMinute: 2, requestsPerDay: 100 };
    const first = await ask(plan);
    expect(first.headers).toMatchObject({ 'RateLimit-Remaining': '1', 'X-Daily-Remaining': '99' });
    expect(first.giveBack()).toMatchObject({ 'RateLimit-Remaining': '2', 'X-Daily-Remaining': '100' });
    expect([(await ask(plan)).refusal, (await ask(plan)).refusal]).toEqual([null, null]);
    expect((await ask(plan)).refusal?.code).toBe('rate_limit_exceeded');
  });

  test('INV-15: of a minute take back no more requests than they allow', async () => {
    const plan = { requestsPerMinute: 5 };
    let admitted = 0;
    for (let i = 0; i < 100; i += 1) {
      const { refusal, giveBack } = await ask(plan);
      giveBack();
      if (!refusal) admitted += 1;
    }
    expect(admitted).toBe(10);
  });

  test('of a minute do not change by a request that is given back after its end', async () => {
    const plan = { requestsPerMinute: 2 };
    const { giveBack } = await ask(plan);
    await clock.advance(60_000);
    await ask(plan);
    giveBack();
    expect([(await ask(plan)).refusal, (await ask(plan)).refusal?.code]).toEqual([
      null,
      'rate_limit_exceeded',
    ]);
  });

  test('do not apply to a plan without limits', async () => {
    expect(await askAll({}, 5000)).toEqual({ admitted: 5000, codes: new Set() });
    expect((await ask({})).headers).toEqual({});
  });
});

test('a limit that is lowered and raised again in its window gives back no request that was used', async () => {
  const lease = (limit: number, size: number) =>
    leaseRequests(severable.pool, { accountId, kind: 'day', windowStart: 0, limit, size });
  expect(await lease(100, 50)).toEqual({ granted: 50, used: 50 });
  expect(await lease(10, 5)).toEqual({ granted: 0, used: 50 });
  expect(await lease(100, 80)).toEqual({ granted: 50, used: 100 });
});

describe('while the database does not answer', () => {
  test('a gateway answers at once, counts alone, and reports afterwards what it admitted', async () => {
    // A day is long enough for any number of seconds that the database takes to answer again.
    const plan = { requestsPerDay: 600 };
    await askAll(plan, 100);
    severable.way.sever();
    const started = performance.now();
    let admitted = 100;
    for (let i = 0; i < 300; i += 1) if (!(await ask(plan)).refusal) admitted += 1;
    expect(admitted).toBe(400);
    expect(performance.now() - started).toBeLessThan(5000);
    severable.way.mend();
    await clock.advance(1000);
    const used = async () => {
      const { rows } = await client.query('SELECT used FROM request_quotas WHERE account_id = $1', [
        accountId,
      ]);
      return rows[0].used;
    };
    await until('the store knows', async () => {
      admitted += (await ask(plan)).refusal ? 0 : 1;
      await clock.advance(1000);
      return (await used()) >= admitted;
    });
    admitted += (await askAll(plan, 1000)).admitted;
    expect(admitted).toBeLessThanOrEqual(600);
    expect(admitted).toBeGreaterThanOrEqual(540);
  });
});

test('while the database is away, it is asked once a second, and the log says so', async () => {
  severable.way.sever();
  const { log, lines } = captureLog();
  const limiter = new RequestLimiter(severable.pool, clock, log);
  const outages = () => lines.filter(({ msg }) => msg.includes('counting alone'));
  const askMany = async () => {
    const plan = { accountId, requestsPerMinute: 600, requestsPerDay: null };
    for (let i = 0; i < 50; i += 1) await limiter.admit(plan);
  };
  await askMany();
  await clock.advance(999);
  await askMany();
  expect(outages()).toHaveLength(1);
  await clock.advance(1);
  await askMany();
  expect(outages()).toHaveLength(2);
  expect(outages()[0]).toHaveProperty('error');
});

test('it is asked again although the clock was set back after an outage', async () => {
  const plan = { requestsPerMinute: 600 };
  severable.way.sever();
  await ask(plan);
  severable.way.mend();
  await clock.advance(-HOUR_MS);
  const before = severable.queries;
  await ask(plan);
  expect(severable.queries).toBeGreaterThan(before);
});

test('the second without questions begins when the database has failed to answer, however long that took', async () => {
  let questions = 0;
  const one = async () => {
    questions += 1;
    await clock.advance(2000);
    throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' });
  };
  const limiter = new RequestLimiter({ one } as unknown as DatabasePool, clock, createLog('test', 'silent'));
  const plan = { accountId, requestsPerMinute: 600, requestsPerDay: null };
  for (let i = 0; i < 50; i += 1) await limiter.admit(plan);
  expect(questions).toBe(1);
});

test('a defect is an error, not an outage', async () => {
  await client.query('ALTER TABLE request_quotas RENAME TO mislaid');
  await expect(ask({ requestsPerMinute: 60 })).rejects.toThrow();
  await client.query('ALTER TABLE mislaid RENAME TO request_quotas');
  expect((await ask({ requestsPerMinute: 60 })).refusal).toBeNull();
});

test('windows that are over are deleted', async () => {
  const { rows: before } = await client.query('SELECT count(*)::int FROM request_quotas');
  await ask({ requestsPerMinute: 60, requestsPerDay: 5000 });
  limiters[0].start();
  await clock.advance(3 * 24 * HOUR_MS);
  await ask({ requestsPerMinute: 60, requestsPerDay: 5000 });
  const left = async () => (await client.query('SELECT kind FROM request_quotas')).rows.length;
  expect(before[0].count).toBeGreaterThan(0);
  await until('they are gone', async () => {
    await clock.advance(10 * 60_000);
    return (await left()) === 1;
  });
  await limiters[0].stop();
});

test('windows are deleted only some time after their end, so that a late clock finds its own', async () => {
  const plan = { requestsPerMinute: 5, requestsPerDay: 100 };
  await clock.advance(30_000);
  limiters[0].start();
  await clock.advance(10 * 60_000 - 1000);
  for (let asked = 0; asked < 5; asked += 1) expect((await ask(plan)).refusal).toBeNull();
  const left = async () => {
    const { rows } = await client.query('SELECT kind FROM request_quotas WHERE account_id = $1 ORDER BY 1', [
      accountId,
    ]);
    return rows.map(({ kind }) => kind);
  };
  // Another account's windows of yesterday are deleted, which shows that this tidying is over.
  await client.query(
    `INSERT INTO request_quotas (account_id, kind, window_start, used, granted)
     VALUES ($1, 'minute', to_timestamp($2), 1, 1), ($1, 'day', to_timestamp($2), 1, 1)`,
    [accountId, Math.floor((clock.now() - 3 * 24 * HOUR_MS) / 60_000) * 60],
  );
  expect(await left()).toEqual(['day', 'day', 'minute', 'minute']);
  await clock.advance(1000);
  await until('old windows are gone', async () => (await left()).length <= 2);
  expect(await left()).toEqual(['day', 'minute']);
  expect((await ask(plan, 1)).refusal?.code).toBe('rate_limit_exceeded');
  await limiters[0].stop();
});
