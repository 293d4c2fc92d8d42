import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { acquireStreamLease, releaseStreamLeases } from '../../store/access/stream-leases.ts';
import {
  forgetUsage,
  trimErrors,
  trimSamples,
  type UsageCount,
  writeUsage,
} from '../../store/access/usage.ts';
import { type ErrorPlace, listRequestErrors } from '../../store/accounts/request-errors.ts';
import { searchRequests } from '../../store/accounts/request-search.ts';
import {
  countOpenStreams,
  loadDailyDeliveries,
  loadDailyUsage,
  loadHourlyUsage,
  loadUsageByAccount,
  loadUsageByKey,
  loadUsageByRoute,
  type TotalKind,
} from '../../store/accounts/usage.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

const database = useTestDatabase();
const { client } = database;
let pool: DatabasePool;
/** The console reads with a pool. */
const readers = usePool(database.url);
let accountId: number;
/** The database's time. */
let now: number;

beforeAll(async () => {
  pool = await openReadPool(database.url, { maxConnections: 5 });
});
afterAll(() => pool.end());
beforeEach(async () => {
  accountId = await createAccount(client);
  const { rows } = await client.query('SELECT now()');
  now = rows[0].now.getTime();
});

function counted(count: Partial<UsageCount>): UsageCount {
  const hour = now - (now % HOUR_MS);
  return { accountId, keyId: 1, hour, route: '/v1/states', status: 200, requests: 1, ...count };
}

const write = (counts: UsageCount[], number = 1, writerId: string = randomUUID()): Promise<void> =>
  writeUsage(pool, { writerId, number }, { counts, errors: [], samples: [] });

async function totalRequests(): Promise<number> {
  const [usage] = await loadUsageByKey(client, accountId, { days: 33, limit: 1 });
  return usage?.requests ?? 0;
}

describe('writing usage', () => {
  test('a repeated batch adds nothing, and the next one does', async () => {
    const writerId = randomUUID();
    const error = { accountId, keyId: 1, at: now, requestId: 'r', method: 'GET', route: 'none', status: 404 };
    const batch = {
      counts: [counted({ requests: 3 })],
      errors: [{ ...error, code: 'c', message: 'm' }],
      samples: [{ ...error, status: 200, ms: 5 }],
    };
    await writeUsage(pool, { writerId, number: 1 }, batch);
    await writeUsage(pool, { writerId, number: 1 }, batch);
    expect(await totalRequests()).toBe(3);
    expect((await listRequestErrors(client, accountId, { limit: 10 })).errors).toHaveLength(1);
    const samples = 'SELECT count(*)::int FROM request_samples WHERE account_id = $1';
    expect((await client.query(samples, [accountId])).rows).toEqual([{ count: 1 }]);
    await writeUsage(pool, { writerId, number: 2 }, batch);
    expect(await totalRequests()).toBe(6);
  });

  test('a repeated batch adds nothing after old usage was forgotten, however long its writer has been at work', async () => {
    const writerId = randomUUID();
    const writeBatch = (number: number) => write([counted({ requests: 3 })], number, writerId);
    await writeBatch(1);
    await client.query(`UPDATE usage_writers SET written_at = now() - interval '1 year'`);
    await writeBatch(2);
    await forgetUsage(pool, { hours: now - DAY_MS, errors: now - DAY_MS });
    await writeBatch(2);
    expect(await totalRequests()).toBe(6);
  });

  test('concurrent writers do not deadlock', async () => {
    const routes = Array.from({ length: 300 }, (_, index) => `/v1/${index}`);
    const batch = routes.map((route) => counted({ route }));
    const rounds = Array.from({ length: 20 }, (_, index) => write(index % 2 ? batch : batch.toReversed()));
    await Promise.all(rounds);
    expect(await totalRequests()).toBe(20 * 300);
  });
});

describe('reading usage', () => {
  test('by account has the highest first by any kind of answer, and leaves other days out', async () => {
    await client.query('TRUNCATE usage_hours');
    const [busy, limited] = [accountId, await createAccount(client)];
    const today = now - (now % DAY_MS);
    await write([
      counted({ hour: today, requests: 1000 }),
      counted({ hour: today, status: 404, requests: 20 }),
      counted({ hour: today, accountId: limited, status: 429, requests: 900 }),
      counted({ hour: today - HOUR_MS, accountId: limited, requests: 5000 }),
    ]);
    const load = async (search: { days: number; by: TotalKind; offset?: number }) =>
      (await loadUsageByAccount(readers, { ...search, limit: 1 })).map(({ accountId: id, requests }) => [
        id,
        requests,
      ]);
    expect(await load({ days: 1, by: 'requests' })).toEqual([[busy, 1020]]);
    expect(await load({ days: 1, by: 'requests', offset: 1 })).toEqual([[limited, 900]]);
    expect(await load({ days: 1, by: 'limited' })).toEqual([[limited, 900]]);
    expect(await load({ days: 2, by: 'requests' })).toEqual([[limited, 5900]]);
    expect(await load({ days: 2, by: 'faulty' })).toEqual([[busy, 1020]]);
  });

  test('by hour has the last 48 hours, with zeros, and counts refusals separately', async () => {
    await write([
      counted({ requests: 5 }),
      counted({ status: 404, requests: 2 }),
      counted({ status: 429, requests: 3, route: 'none' }),
      counted({ status: 503, requests: 1, keyId: null }),
      counted({ hour: counted({}).hour - 47 * HOUR_MS, requests: 7 }),
      counted({ hour: counted({}).hour - 48 * HOUR_MS, requests: 11 }),
      counted({ accountId: await createAccount(client), requests: 13 }),
    ]);
    const hours = await loadHourlyUsage(readers, accountId);
    expect(hours).toHaveLength(48);
    const start = (ago: number) => new Date(counted({}).hour - ago * HOUR_MS);
    expect(hours.at(-1)).toEqual({ start: start(0), requests: 11, limited: 3, faulty: 2, failed: 1 });
    expect(hours.at(-2)).toEqual({ start: start(1), requests: 0, limited: 0, faulty: 0, failed: 0 });
    expect(hours[0]).toEqual({ start: start(47), requests: 7, limited: 0, faulty: 0, failed: 0 });
  });

  test('by day has the last 30 UTC days, in any time zone of the connection', async () => {
    const today = now - (now % DAY_MS);
    await write([
      counted({ hour: today, requests: 2 }),
      counted({ hour: today - HOUR_MS, requests: 3 }),
      counted({ hour: today - 24 * HOUR_MS, requests: 4 }),
      counted({ hour: today - 29 * DAY_MS, requests: 5 }),
      counted({ hour: today - 29 * DAY_MS - HOUR_MS, requests: 6 }),
    ]);
    const far = new pg.Client({ connectionString: database.url, options: '-c TimeZone=America/Denver' });
    await far.connect();
    const days = await loadDailyUsage(far, accountId);
    await far.end();
    expect(days).toHaveLength(30);
    expect(days.map(({ requests }) => requests)).toEqual([5, ...Array(27).fill(0), 7, 2]);
    expect(days.map(({ start }) => start.getTime())).toEqual(
      days.map((_, index) => today - (29 - index) * DAY_MS),
    );
  });

  test('by route and by key has the requested days', async () => {
    const today = now - (now % DAY_MS);
    await write([
      counted({ hour: today, requests: 2 }),
      counted({ hour: today, route: '/v1/stream', requests: 4 }),
      counted({ hour: today, route: '/v1/stream', status: 429, requests: 1, keyId: null }),
      counted({ hour: today - DAY_MS, route: 'none', status: 404, requests: 9, keyId: 2 }),
    ]);
    const none = { limited: 0, faulty: 0, failed: 0 };
    expect(await loadUsageByRoute(readers, accountId, 1)).toEqual([
      { ...none, route: '/v1/stream', requests: 5, limited: 1 },
      { ...none, route: '/v1/states', requests: 2 },
    ]);
    const byKey = [
      { ...none, keyId: 2, name: null, requests: 9, faulty: 9 },
      { ...none, keyId: 1, name: null, requests: 6 },
      { ...none, keyId: null, name: null, requests: 1, limited: 1 },
    ];
    expect(await loadUsageByKey(readers, accountId, { days: 2, limit: 10 })).toEqual(byKey);
    const rest = { days: 2, limit: 10, before: 2 };
    expect(await loadUsageByKey(readers, accountId, rest)).toEqual(byKey.slice(1));
  });
});

describe('errors', () => {
  test('are listed newest first, in pages without repeats and gaps', async () => {
    // Several at the same time, so that the time alone does not decide their order.
    const errors = Array.from({ length: 7 }, (_, index) => ({
      ...{ accountId, keyId: index % 2 ? 1 : null, at: now - Math.floor(index / 3) * 1000 + 0.5 },
      ...{ requestId: `r${index}`, method: 'GET', route: '/v1/states', status: 400 },
      ...{ code: 'invalid_parameter', message: `m${index}` },
    }));
    await writeUsage(pool, { writerId: randomUUID(), number: 1 }, { counts: [], errors, samples: [] });
    const listed: string[] = [];
    let pages = 0;
    for (let after: ErrorPlace | null = null; ; ) {
      const page = await listRequestErrors(readers, accountId, { limit: 2, after });
      pages += 1;
      listed.push(...page.errors.map(({ requestId }) => requestId));
      if (page.next === null) break;
      after = page.next;
    }
    expect(pages).toBe(4);
    expect(listed.toSorted()).toEqual(errors.map(({ requestId }) => requestId));
    expect(listed.map((id) => Math.floor(Number(id.slice(1)) / 3))).toEqual([0, 0, 0, 1, 1, 1, 2]);
    const { errors: all, next } = await listRequestErrors(readers, accountId, { limit: 7 });
    expect([all.length, next]).toEqual([7, null]);
    expect(all[0]).toMatchObject({
      method: 'GET',
      route: '/v1/states',
      status: 400,
      code: 'invalid_parameter',
    });
    expect((await listRequestErrors(readers, 0, { limit: 7 })).errors).toEqual([]);
  });
});

describe('open streams', () => {
  test("are counted, with the plan's limit and without expired leases", async () => {
    const lease = (expiryMs: number) => ({ id: randomUUID(), accountId, gatewayId: randomUUID(), expiryMs });
    await client.query(`UPDATE accounts SET plan = 'standard' WHERE id = $1`, [accountId]);
    const held = [lease(60_000), lease(60_000)];
    for (const each of held) await acquireStreamLease(pool, each, 5);
    await acquireStreamLease(pool, lease(-1), 5);
    expect(await countOpenStreams(readers, accountId)).toEqual({ open: 2, max: 5 });
    await releaseStreamLeases(
      pool,
      held.slice(1).map(({ id }) => id),
    );
    expect(await countOpenStreams(readers, accountId)).toEqual({ open: 1, max: 5 });
  });

  test('of a plan without a limit are those that gateways have reported in the last minute', async () => {
    const unlimited = await createAccount(client, 'internal');
    const report = (streams: number, seconds: number) =>
      client.query(
        `INSERT INTO processes (id, program, host, pid, version, started_at, seen_at, details)
         VALUES (gen_random_uuid(), 'gateway', 'a', 1, '1', now(), now() - $1 * interval '1 second', $2)`,
        [
          seconds,
          { port: 1, openStreams: 9, behindMs: 0, unlimitedStreams: { [unlimited]: streams, 999: 4 } },
        ],
      );
    expect(await countOpenStreams(readers, unlimited)).toEqual({ open: 0, max: null });
    for (const [streams, seconds] of [
      [3, 1],
      [2, 20],
      [7, 90],
    ] as const) {
      await report(streams, seconds);
    }
    expect(await countOpenStreams(readers, unlimited)).toEqual({ open: 5, max: null });
    // A stream that began while the plan had a limit still has its lease.
    const held = { id: randomUUID(), accountId: unlimited, gatewayId: randomUUID(), expiryMs: 60_000 };
    await acquireStreamLease(pool, held, 5);
    expect(await countOpenStreams(readers, unlimited)).toEqual({ open: 6, max: null });
    expect(await countOpenStreams(readers, 0)).toBeNull();
  });
});

describe('what is kept of the requests', () => {
  const DAY = 24 * HOUR_MS;
  const BATCH = { counts: [], errors: [], samples: [] };
  const store = (batch: Partial<Parameters<typeof writeUsage>[2]>) =>
    writeUsage(pool, { writerId: randomUUID(), number: 1 }, { ...BATCH, ...batch });
  const request = (index: number, at = now) => ({
    ...{ accountId, keyId: 1, at: at - index, requestId: `r${index}`, method: 'GET', route: '/v1/states' },
  });
  const errorOf = (index: number, status: number, at = now) => ({
    ...{ ...request(index, at), status, code: 'c', message: 'm' },
  });
  const sampleOf = (index: number, ms: number, at = now) => ({ ...request(index, at), status: 200, ms });
  const kept = async (table: string, condition: string, id = accountId) => {
    const { rows } = await client.query(
      `SELECT count(*)::int, min(replace(request_id, 'r', '')::int) AS newest, max(replace(request_id, 'r', '')::int) AS oldest
       FROM ${table} WHERE account_id = $1 AND ${condition}`,
      [id],
    );
    return [rows[0].count, rows[0].newest, rows[0].oldest];
  };

  test('of an account are the newest 100 refusals and 900 other errors, and those of others stay', async () => {
    const other = await createAccount(client);
    await store({
      errors: [
        ...Array.from({ length: 101 }, (_, index) => errorOf(index, 429)),
        ...Array.from({ length: 902 }, (_, index) => errorOf(index, index % 2 === 0 ? 400 : 503)),
        ...Array.from({ length: 101 }, (_, index) => ({ ...errorOf(index, 429), accountId: other })),
      ],
    });
    await trimErrors(pool, [accountId]);
    expect(await kept('request_errors', 'status = 429')).toEqual([100, 0, 99]);
    expect(await kept('request_errors', 'status <> 429')).toEqual([900, 0, 899]);
    expect(await kept('request_errors', 'true', other)).toEqual([101, 0, 100]);
  });

  test('of an account are the newest 200 slow samples and 800 others', async () => {
    await store({
      samples: [
        ...Array.from({ length: 201 }, (_, index) => sampleOf(index, 1000)),
        ...Array.from({ length: 801 }, (_, index) => sampleOf(index, 999)),
      ],
    });
    await trimSamples(pool, [accountId]);
    expect(await kept('request_samples', 'ms = 1000')).toEqual([200, 0, 199]);
    expect(await kept('request_samples', 'ms = 999')).toEqual([800, 0, 799]);
  });

  test('is forgotten from a time on, and newer usage is not', async () => {
    const hour = now - (now % HOUR_MS);
    const today = new Date(now).toISOString().slice(0, 10);
    await write([counted({ hour: hour - 2 * DAY, requests: 5 }), counted({ hour, requests: 7 })]);
    await store({
      errors: [errorOf(1, 400, now - 2 * DAY), errorOf(2, 400)],
      samples: [sampleOf(1, 5, now - 2 * DAY), sampleOf(2, 5)],
    });
    for (const days of [0, 3])
      await client.query(
        `INSERT INTO webhook_usage_days (account_id, day, accepted, failed, events) VALUES ($1, $2::date - $3::int, 1, 0, 1)`,
        [accountId, today, days],
      );
    await forgetUsage(pool, { hours: hour - DAY, errors: now - DAY });
    expect(await totalRequests()).toBe(7);
    expect([await kept('request_errors', 'true'), await kept('request_samples', 'true')]).toEqual([
      [1, 2, 2],
      [1, 2, 2],
    ]);
    const { rows } = await client.query('SELECT day::text FROM webhook_usage_days WHERE account_id = $1', [
      accountId,
    ]);
    expect(rows).toEqual([{ day: today }]);
  });
});

describe('a search for kept requests', () => {
  const SEARCH = { account: null, keyId: null, route: null, status: null, requestId: null, isError: null };
  let name: string;
  beforeEach(async () => {
    await client.query('TRUNCATE request_errors, request_samples');
    const { rows } = await client.query('SELECT name FROM accounts WHERE id = $1', [accountId]);
    name = rows[0].name;
    const { rows: keys } = await client.query(
      `INSERT INTO api_keys (account_id, hash, scopes) VALUES ($1, sha256(gen_random_uuid()::text::bytea), '{data:read}')
       RETURNING id`,
      [accountId],
    );
    const keyId = keys[0].id as number;
    const other = await createAccount(client);
    const of = (index: number, values: object = {}) => ({
      ...{
        accountId,
        keyId,
        at: now - index * 1000,
        requestId: `r${index}`,
        method: 'GET',
        route: '/v1/contests/{id}',
      },
      ...values,
    });
    await writeUsage(
      pool,
      { writerId: randomUUID(), number: 1 },
      {
        counts: [],
        errors: [1, 3].map((index) => ({
          ...of(index),
          status: 400 + index,
          code: `c${index}`,
          message: 'm',
        })),
        samples: [
          { ...of(0, { keyId: null }), status: 200, ms: 5 },
          { ...of(2, { route: '/v1/stream' }), status: 304, ms: 7 },
          { ...of(4, { accountId: other, keyId: null }), status: 200, ms: 9 },
        ],
      },
    );
    search = async (given) => {
      const found: string[] = [];
      for (let after: ErrorPlace | null = null; ; ) {
        const page = await searchRequests(readers, { ...SEARCH, ...given }, { limit: 2, after });
        found.push(...page.requests.map(({ requestId }) => requestId));
        if (page.next === null) return found;
        after = page.next;
      }
    };
  });
  let search: (given: Partial<Parameters<typeof searchRequests>[1]>) => Promise<string[]>;

  test('finds errors and others among each other, the newest first, in pages without repeats', async () => {
    expect(await search({})).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
    expect(await search({ isError: true })).toEqual(['r1', 'r3']);
    expect(await search({ isError: false })).toEqual(['r0', 'r2', 'r4']);
  });

  test('finds those of an account, a key, a route, a status or an id', async () => {
    // In any case, with or without accents.
    const account = `${name.slice(2, 30).toUpperCase()}\u0301`;
    expect(await search({ account })).toEqual(['r0', 'r1', 'r2', 'r3']);
    const { rows } = await client.query('SELECT max(key_id) AS id FROM request_errors');
    expect(await search({ keyId: rows[0].id })).toEqual(['r1', 'r2', 'r3']);
    expect(await search({ route: '/v1/contests' })).toEqual(['r0', 'r1', 'r3', 'r4']);
    expect([await search({ status: 403 }), await search({ status: 200 })]).toEqual([['r3'], ['r0', 'r4']]);
    expect([await search({ requestId: 'r2' }), await search({ requestId: 'r' })]).toEqual([['r2'], []]);
    const page = await searchRequests(readers, { ...SEARCH, requestId: 'r1' }, { limit: 1 });
    expect(page).toMatchObject({
      next: null,
      requests: [{ account: name, code: 'c1', status: 401, ms: null }],
    });
  });
});

test('the deliveries of an account are those of its last 30 UTC days', async () => {
  const today = now - (now % DAY_MS);
  const add = (days: number, events: number, account = accountId) =>
    client.query(
      `INSERT INTO webhook_usage_days (account_id, day, accepted, failed, events)
       VALUES ($1, (to_timestamp($2) AT TIME ZONE 'UTC')::date, 1, 2, $3)`,
      [account, (today - days * DAY_MS) / 1000, events],
    );
  for (const [days, events] of [
    [0, 3],
    [29, 4],
    [30, 5],
  ] as const)
    await add(days, events);
  await add(0, 9, await createAccount(client));
  const days = await loadDailyDeliveries(readers, accountId);
  expect(days.map(({ events }) => events)).toEqual([4, ...Array(28).fill(0), 3]);
  expect(days.at(-1)).toEqual({ start: new Date(today), accepted: 1, failed: 2, events: 3 });
});
