import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readStreamFilter, requireKnownSlugs } from '../../../gateway/selection/stream-filter.ts';
import { createSubscription } from '../../../store/access/subscriptions.ts';
import type { DatabasePool } from '../../../store/connection/read-pool.ts';
import { loadCatalogue, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { createAccount } from '../../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../../helpers/postgres/database.ts';
import { openReadPool } from '../../helpers/postgres/read-pool.ts';

const { client, url } = useTestDatabase();
const SAVED = { states: ['OR'], categories: ['gone'] };
let pool: DatabasePool;
let accountId: number;
let id: number;

beforeAll(async () => {
  await loadCatalogue(url, SMALL_BALLOT);
  pool = await openReadPool(url);
  accountId = await createAccount(client);
  const values = { accountId, name: 'Mine', filter: SAVED, limit: 5, now: new Date(), idempotency: null };
  ({ id } = await createSubscription(pool, values));
});
afterAll(() => pool.end());

const read = (query: Parameters<typeof readStreamFilter>[0], account = accountId) =>
  readStreamFilter(query, account, pool);
const refusal = (code: string, ...words: string[]) =>
  expect.objectContaining({ code, message: expect.stringMatching(words.join('.*')) });

test('a filter has the parameters of the request that are fields, and a subscription its own', async () => {
  const query = { states: ['OR'], elections: ['or-2026-11-03-general'], endorsers: undefined, limit: 5 };
  expect(await read(query)).toEqual({
    filter: { states: ['OR'], elections: ['or-2026-11-03-general'] },
    subscription: null,
  });
  expect(await read({})).toEqual({ filter: {}, subscription: null });
  // A saved filter was checked when it was saved; what has gone since makes no stream fail.
  for (const subscription of ['Mine', ' Mine ', String(id)]) {
    expect(await read({ subscription, states: undefined })).toEqual({
      filter: SAVED,
      subscription: { id, name: 'Mine', filter: SAVED },
    });
  }
});

test('a filter with an unknown slug, or beside a subscription, is refused', async () => {
  await expect(read({ endorsers: ['coast-gazette', 'nobody'] })).rejects.toEqual(
    refusal('invalid_parameter', 'endorsers has "nobody"', 'no endorser has that slug'),
  );
  await expect(read({ categories: ['newspaper'], elections: ['or-1900'] })).rejects.toEqual(
    refusal('invalid_parameter', 'elections has "or-1900"', 'no election has'),
  );
  await expect(read({ subscription: 'Mine', states: ['OR'] })).rejects.toEqual(
    refusal('invalid_parameter', 'subscription and states exclude each other'),
  );
  // It is told even if there is no such subscription.
  await expect(read({ subscription: 'Other', levels: ['city'] })).rejects.toEqual(
    refusal('invalid_parameter', 'subscription and levels exclude each other'),
  );
});

test('an account has its own subscriptions alone', async () => {
  const other = await createAccount(client);
  for (const subscription of ['Mine', String(id)]) {
    await expect(read({ subscription }, other)).rejects.toEqual(
      refusal('subscription_not_found', `has no subscription "${subscription}"`),
    );
  }
  await expect(read({ subscription: 'mine' })).rejects.toEqual(refusal('subscription_not_found', '"mine"'));
});

test('an unknown slug is named as the request names its field', async () => {
  const names = { categories: 'endorser.categories' };
  await expect(requireKnownSlugs({ categories: ['x'] }, 'invalid_filter', pool, names)).rejects.toEqual(
    refusal('invalid_filter', '^endorser.categories has "x"', 'no endorser category has'),
  );
  await expect(requireKnownSlugs({ endorsers: ['x'] }, 'invalid_filter', pool, names)).rejects.toEqual(
    refusal('invalid_filter', '^endorsers has "x"'),
  );
});
