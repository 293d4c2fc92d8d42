import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { IdempotencyKeyReusedError, makeOnce } from '../../store/access/idempotency.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';

const HOUR = 60 * 60 * 1000;
const REMEMBERED_MS = 24 * HOUR;
const BEGINNING = Date.parse('2026-11-03T12:00:00Z');

const { url, client } = useTestDatabase();
let pool: DatabasePool;
let ours: number;
let theirs: number;
let made: number;

beforeAll(async () => {
  pool = await openReadPool(url);
  [ours, theirs] = [await createAccount(client), await createAccount(client)];
});
afterAll(() => pool.end());
beforeEach(async () => {
  made = 0;
  await client.query('TRUNCATE idempotency_keys');
});

interface Asking {
  key?: string | null;
  body?: string;
  accountId?: number;
  kind?: 'subscription' | 'publication' | 'webhook';
  /** The time since the beginning, in milliseconds. */
  at?: number;
}

/** Asks for a record. Each one that is made has the next number. @returns its number and its JSON */
async function ask({ key = 'k', body = 'a', accountId = ours, kind = 'subscription', at = 0 }: Asking = {}) {
  const idempotency = key === null ? null : { key, requestHash: Buffer.from(body) };
  const request = { accountId, idempotency, kind, now: new Date(BEGINNING + at) };
  const { id, record } = await pool.transaction((transaction) =>
    makeOnce(transaction, request, async () => {
      made += 1;
      return { id: made, record: `${kind} ${made}` };
    }),
  );
  return [id, record];
}

const keys = async () =>
  (await client.query('SELECT key FROM idempotency_keys ORDER BY key')).rows.map((row) => row.key);

describe('an Idempotency-Key', () => {
  test('makes a record once, for its account alone; without a key, each request makes one', async () => {
    expect([await ask(), await ask(), await ask({ accountId: theirs })]).toEqual([
      [1, 'subscription 1'],
      [1, 'subscription 1'],
      [2, 'subscription 2'],
    ]);
    expect([await ask({ key: 'other' }), await ask({ key: null }), await ask({ key: null })]).toEqual([
      [3, 'subscription 3'],
      [4, 'subscription 4'],
      [5, 'subscription 5'],
    ]);
  });

  test('of another request is refused, and makes nothing', async () => {
    await ask();
    await expect(ask({ body: 'b' })).rejects.toThrow(IdempotencyKeyReusedError);
    expect([made, await ask()]).toEqual([1, [1, 'subscription 1']]);
  });

  test('is remembered for a day, and then has the newest record of any kind', async () => {
    await ask();
    expect(await ask({ at: REMEMBERED_MS - 1 })).toEqual([1, 'subscription 1']);
    const later = { at: REMEMBERED_MS, body: 'b' };
    for (const kind of ['webhook', 'publication'] as const) {
      expect(await ask({ ...later, kind })).toEqual([2, 'webhook 2']);
    }
    await expect(ask({ at: REMEMBERED_MS })).rejects.toThrow(IdempotencyKeyReusedError);
    expect(await ask({ ...later, at: 2 * REMEMBERED_MS - 1 })).toEqual([2, 'webhook 2']);
    expect(await ask({ ...later, at: 2 * REMEMBERED_MS, kind: 'publication' })).toEqual([3, 'publication 3']);
  });

  test('that has expired is forgotten when another one is stored', async () => {
    await ask({ key: 'first' });
    await ask({ key: 'second', at: 1, accountId: theirs });
    await ask({ key: 'third', at: REMEMBERED_MS - 1 });
    expect(await keys()).toEqual(['first', 'second', 'third']);
    await ask({ key: 'fourth', at: REMEMBERED_MS });
    expect(await keys()).toEqual(['fourth', 'second', 'third']);
  });

  test('INV-15: is forgotten after 1,000 others of its account', async () => {
    await ask({ key: 'first' });
    await ask({ key: 'first', accountId: theirs });
    await client.query(
      `INSERT INTO idempotency_keys (account_id, key, request_hash, subscription_id, answer, created_at)
       SELECT $1, 'other ' || number, '', 1, '', $2::timestamptz + number * interval '1 ms'
       FROM generate_series(1, 999) AS number`,
      [ours, new Date(BEGINNING)],
    );
    expect(await ask({ key: 'first' })).toEqual([1, 'subscription 1']);
    await ask({ key: 'last', at: 1000 });
    expect(await ask({ key: 'first', accountId: theirs })).toEqual([2, 'subscription 2']);
    expect(await ask({ key: 'first', at: 1001 })).toEqual([4, 'subscription 4']);
  });

  test('is not used up by a request that fails', async () => {
    const request = { accountId: ours, idempotency: { key: 'k', requestHash: Buffer.from('a') } };
    const failing = pool.transaction((transaction) =>
      makeOnce(transaction, { ...request, kind: 'webhook', now: new Date(BEGINNING) }, () =>
        Promise.reject(new Error('full')),
      ),
    );
    await expect(failing).rejects.toThrow('full');
    expect(await ask({ body: 'b' })).toEqual([1, 'subscription 1']);
  });
});
