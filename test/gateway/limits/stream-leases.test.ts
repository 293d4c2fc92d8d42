import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createLeaseId } from '../../../gateway/limits/lease-id.ts';
import { StreamLeases } from '../../../gateway/limits/stream-leases.ts';
import { systemClock } from '../../../service/clock.ts';
import { createLog } from '../../../service/log.ts';
import { createReadPool, type DatabasePool } from '../../../store/connection/read-pool.ts';
import { TcpProxy } from '../../helpers/faults/tcp-proxy.ts';
import { createAccount } from '../../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../../helpers/postgres/database.ts';
import { until } from '../../helpers/until.ts';

const database = useTestDatabase();
const { client } = database;
let accountId: number;
const cleanups: (() => Promise<void>)[] = [];

beforeEach(async () => {
  accountId = await createAccount(client, 'standard');
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/**
 * A gateway's leases, with a connection to the database that can be cut.
 *
 * @param wrap returns the pool that the leases use
 */
async function createGateway(
  times: { expiryMs?: number; renewMs?: number } = {},
  wrap: (pool: DatabasePool) => DatabasePool = (pool) => pool,
) {
  const way: TcpProxy = await TcpProxy.open(database.url);
  const pool: DatabasePool = await createReadPool({
    databaseUrl: way.url,
    maxConnections: 3,
    connectionTimeoutMs: 10_000,
    statementTimeoutMs: 10_000,
  });
  const leases = new StreamLeases({
    pool: wrap(pool),
    clock: systemClock,
    log: createLog('test', 'silent'),
    ...times,
  });
  leases.start();
  cleanups.push(async () => {
    await leases.stop();
    await pool.end();
    await way.close();
  });
  return { leases, way };
}
type Gateway = Awaited<ReturnType<typeof createGateway>>;

/** Opens a stream. Returns the function that closes it, or the code of the refusal. */
async function open({ leases }: Gateway, maxStreams: number | null): Promise<AbortController | string> {
  const closing = new AbortController();
  return leases
    .acquire({ accountId, maxStreams }, (release) => closing.signal.addEventListener('abort', release))
    .then(
      () => closing,
      (error) => error.code,
    );
}

async function mustOpen(gateway: Gateway, maxStreams: number): Promise<AbortController> {
  const opened = await open(gateway, maxStreams);
  if (typeof opened === 'string') throw new Error(opened);
  return opened;
}

async function counted(): Promise<number> {
  const { rows } = await client.query(
    'SELECT count(*)::int FROM stream_leases WHERE account_id = $1 AND expires_at > clock_timestamp()',
    [accountId],
  );
  return rows[0].count;
}

describe('open streams', () => {
  test('of 100 that race for 5 places on two gateways, exactly 5 get one', async () => {
    const gateways = [await createGateway(), await createGateway()] as const;
    for (let round = 0; round < 5; round += 1) {
      const racing = Array.from({ length: 100 }, (_, index) => open(gateways[index % 2 === 0 ? 0 : 1], 5));
      const opened = await Promise.all(racing);
      const streams = opened.filter((result) => typeof result !== 'string');
      expect(streams).toHaveLength(5);
      expect(opened.filter((result) => result === 'too_many_streams')).toHaveLength(95);
      for (const stream of streams) stream.abort();
      await until('the places are free', async () => (await counted()) === 0);
    }
  });

  test('free their place as soon as they close', async () => {
    const gateway = await createGateway();
    const stream = await mustOpen(gateway, 1);
    expect(await open(gateway, 1)).toBe('too_many_streams');
    stream.abort();
    await until('the place is free', async () => typeof (await open(gateway, 1)) !== 'string', 2000);
  });

  test('that close before they get their place do not keep it', async () => {
    const { leases } = await createGateway();
    await leases.acquire({ accountId, maxStreams: 1 }, (release) => release());
    await until('the place is free', async () => (await counted()) === 0, 2000);
  });

  test.each([
    [1, 'one open stream'],
    [2, '2 open streams'],
  ])('beyond %i are refused with the limit and the time of the next try', async (max, streams) => {
    const gateway = await createGateway();
    for (let i = 0; i < max; i += 1) await mustOpen(gateway, max);
    const refused = gateway.leases.acquire({ accountId, maxStreams: max }, () => {});
    await expect(refused).rejects.toMatchObject({
      message: `The account's plan allows ${streams}; close one, or ask again later.`,
      headers: { 'Retry-After': '1' },
    });
  });

  test('that are refused again wait longer, until the account gets a place', async () => {
    const gateway = await createGateway();
    const stream = await mustOpen(gateway, 1);
    const refusedFor = () =>
      gateway.leases
        .acquire({ accountId, maxStreams: 1 }, () => {})
        .then(
          () => null,
          ({ headers }) => Number(headers['Retry-After']),
        );
    expect([await refusedFor(), await refusedFor()]).toEqual([1, 1]);
    await until('the first wait is over', async () => (await refusedFor()) === 2);
    stream.abort();
    await until('the place is free', async () => (await counted()) === 0);
    await mustOpen(gateway, 1);
    expect(await refusedFor()).toBe(1);
  });

  test('get the place that a silent stream gave up on another gateway, which takes it again only while it is free', async () => {
    const [there, here] = [await createGateway(), await createGateway()];
    const plan = { accountId, maxStreams: 2 };
    const closing = new AbortController();
    const silent = await there.leases.acquire(plan, (release) =>
      closing.signal.addEventListener('abort', release),
    );
    await mustOpen(there, 2);
    expect(await open(here, 2)).toBe('too_many_streams');
    await there.leases.release(silent);
    const back = await mustOpen(here, 2);
    expect(await there.leases.reclaim(silent, plan)).toBe(false);
    expect(await counted()).toBe(2);
    back.abort();
    await until('the place is free', async () => (await counted()) === 1);
    expect(await there.leases.reclaim(silent, plan)).toBe(true);
    // It counts once, however often it is taken, and is released as before.
    expect(await there.leases.reclaim(silent, plan)).toBe(true);
    expect(await counted()).toBe(2);
    closing.abort();
    await until('the place is free', async () => (await counted()) === 1);
  });

  test('keep their place if a defect prevents that they take it again', async () => {
    const gateway = await createGateway();
    const plan = { accountId, maxStreams: 1 };
    const id = await gateway.leases.acquire(plan, () => {});
    await gateway.leases.release(id);
    await client.query('ALTER TABLE stream_leases RENAME TO mislaid');
    expect(await gateway.leases.reclaim(id, plan)).toBe(true);
    await client.query('ALTER TABLE mislaid RENAME TO stream_leases');
  });

  test('are not refused for a defect, which is an error', async () => {
    const gateway = await createGateway();
    await client.query('ALTER TABLE stream_leases RENAME TO mislaid');
    const opening = gateway.leases.acquire({ accountId, maxStreams: 1 }, () => {});
    await expect(opening).rejects.toThrow();
    await client.query('ALTER TABLE mislaid RENAME TO stream_leases');
    await mustOpen(gateway, 1);
  });

  test('are not counted if the plan has no limit', async () => {
    const gateway = await createGateway();
    const opened = await Promise.all(Array.from({ length: 50 }, () => open(gateway, null)));
    expect(opened.every((result) => typeof result !== 'string')).toBe(true);
    expect(await counted()).toBe(0);
  });

  test('that take their place again stay without a lease if the plan has no limit', async () => {
    const gateway = await createGateway({ expiryMs: 60_000, renewMs: 20 });
    const plan = { accountId, maxStreams: null };
    const id = await gateway.leases.acquire(plan, () => {});
    await gateway.leases.release(id);
    expect(gateway.leases.countUnlimited()).toEqual({});
    expect(await gateway.leases.reclaim(id, plan)).toBe(true);
    expect(gateway.leases.countUnlimited()).toEqual({ [accountId]: 1 });
    // A lease of another stream is written again, and this one has none.
    const held = await gateway.leases.acquire({ accountId, maxStreams: 5 }, () => {});
    await client.query('DELETE FROM stream_leases WHERE account_id = $1', [accountId]);
    await until('it is written again', async () => (await counted()) > 0);
    const { rows } = await client.query('SELECT id FROM stream_leases WHERE account_id = $1', [accountId]);
    expect(rows.map((row) => row.id)).toEqual([held]);
  });

  test('keep their place while they are open', async () => {
    const gateway = await createGateway({ expiryMs: 600, renewMs: 100 });
    await mustOpen(gateway, 1);
    const expiry = async () =>
      (await client.query('SELECT expires_at FROM stream_leases WHERE account_id = $1', [accountId])).rows[0]
        .expires_at as Date;
    const first = await expiry();
    await until('it was renewed beyond', async () => (await expiry()).getTime() > first.getTime() + 600);
    expect(await open(gateway, 1)).toBe('too_many_streams');
  });

  test('of a killed gateway stop counting when their leases expire', async () => {
    const died = await createGateway({ expiryMs: 500, renewMs: 60_000 });
    const other = await createGateway();
    await mustOpen(died, 2);
    await mustOpen(died, 2);
    expect(await open(other, 2)).toBe('too_many_streams');
    await until('a place is free', async () => typeof (await open(other, 2)) !== 'string', 5000);
  });

  test('that have expired do not count, even while they are being deleted', async () => {
    const gateway = await createGateway();
    for (let round = 0; round < 3; round += 1) {
      await client.query(
        `INSERT INTO stream_leases (id, account_id, gateway_id, expires_at)
         SELECT gen_random_uuid(), $1, gen_random_uuid(), clock_timestamp() - interval '1 millisecond'
         FROM generate_series(1, 5)`,
        [accountId],
      );
      const stream = await mustOpen(gateway, 1);
      expect(await open(gateway, 1)).toBe('too_many_streams');
      stream.abort();
      await until('the place is free', async () => (await counted()) === 0);
    }
  });

  test('are released by a gateway that stops', async () => {
    const gateway = await createGateway();
    await mustOpen(gateway, 5);
    await mustOpen(gateway, 5);
    await gateway.leases.stop();
    expect(await counted()).toBe(0);
  });
});

test('a stream that closes while its lost lease is written again frees its place', async () => {
  const [restoring, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const gateway = await createGateway({ renewMs: 10 }, (pool) => ({
    ...pool,
    async query(statement) {
      const isRestore = statement.sql.includes('INSERT INTO stream_leases');
      if (isRestore) {
        restoring.resolve();
        await released.promise;
      }
      const result = await pool.query(statement);
      if (!isRestore) released.resolve();
      return result;
    },
  }));
  const stream = await mustOpen(gateway, 1);
  await client.query('DELETE FROM stream_leases WHERE account_id = $1', [accountId]);
  await restoring.promise;
  stream.abort();
  await released.promise;
  await gateway.leases.stop();
  expect(await counted()).toBe(0);
});

test('a stream that closes while the lease of another is released frees its place too', async () => {
  let later = '';
  const gateway = await createGateway({}, (pool) => ({
    ...pool,
    async query(statement) {
      const result = await pool.query(statement);
      if (statement.sql.includes('DELETE FROM stream_leases WHERE id')) void gateway.leases.release(later);
      return result;
    },
  }));
  const take = () => gateway.leases.acquire({ accountId, maxStreams: 2 }, () => {});
  const first = await take();
  later = await take();
  await gateway.leases.release(first);
  expect(await counted()).toBe(0);
});

describe('INV-15: the streams beyond a lowered plan', () => {
  const takeOf = async ({ leases }: Gateway, maxStreams: number | null): Promise<string> =>
    leases.acquire({ accountId, maxStreams }, () => {});
  const moveTo = (plan: string) =>
    client.query('UPDATE accounts SET plan = $2 WHERE id = $1', [accountId, plan]);

  test('are the oldest over all gateways together', async () => {
    const [first, second] = [await createGateway(), await createGateway()];
    const taken: string[] = [];
    for (const gateway of [first, second, first, second, first]) {
      taken.push(await takeOf(gateway, 5));
      const { now } = systemClock;
      const begun = now();
      await until('the next millisecond', () => now() > begun + 1);
    }
    expect(await first.leases.findSurplus()).toEqual(new Set());
    await moveTo('free');
    expect(await first.leases.findSurplus()).toEqual(new Set([taken[0], taken[2]]));
    expect(await second.leases.findSurplus()).toEqual(new Set([taken[1], taken[3]]));
  });

  test('include those that began while the plan had no limit', async () => {
    const gateway = await createGateway();
    await moveTo('internal');
    const taken = [await takeOf(gateway, null), await takeOf(gateway, null)];
    expect(await gateway.leases.findSurplus()).toEqual(new Set());
    expect(await counted()).toBe(0);
    await moveTo('free');
    expect(gateway.leases.countUnlimited()).toEqual({ [accountId]: 2 });
    const surplus = await gateway.leases.findSurplus();
    expect(surplus.size).toBe(1);
    expect(taken).toContain([...surplus][0]);
    expect(await counted()).toBe(2);
    expect(gateway.leases.countUnlimited()).toEqual({});
    expect(await open(gateway, 1)).toBe('too_many_streams');
  });

  test('are none that close before or while they are counted, and these free their places', async () => {
    let taken = '';
    const gateway = await createGateway({}, (pool) => ({
      ...pool,
      async query(statement) {
        if (statement.sql.includes('INSERT INTO stream_leases')) await gateway.leases.release(taken);
        return pool.query(statement);
      },
    }));
    await moveTo('internal');
    await gateway.leases.release(await takeOf(gateway, null));
    taken = await takeOf(gateway, null);
    await moveTo('free');
    expect(await gateway.leases.findSurplus()).toEqual(new Set());
    expect(await counted()).toBe(0);
  });

  test('are not those of a killed gateway, whose leases have expired', async () => {
    const gateway = await createGateway();
    await moveTo('free');
    await takeOf(gateway, 1);
    await client.query(
      `INSERT INTO stream_leases (id, account_id, gateway_id, expires_at)
       VALUES ('ffffffff-ffff-7fff-bfff-ffffffffffff', $1, gen_random_uuid(), clock_timestamp())`,
      [accountId],
    );
    expect(await gateway.leases.findSurplus()).toEqual(new Set());
  });

  test('are none of another account', async () => {
    const gateway = await createGateway();
    await takeOf(gateway, 5);
    await takeOf(gateway, 5);
    const otherId = await createAccount(client);
    await gateway.leases.acquire({ accountId: otherId, maxStreams: 1 }, () => {});
    expect(await gateway.leases.findSurplus()).toEqual(new Set());
  });
});

describe('while the database does not answer', () => {
  test('a gateway limits accounts by its own open streams and writes the leases afterwards', async () => {
    const gateway = await createGateway({ renewMs: 100 });
    await mustOpen(gateway, 3);
    gateway.way.sever();
    await mustOpen(gateway, 3);
    const third = await mustOpen(gateway, 3);
    expect(await open(gateway, 3)).toBe('too_many_streams');
    third.abort();
    gateway.way.mend();
    await until('the leases are there', async () => (await counted()) === 2);
    await mustOpen(gateway, 3);
    expect(await open(gateway, 3)).toBe('too_many_streams');
  });

  test('a gateway counts each account by itself', async () => {
    const gateway = await createGateway();
    await mustOpen(gateway, 1);
    const otherId = await createAccount(client, 'standard');
    gateway.way.sever();
    expect(await open(gateway, 1)).toBe('too_many_streams');
    const other = { accountId: otherId, maxStreams: 1 };
    await expect(gateway.leases.acquire(other, () => {})).resolves.toEqual(expect.any(String));
    gateway.way.mend();
  });

  test('for longer than leases last, streams continue, and afterwards they count again exactly', async () => {
    const times = { expiryMs: 400, renewMs: 100 };
    const [cut, other] = [await createGateway(times), await createGateway(times)];
    const kept = await mustOpen(cut, 2);
    cut.way.sever();
    await until('its lease expired', async () => (await counted()) === 0);
    const others = [await mustOpen(other, 2), await mustOpen(other, 2)];
    cut.way.mend();
    // All three are open, which is one too many: no new stream until two have closed.
    await until('it counts again', async () => (await counted()) === 3);
    expect(await open(other, 2)).toBe('too_many_streams');
    kept.abort();
    await until('it has closed', async () => (await counted()) === 2);
    expect(await open(cut, 2)).toBe('too_many_streams');
    others[0]?.abort();
    await until('one has closed', async () => (await counted()) === 1);
    await mustOpen(cut, 2);
    expect(await open(other, 2)).toBe('too_many_streams');
  });
});

test('the streams without a limit are counted by account, of the hundred accounts with the most', async () => {
  const gateway = await createGateway();
  const { leases } = gateway;
  const take = (account: number) => leases.acquire({ accountId: account, maxStreams: null }, () => {});
  const first = await take(1);
  for (let account = 1; account <= 101; account += 1) await take(account);
  await take(101);
  const counts = leases.countUnlimited();
  expect(Object.keys(counts)).toHaveLength(100);
  expect([counts[1], counts[2], counts[100], counts[101]]).toEqual([2, 1, undefined, 2]);
  await leases.release(first);
  expect(leases.countUnlimited()[1]).toBe(1);
});

test('the ids of leases are UUIDs of version 7, and those of later streams are greater', () => {
  const now = Date.parse('2026-11-03T12:00:00Z');
  const ids = [0, 0.9, 1, 256, 65_536, 10_000_000_000].map((later) => createLeaseId(now + later));
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const times = ids.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16) - now);
  expect(times).toEqual([0, 0, 1, 256, 65_536, 10_000_000_000]);
  expect(new Set(ids).size).toBe(ids.length);
});
