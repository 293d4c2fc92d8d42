import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createReadPool, type DatabasePool, isReachable, sql } from '../../store/connection/read-pool.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const STATEMENT_MS = 500;
/** The statement timeout, the driver's margin of a second, and the time to end gracefully. */
const BOUND_MS = STATEMENT_MS + 1000 + 500 + 1000;
/** How long a busy machine may take to connect. */
const BUSY_MS = 20_000;

const database = useTestDatabase();
let way: TcpProxy;
let pool: DatabasePool;

beforeEach(async () => {
  way = await TcpProxy.open(database.url);
  pool = await openPool(way.url);
});
afterEach(async () => {
  await way.close();
  await pool.end();
});

const openPool = (databaseUrl: string, connectionTimeoutMs = STATEMENT_MS) =>
  createReadPool({
    databaseUrl,
    maxConnections: 3,
    connectionTimeoutMs,
    statementTimeoutMs: STATEMENT_MS,
  });
const one = sql.type(z.object({ n: z.number() }))`SELECT 1 AS n`;
const backend = sql.type(z.object({ pid: z.number() }))`SELECT pg_backend_pid() AS pid FROM pg_sleep(0.1)`;
const openAll = () => Promise.all([1, 2, 3].map(() => pool.oneFirst(backend)));

test('an unanswered query ends, wherever it waits', async () => {
  await openAll();
  way.silence();
  const started = performance.now();
  const asked = await Promise.allSettled(Array.from({ length: 10 }, () => pool.oneFirst(one)));
  expect(asked.map(({ status }) => status)).toEqual(Array.from(asked, () => 'rejected'));
  expect(performance.now() - started).toBeLessThan(BOUND_MS + STATEMENT_MS);
  expect(await isReachable(pool)).toBe(false);
});

test('one silent connection ends the idle ones, and new connections are made as soon as possible', async () => {
  await pool.end();
  pool = await openPool(way.url, BUSY_MS);
  const time = async () => {
    const startedAt = performance.now();
    const pids = await openAll();
    return { pids, tookMs: performance.now() - startedAt };
  };
  let before = await time();
  const usualMs = before.tookMs;
  let extraMs = Number.POSITIVE_INFINITY;
  // The best of five, since other programs on the machine take time too.
  for (let tries = 0; tries < 5 && extraMs >= STATEMENT_MS; tries += 1) {
    way.silence();
    await expect(pool.oneFirst(one)).rejects.toThrow();
    way.mend();
    const after = await time();
    expect(before.pids.filter((pid) => after.pids.includes(pid))).toEqual([]);
    extraMs = after.tookMs - usualMs;
    before = after;
  }
  expect(extraMs).toBeLessThan(STATEMENT_MS);
  expect(await isReachable(pool)).toBe(true);
});

test('a transaction does not wait again for its rollback', async () => {
  await pool.end();
  pool = await openPool(way.url, BUSY_MS);
  let started = Number.NaN;
  const work = pool.transaction(async (transaction) => {
    await transaction.oneFirst(one);
    way.silence();
    started = performance.now();
    return transaction.oneFirst(one);
  });
  await expect(work).rejects.toThrow();
  expect(performance.now() - started).toBeLessThan(BOUND_MS);
});

test('an answer that arrives while the process is busy counts', async () => {
  const direct = await openPool(database.url);
  await direct.oneFirst(one);
  const asked = direct.oneFirst(one);
  await setImmediate();
  const end = performance.now() + BOUND_MS;
  while (performance.now() < end);
  expect(await asked).toBe(1);
  await direct.end();
});
