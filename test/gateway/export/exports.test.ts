import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { Exports } from '../../../gateway/export/exports.ts';
import { parseCursor } from '../../../schemas/cursor.ts';
import { systemClock } from '../../../service/clock.ts';
import { createLog } from '../../../service/log.ts';
import { type DatabasePool, sql } from '../../../store/connection/read-pool.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';

/** A database without records. */
const transaction = {
  query: async () => {},
  one: async () => ({ epoch: 1, sequence: 0, offsets: [], pid: 1, startedAt: '' }),
  anyFirst: async () => [],
};
const pool = {
  transaction: (work: (connection: typeof transaction) => unknown) => work(transaction),
} as unknown as DatabasePool;

test('INV-15: an export keeps its turn until its client has taken the last line', async () => {
  const { signal } = new AbortController();
  const log = createLog('test', 'silent');
  const exports = new Exports({ pool, clock: systemClock, log, draining: signal });
  const begin = () => exports.begin(sql.fragment`SELECT`, { accountId: 1, requestId: 'x', closed: signal });
  const first = await begin();
  const second = await begin();
  let isBegun = false;
  const third = begin().finally(() => {
    isBegun = true;
  });
  await settle();
  expect(isBegun).toBe(false);
  expect(await text(first)).toContain('{"count":0}');
  for (const body of [second, await third]) body.destroy();
});

test('INV-5: the position of an export has a time before its snapshot, after which changes can follow', async () => {
  const { signal } = new AbortController();
  const clock = new ManualClock();
  const asked = clock.now();
  const slow = { ...transaction, anyFirst: async () => [], query: () => clock.advance(60_000) };
  const late = { transaction: (work: (connection: typeof slow) => unknown) => work(slow) };
  const log = createLog('test', 'silent');
  const exports = new Exports({ pool: late as unknown as DatabasePool, clock, log, draining: signal });
  const body = await exports.begin(sql.fragment`SELECT`, { accountId: 1, requestId: 'x', closed: signal });
  const [first = ''] = (await text(body)).split('\n');
  expect(clock.now()).toBeGreaterThan(asked);
  expect(parseCursor(JSON.parse(first).stream_cursor).time).toBe(asked);
});

test('an export whose database fails ends its request, even if the client has left meanwhile', async () => {
  const { signal } = new AbortController();
  const client = new AbortController();
  const away = {
    transaction: async () => {
      client.abort();
      throw new Error('the database is away');
    },
  };
  const log = createLog('test', 'silent');
  const exports = new Exports({
    pool: away as unknown as DatabasePool,
    clock: systemClock,
    log,
    draining: signal,
  });
  const asked = { accountId: 1, requestId: 'x', closed: client.signal };
  await expect(exports.begin(sql.fragment`SELECT`, asked)).rejects.toThrow('the database is away');
});

test('an export whose database fails while its client takes nothing ends with the error in its last line', async () => {
  const { signal } = new AbortController();
  const answers = [Promise.resolve(Array.from({ length: 500 }, () => 'x'.repeat(2000)))];
  const anyFirst = async () => {
    const records = await answers.shift();
    if (records) return records;
    throw new Error('the database is away');
  };
  const failing = {
    transaction: (work: (connection: object) => unknown) => work({ ...transaction, anyFirst }),
  };
  const exports = new Exports({
    pool: failing as unknown as DatabasePool,
    clock: systemClock,
    log: createLog('test', 'silent'),
    draining: signal,
  });
  const body = await exports.begin(sql.fragment`SELECT`, { accountId: 1, requestId: 'x', closed: signal });
  // The records fill the buffers, and meanwhile the next ones fail.
  await settle();
  const last = (await text(body)).trimEnd().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ error: { code: 'internal_error' } });
});
