import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type AnsweredRequest, UsageCounter } from '../../../gateway/usage/usage-counter.ts';
import { UsageWriter } from '../../../gateway/usage/usage-writer.ts';
import { generateApiKey } from '../../../schemas/api-key.ts';
import { createSeverablePool, type SeverablePool } from '../../helpers/faults/severable-pool.ts';
import { createAccount } from '../../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../../helpers/postgres/database.ts';
import { type CapturedLog, captureLog } from '../../helpers/service/captured-log.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';
import { metricValue } from '../../helpers/service/metrics.ts';
import { until } from '../../helpers/until.ts';

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

const database = useTestDatabase();
const { client } = database;
let severable: SeverablePool;
let clock: ManualClock;
let log: CapturedLog;
let accountId: number;
let started: UsageWriter[] = [];

beforeAll(async () => {
  severable = await createSeverablePool(database.url);
});
afterAll(() => severable.close());
beforeEach(async () => {
  clock = new ManualClock();
  log = captureLog();
  accountId = await createAccount(client);
});
afterEach(async () => {
  severable.way.mend();
  await Promise.all(started.map((writer) => writer.stop()));
  started = [];
});

/** The usage of a gateway. */
interface Gateway {
  counter: UsageCounter;
  writer: UsageWriter;
}

function startUsage(): Gateway {
  const counter = new UsageCounter();
  const writer = new UsageWriter({ counter, pool: severable.pool, clock, log: log.log });
  writer.start();
  started.push(writer);
  return { counter, writer };
}

function answered(options: Partial<AnsweredRequest> = {}): AnsweredRequest {
  return { accountId, keyId: 1, at: clock.now(), route: '/v1/states', status: 200, ...options };
}

function refused(status: number, options: Partial<AnsweredRequest> = {}): AnsweredRequest {
  const error = {
    requestId: `request-${status}`,
    method: 'GET',
    code: status === 429 ? 'rate_limit_exceeded' : 'not_found',
    message: 'No.',
  };
  return answered({ status, error, ...options });
}

/** The saved requests of the account. */
async function storedRequests(): Promise<number> {
  const { rows } = await client.query<{ sum: string | null }>(
    'SELECT sum(requests) FROM usage_hours WHERE account_id = $1',
    [accountId],
  );
  return Number(rows[0]?.sum);
}

async function storedErrors(): Promise<{ status: number; message: string }[]> {
  const { rows } = await client.query(
    'SELECT status, message FROM request_errors WHERE account_id = $1 ORDER BY occurred_at, id',
    [accountId],
  );
  return rows;
}

const times = (count: number, work: (index: number) => void): void => {
  for (let index = 0; index < count; index += 1) work(index);
};

describe('counted requests', () => {
  test('of two gateways add up, by account, key, hour, route and status', async () => {
    const gateways = [startUsage(), startUsage()];
    const other = await createAccount(client);
    for (const { counter } of gateways) {
      times(3, () => counter.count(answered()));
      counter.count(answered({ accountId: other }));
      counter.count(answered({ keyId: null }));
      counter.count(answered({ at: clock.now() + HOUR_MS - 1 }));
      counter.count(answered({ at: clock.now() + HOUR_MS }));
      counter.count(answered({ route: 'none', status: 404 }));
    }
    await clock.advance(10 * SECOND_MS);
    await until('both have written', async () => (await storedRequests()) === 14);
    const { rows } = await client.query(
      `SELECT account_id, key_id, (extract(epoch FROM hour) * 1000)::float8 AS hour, route, status, requests::int
       FROM usage_hours WHERE account_id IN ($1, $2) ORDER BY requests DESC, account_id, hour, key_id NULLS LAST, route`,
      [accountId, other],
    );
    const noon = Date.parse('2026-11-03T12:00:00Z');
    const row = {
      account_id: accountId,
      key_id: 1,
      hour: noon,
      route: '/v1/states',
      status: 200,
      requests: 2,
    };
    expect(rows).toEqual([
      { ...row, requests: 8 },
      { ...row, route: 'none', status: 404 },
      { ...row, key_id: null },
      { ...row, hour: noon + HOUR_MS },
      { ...row, account_id: other },
    ]);
  });

  test('are not written before ten seconds have passed, and the rest when the gateway stops', async () => {
    const { counter, writer } = startUsage();
    counter.count(answered());
    await clock.advance(9 * SECOND_MS);
    expect(await storedRequests()).toBe(0);
    await clock.advance(SECOND_MS);
    await until('they are written', async () => (await storedRequests()) === 1);
    times(5, () => counter.count(answered()));
    await writer.stop();
    expect(await storedRequests()).toBe(6);
  });

  test('are counted once, although the answer to a batch was lost and more were counted meanwhile', async () => {
    const counter = new UsageCounter();
    let queries = 0;
    const pool: typeof severable.pool = {
      ...severable.pool,
      async query(statement) {
        const result = await severable.pool.query(statement);
        queries += 1;
        if (queries <= 2) throw Object.assign(new Error('the answer is lost'), { code: 'ECONNRESET' });
        return result;
      },
    };
    const writer = new UsageWriter({ counter, pool, clock, log: log.log });
    writer.start();
    started.push(writer);
    for (let round = 1; round <= 4; round += 1) {
      counter.count(answered());
      await clock.advance(10 * SECOND_MS);
      await until('the round', () => queries >= round);
    }
    await writer.stop();
    expect(await storedRequests()).toBe(4);
  });

  test('add up to the same over any gateways and batches', async () => {
    const request = fc.record({
      gateway: fc.nat(1),
      keyId: fc.option(fc.integer({ min: 1, max: 2 })),
      hours: fc.nat(2),
      route: fc.constantFrom('/v1/states', '/v1/contests/{id}'),
      status: fc.constantFrom(200, 404, 429),
    });
    const step = fc.oneof({ weight: 5, arbitrary: request }, { weight: 1, arbitrary: fc.constant('flush') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        accountId = await createAccount(client);
        const gateways = [startUsage(), startUsage()] as const;
        const expected = new Map<string, number>();
        const start = clock.now() - (clock.now() % HOUR_MS);
        for (const each of steps) {
          if (typeof each === 'string') {
            await clock.advance(10 * SECOND_MS);
            continue;
          }
          const { gateway, keyId, hours, route, status } = each;
          gateways[gateway === 0 ? 0 : 1].counter.count(
            answered({ keyId, route, status, at: start + hours * HOUR_MS + 1 }),
          );
          const name = `${keyId} ${start + hours * HOUR_MS} ${route} ${status}`;
          expected.set(name, (expected.get(name) ?? 0) + 1);
        }
        await Promise.all(gateways.map(({ writer }) => writer.stop()));
        const { rows } = await client.query(
          `SELECT key_id, (extract(epoch FROM hour) * 1000)::float8 AS hour, route, status, requests::int
           FROM usage_hours WHERE account_id = $1`,
          [accountId],
        );
        const stored = rows.map((row) => [
          `${row.key_id} ${row.hour} ${row.route} ${row.status}`,
          row.requests,
        ]);
        expect(new Map(stored as [string, number][])).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});

describe('while the database does not answer', () => {
  test('counts are kept, and each is written once when it is back', async () => {
    const { counter } = startUsage();
    counter.count(answered());
    severable.way.sever();
    await clock.advance(10 * SECOND_MS);
    await until('a write has failed', () => log.lines.some(({ level }) => level === 'warn'));
    times(4, () => counter.count(answered()));
    counter.count(refused(404));
    await clock.advance(10 * SECOND_MS);
    expect(await storedRequests()).toBe(0);
    severable.way.mend();
    await until('everything is written', async () => {
      await clock.advance(10 * SECOND_MS);
      return (await storedRequests()) === 6;
    });
    await clock.advance(30 * SECOND_MS);
    expect(await storedRequests()).toBe(6);
    expect(await storedErrors()).toHaveLength(1);
    const warnings = log.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ msg }) => msg)).toEqual([
      'the usage of accounts cannot be saved (the database does not answer)',
    ]);
  });

  test('more than fits into one statement is kept up to a bound, and written in parts', async () => {
    const { counter, writer } = startUsage();
    const before = await metricValue('usage_requests_uncounted_total');
    times(100_010, (index) => counter.count(answered({ keyId: index + 1 })));
    // Requests like earlier ones need no memory.
    counter.count(answered({ keyId: 1 }));
    expect(await metricValue('usage_requests_uncounted_total')).toBe(before + 10);
    await writer.stop();
    expect(await storedRequests()).toBe(100_001);
  });
});

test('a batch that the database refuses is dropped, and the next one is written', async () => {
  const { counter } = startUsage();
  counter.count(answered({ status: 100_000 }));
  await clock.advance(10 * SECOND_MS);
  await until('it is refused', () => log.lines.some(({ level }) => level === 'error'));
  counter.count(answered());
  await until('the next one is written', async () => {
    await clock.advance(10 * SECOND_MS);
    return (await storedRequests()) === 1;
  });
});

describe('errors', () => {
  test('are kept with a message that can be stored, has a bounded length and shows no API key', async () => {
    const { counter, writer } = startUsage();
    const error = { requestId: 'r', method: 'GET', code: 'not_found' };
    counter.count(refused(404, { error: { ...error, message: 'NUL \0, half \uD83D.' } }));
    counter.count(refused(404, { error: { ...error, message: 'x'.repeat(10_000) } }));
    counter.count(refused(404, { error: { ...error, message: `Nothing at /v1/${generateApiKey()}.` } }));
    await writer.stop();
    expect((await storedErrors()).map(({ message }) => message)).toEqual([
      'NUL \uFFFD, half \uFFFD.',
      'x'.repeat(500),
      'Nothing at /v1/bes_….',
    ]);
  });

  test('beyond a bound for each account and batch are counted but not kept, and 429s leave room for others', async () => {
    const { counter, writer } = startUsage();
    const calm = await createAccount(client);
    times(5000, () => counter.count(refused(429)));
    times(5000, () => counter.count(refused(404)));
    counter.count(refused(404, { accountId: calm }));
    await writer.stop();
    expect(await storedRequests()).toBe(10_000);
    const statuses = (await storedErrors()).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect(statuses.filter((status) => status === 404)).toHaveLength(50);
    accountId = calm;
    expect(await storedErrors()).toHaveLength(1);
  });

  test('of one batch are bounded for all accounts together', async () => {
    const { counter, writer } = startUsage();
    times(2000, (index) => counter.count(refused(404, { accountId: 1_000_000 + index })));
    await writer.stop();
    const { rows } = await client.query(
      'SELECT count(*)::int FROM request_errors WHERE account_id >= 1000000',
    );
    expect(rows[0].count).toBe(1000);
  });

  test('are kept up to 1,000 of an account, the newest, of which 100 at most are 429s', async () => {
    await client.query(
      `INSERT INTO request_errors (account_id, occurred_at, request_id, method, route, status, code, message)
       SELECT $1, to_timestamp($2::float8 / 1000) - n * interval '1 second', 'r', 'GET', 'none',
         CASE WHEN n % 2 = 0 THEN 429 ELSE 404 END, 'c', n::text
       FROM generate_series(1, 4000) AS n`,
      [accountId, clock.now()],
    );
    const { counter, writer } = startUsage();
    counter.count(refused(404));
    await writer.stop();
    const kept = await storedErrors();
    expect(kept).toHaveLength(1000);
    const others = kept.filter(({ status }) => status !== 429);
    expect(others).toHaveLength(900);
    expect(others.at(-1)?.message).toBe('No.');
    expect(Math.max(...others.slice(0, -1).map(({ message }) => Number(message)))).toBe(2 * 899 - 1);
  });
});

test('samples are kept up to 1,000 of an account, the newest, of which 200 are slow, and for seven days', async () => {
  await client.query(
    `INSERT INTO request_samples (account_id, occurred_at, request_id, method, route, status, ms)
     SELECT $1, to_timestamp($2::float8 / 1000) - n * interval '1 second', n::text, 'GET', 'none', 200,
       CASE WHEN n % 2 = 0 THEN 1000 ELSE 999 END
     FROM generate_series(1, 3000) AS n`,
    [accountId, clock.now()],
  );
  const { counter, writer } = startUsage();
  const sample = { requestId: 'new', method: 'GET', ms: 5 };
  counter.count(answered({ sample }));
  counter.count(answered({ sample: { ...sample, requestId: 'old' }, at: clock.now() - 8 * DAY_MS }));
  await clock.advance(10 * SECOND_MS);
  const stored = async () => {
    const { rows } = await client.query<{ id: string; slow: boolean }>(
      'SELECT request_id AS id, ms >= 1000 AS slow FROM request_samples WHERE account_id = $1 ORDER BY occurred_at DESC',
      [accountId],
    );
    return rows;
  };
  await until('the surplus is deleted', async () => (await stored()).length === 1000);
  const kept = await stored();
  expect(kept[0]).toEqual({ id: 'new', slow: false });
  expect(kept.filter(({ slow }) => slow)).toHaveLength(200);
  expect(Math.max(...kept.filter(({ slow }) => slow).map(({ id }) => Number(id)))).toBe(400);
  await client.query(
    `UPDATE request_samples SET occurred_at = occurred_at - interval '8 days' WHERE request_id <> 'new'`,
  );
  await clock.advance(10 * 60 * SECOND_MS);
  await until('old ones are deleted', async () => (await stored()).length === 1);
  await writer.stop();
});

test('counts are deleted after 35 days, and errors after seven', async () => {
  const { counter } = startUsage();
  const now = clock.now();
  const [young, old] = [await createAccount(client), await createAccount(client)];
  counter.count(refused(404, { accountId: young, at: now - 7 * DAY_MS + HOUR_MS }));
  counter.count(refused(404, { accountId: old, at: now - 7 * DAY_MS - 1 }));
  counter.count(answered({ accountId: young, at: now - 35 * DAY_MS + 2 * HOUR_MS }));
  counter.count(answered({ accountId: old, at: now - 35 * DAY_MS - 1 }));
  const day = (daysAgo: number) => new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10);
  for (const daysAgo of [34, 36]) {
    await client.query('INSERT INTO webhook_usage_days VALUES ($1, $2, 1, 0, 1)', [old, day(daysAgo)]);
  }
  await clock.advance(10 * SECOND_MS);
  accountId = old;
  await until('they are written', async () => (await storedErrors()).length === 1);
  expect(await storedRequests()).toBe(2);
  await clock.advance(10 * 60 * SECOND_MS);
  await until('the old ones are gone', async () => (await storedErrors()).length === 0);
  expect(await storedRequests()).toBe(1);
  const { rows } = await client.query('SELECT day::text FROM webhook_usage_days WHERE account_id = $1', [
    old,
  ]);
  expect(rows).toEqual([{ day: day(34) }]);
  accountId = young;
  expect(await storedRequests()).toBe(2);
  expect(await storedErrors()).toHaveLength(1);
});
