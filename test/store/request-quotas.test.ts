import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { forgetQuotas, leaseRequests, type QuotaRequest } from '../../store/access/request-quotas.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';

const START = Date.parse('2026-11-03T12:00:00Z');
const { url, client } = useTestDatabase();
let pool: DatabasePool;
let accountId: number;

beforeAll(async () => {
  pool = await openReadPool(url);
  accountId = await createAccount(client);
});
afterAll(() => pool.end());

const lease = (values: Partial<QuotaRequest> = {}) =>
  leaseRequests(pool, { accountId, kind: 'minute', windowStart: START, limit: 10, size: 4, ...values });

test('a window grants what is left of the limit, also when the limit changes, and each window its own', async () => {
  expect([await lease(), await lease(), await lease(), await lease()]).toEqual([
    { granted: 4, used: 4 },
    { granted: 4, used: 8 },
    { granted: 2, used: 10 },
    { granted: 0, used: 10 },
  ]);
  expect([await lease({ limit: 5 }), await lease({ limit: 12 })]).toEqual([
    { granted: 0, used: 10 },
    { granted: 2, used: 12 },
  ]);
  const others = [
    { windowStart: START + 60_000 },
    { kind: 'day' as const },
    { accountId: await createAccount(client) },
  ];
  for (const other of others) expect(await lease({ ...other, limit: 3 })).toEqual({ granted: 3, used: 3 });
});

test('past windows of each kind are forgotten, and present ones are not', async () => {
  await client.query('TRUNCATE request_quotas');
  for (const windowStart of [START - 60_000, START]) {
    await lease({ windowStart });
    await lease({ windowStart, kind: 'day' });
  }
  await forgetQuotas(pool, { minute: START, day: START - 60_000 });
  const { rows } = await client.query(
    'SELECT kind, (extract(epoch FROM window_start) * 1000)::float8 AS start FROM request_quotas ORDER BY 1, 2',
  );
  expect(rows.map(({ kind, start }) => [kind, start - START])).toEqual([
    ['day', -60_000],
    ['day', 0],
    ['minute', 0],
  ]);
});
