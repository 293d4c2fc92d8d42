/** Operators change accounts, keys and plans at the same time, or again. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClientBase } from 'pg';
import { noteKeyUses } from '../../store/access/api-keys.ts';
import {
  AccountMovedError,
  ensureAccount,
  listAccounts,
  setAccountPlan,
  setAccountSuspended,
} from '../../store/accounts/accounts.ts';
import { listAudit, recordAudit } from '../../store/accounts/audit-log.ts';
import {
  listAllowedEndorsers,
  setEndorsersAllowed,
  UnknownEndorsersError,
} from '../../store/accounts/endorsers.ts';
import { issueKeyOf, isUsableKey, revokeKey, TooManyKeysError } from '../../store/accounts/issued-keys.ts';
import {
  countUsableKeys,
  findKeyOf,
  type KeyPlace,
  listBusyPredecessors,
  listKeys,
  listKeysOf,
} from '../../store/accounts/listed-keys.ts';
import { changePlan, listPlans, PlanChangedError, PlanMismatchError } from '../../store/accounts/plans.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { isWaiting, overlap } from '../helpers/postgres/overlap.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';
import { until } from '../helpers/until.ts';

const { url, client } = useTestDatabase();
const pool = usePool(url);
const ACTOR = { osUser: 'ada', person: null };
/** The connections of a gateway. */
let gateway: DatabasePool;
let acme: { id: number; name: string };

beforeAll(async () => {
  gateway = await openReadPool(url);
});
afterAll(() => gateway.end());
beforeEach(async () => {
  await client.query('TRUNCATE audit_log, accounts RESTART IDENTITY CASCADE');
  acme = { id: await ensureAccount(client, { name: 'acme', plan: 'free' }, ACTOR), name: 'acme' };
  await client.query('TRUNCATE audit_log');
});

async function audited(): Promise<string[]> {
  const { rows } = await client.query<{ action: string }>('SELECT action FROM audit_log ORDER BY id');
  return rows.map(({ action }) => action);
}

async function planOf(name: string): Promise<string> {
  const { rows } = await client.query('SELECT plan FROM accounts WHERE name = $1', [name]);
  return rows[0]?.plan;
}

describe('a plan', () => {
  const limitsOf = async (name: string) => (await listPlans(client)).find((plan) => plan.name === name);

  test('keeps both changes if two operators change different limits at the same time', async () => {
    const plan = await overlap(
      pool,
      (one) => changePlan(one, 'standard', { requestsPerDay: 9000 }, ACTOR),
      (other) => changePlan(other, 'standard', { maxStreams: 7 }, ACTOR),
    );
    expect(plan).toEqual({
      name: 'standard',
      requestsPerMinute: 600,
      requestsPerDay: 9000,
      maxStreams: 7,
      maxWebhooks: 5,
    });
    expect(await limitsOf('standard')).toEqual(plan);
  });

  test('is not changed by an operator who has seen the limits from before a change at the same time', async () => {
    const seen = { requestsPerMinute: 6000, requestsPerDay: null, maxStreams: 50, maxWebhooks: null };
    const change = (maxStreams: number) => (on: ClientBase) =>
      changePlan(on, 'partner', { maxStreams }, ACTOR, seen);
    const second = overlap(pool, change(60), change(70));
    await expect(second).rejects.toThrow(PlanChangedError);
    expect(await limitsOf('partner')).toEqual({ name: 'partner', ...seen, maxStreams: 60 });
    expect(await audited()).toEqual(['plan.changed']);
    // A form that is sent again, because its answer was lost, has changed the plan already.
    expect(await inTransaction(pool, change(60))).toEqual({ name: 'partner', ...seen, maxStreams: 60 });
    expect(await audited()).toEqual(['plan.changed']);
  });
});

describe('an account', () => {
  const moveTo = (plan: string, seen: string | null) => (on: ClientBase) =>
    setAccountPlan(on, 'acme', plan, ACTOR, seen);

  test('is not moved by an operator who has seen the plan from before a move at the same time', async () => {
    const second = overlap(pool, moveTo('partner', 'free'), moveTo('standard', 'free'));
    await expect(second).rejects.toThrow(AccountMovedError);
    expect(await planOf('acme')).toBe('partner');
    expect(await audited()).toEqual(['account.plan_changed']);
  });

  test('stays on a plan to which two operators move it at the same time, and the second one is not refused', async () => {
    expect(await overlap(pool, moveTo('partner', 'free'), moveTo('partner', 'free'))).toBe(true);
    expect(await planOf('acme')).toBe('partner');
    expect(await audited()).toEqual(['account.plan_changed']);
  });

  test('is suspended once by two operators at the same time, and keeps the time of the first', async () => {
    const suspend = (on: ClientBase) => setAccountSuspended(on, 'acme', true, ACTOR);
    expect(await overlap(pool, suspend, suspend)).toBe(true);
    expect(await audited()).toEqual(['account.suspended']);
    const suspendedAt = async () => (await client.query('SELECT suspended_at FROM accounts')).rows;
    const before = await suspendedAt();
    expect(await inTransaction(pool, suspend)).toBe(true);
    expect(await suspendedAt()).toEqual(before);
  });

  test('that is resumed gets no test of a webhook that was asked for before it, and others keep theirs', async () => {
    const other = await ensureAccount(client, { name: 'other', plan: 'free' }, ACTOR);
    for (const accountId of [acme.id, other]) {
      await client.query(
        `INSERT INTO webhooks (account_id, name, url, filter, secret, cursor, test_message, created_at, updated_at)
         VALUES ($1, 'Site', 'https://hooks.example.org/', '{}', '\\x00', 'start', 'msg_t', now(), now())`,
        [accountId],
      );
    }
    for (const isSuspended of [true, false]) await setAccountSuspended(client, 'acme', isSuspended, ACTOR);
    const { rows } = await client.query('SELECT account_id, test_message FROM webhooks ORDER BY account_id');
    expect(rows.map((row) => [row.account_id, row.test_message])).toEqual([
      [acme.id, null],
      [other, 'msg_t'],
    ]);
  });

  test('is made once by two operators at the same time, and only with one plan', async () => {
    const make = (plan: string) => (on: ClientBase) => ensureAccount(on, { name: 'new', plan }, ACTOR);
    const id = await overlap(pool, make('free'), make('free'));
    expect(id).toBe(await make('free')(client));
    expect(await audited()).toEqual(['account.created']);

    const second = overlap(
      pool,
      (on) => ensureAccount(on, { name: 'newer', plan: 'free' }, ACTOR),
      (on) => ensureAccount(on, { name: 'newer', plan: 'partner' }, ACTOR),
    );
    await expect(second).rejects.toThrow(PlanMismatchError);
    expect(await planOf('newer')).toBe('free');
  });
});

describe('a key', () => {
  const grant = { scopes: ['data:read'], expiresAt: null } as const;

  test('is revoked once by two operators at the same time', async () => {
    const issued = await issueKeyOf(client, acme, grant, ACTOR);
    const revoke = (on: ClientBase) => revokeKey(on, issued?.id ?? 0, ACTOR);
    expect(await overlap(pool, revoke, revoke)).toBe(true);
    expect(await audited()).toEqual(['key.created', 'key.revoked']);
  });

  test('is made once by a form that is sent twice at the same time', async () => {
    const formId = '5f2d1c1e-0b57-4c8e-9f57-2d1f9b7c0001';
    const issue = (on: ClientBase) => issueKeyOf(on, acme, { ...grant, formId }, ACTOR);
    expect(await overlap(pool, issue, issue)).toBeNull();
    expect(await audited()).toEqual(['key.created']);
  });

  const addNinetyNineKeys = () =>
    client.query(
      `INSERT INTO api_keys (account_id, hash, scopes)
       SELECT $1, sha256(n::text::bytea), '{data:read}' FROM generate_series(1, 99) AS n`,
      [acme.id],
    );

  test('is the last of a hundred for one of two operators at the same time', async () => {
    await addNinetyNineKeys();
    const issue = (on: ClientBase) => issueKeyOf(on, acme, grant, ACTOR);
    await expect(overlap(pool, issue, issue)).rejects.toThrow(TooManyKeysError);
    expect(await audited()).toEqual(['key.created']);
  });

  test('that is the last of a hundred is made once by a form that is sent again', async () => {
    await addNinetyNineKeys();
    const formId = '5f2d1c1e-0b57-4c8e-9f57-2d1f9b7c0002';
    expect(await issueKeyOf(client, acme, { ...grant, formId }, ACTOR)).not.toBeNull();
    expect(await issueKeyOf(client, acme, { ...grant, formId }, ACTOR)).toBeNull();
  });

  test('that is still used counts as replaced only while its successor can be used', async () => {
    const { id: old = 0 } = (await issueKeyOf(client, acme, grant, ACTOR)) ?? {};
    const { id: fresh = 0 } = (await issueKeyOf(client, acme, { ...grant, replaces: old }, ACTOR)) ?? {};
    const busy = async () => (await listBusyPredecessors(client, acme.id)).map(({ id }) => id);
    expect(await busy()).toEqual([]);
    await noteKeyUses(gateway, new Map([[old, Date.now() + 60_000]]));
    expect(await busy()).toEqual([old]);
    await revokeKey(client, fresh, ACTOR);
    expect(await busy()).toEqual([]);
  });

  test('can be used until it expires or is revoked, or its account is suspended', async () => {
    const issue = async (expiresAt: Date | null = null) => {
      const issued = await issueKeyOf(client, acme, { ...grant, expiresAt }, ACTOR);
      return issued ?? { id: 0, key: '' };
    };
    const [lasting, expired, later] = [
      await issue(),
      await issue(new Date(Date.now() - 1000)),
      await issue(new Date(Date.now() + 600_000)),
    ];
    const usable = async () => {
      const keys = [lasting.key, expired.key, later.key, 'unknown'];
      const all: boolean[] = [];
      for (const key of keys) all.push(await isUsableKey(client, key));
      return all;
    };
    const counts = async () => [
      await countUsableKeys(client, acme.id),
      (await listAccounts(client, { id: acme.id }))[0]?.usableKeys,
    ];
    expect([await usable(), await counts()]).toEqual([
      [true, false, true, false],
      [2, 2],
    ]);
    await revokeKey(client, lasting.id, ACTOR);
    expect([await usable(), await counts()]).toEqual([
      [false, false, true, false],
      [1, 1],
    ]);
    await setAccountSuspended(client, 'acme', true, ACTOR);
    expect([await usable(), await counts()]).toEqual([Array(4).fill(false), [1, 0]]);
    await setAccountSuspended(client, 'acme', false, ACTOR);
    expect((await usable())[2]).toBe(true);
    expect((await audited()).slice(-2)).toEqual(['account.suspended', 'account.resumed']);
  });

  test('is found and revoked by its own account alone, once, or by an operator', async () => {
    const { id = 0 } = (await issueKeyOf(client, acme, { ...grant, name: 'Ours' }, ACTOR)) ?? {};
    const other = await ensureAccount(client, { name: 'other', plan: 'free' }, ACTOR);
    expect([await findKeyOf(client, other, id), (await findKeyOf(client, acme.id, id))?.name]).toEqual([
      null,
      'Ours',
    ]);
    expect(await revokeKey(client, id, ACTOR, other)).toBe(false);
    const revokedAt = async () => (await findKeyOf(client, acme.id, id))?.revokedAt;
    expect(await revokedAt()).toBeNull();
    expect(await revokeKey(client, id, ACTOR, acme.id)).toBe(true);
    const at = await revokedAt();
    expect(at).toEqual(expect.any(Date));
    expect([await revokeKey(client, id, ACTOR), await revokedAt()]).toEqual([true, at]);
    expect(await revokeKey(client, 999, ACTOR)).toBe(false);
    expect((await audited()).filter((action) => action === 'key.revoked')).toHaveLength(1);
  });

  test('that is revoked or expired comes after usable ones in the pages of its account, the newest first', async () => {
    const ids: number[] = [];
    for (let key = 0; key < 6; key += 1) {
      const expiresAt = key === 2 ? new Date(Date.now() - 1000) : null;
      ids.push((await issueKeyOf(client, acme, { ...grant, expiresAt }, ACTOR))?.id ?? 0);
    }
    await revokeKey(client, ids[4] ?? 0, ACTOR);
    const other = { id: await ensureAccount(client, { name: 'other', plan: 'free' }, ACTOR), name: 'other' };
    await issueKeyOf(client, other, grant, ACTOR);
    const pages: number[][] = [];
    for (let after: KeyPlace | null = null; pages.length === 0 || after; ) {
      const page = await listKeysOf(client, acme.id, { limit: 3, after });
      pages.push(page.keys.map(({ id }) => ids.indexOf(id)));
      after = page.next;
    }
    expect(pages).toEqual([
      [5, 3, 1],
      [0, 4, 2],
    ]);
  });

  test('has its own latest use among those of others', async () => {
    const ids: number[] = [];
    for (let key = 0; key < 3; key += 1) ids.push((await issueKeyOf(client, acme, grant, ACTOR))?.id ?? 0);
    const [first = 0, second = 0, third = 0] = ids;
    await noteKeyUses(
      gateway,
      new Map([
        [second, 2000],
        [first, 1000],
      ]),
    );
    const uses = new Map((await listKeys(client)).map(({ id, lastUsedAt }) => [id, lastUsedAt?.getTime()]));
    expect(uses).toEqual(
      new Map([
        [first, 1000],
        [second, 2000],
        [third, undefined],
      ]),
    );
  });

  test('keeps its latest use if gateways note their uses in another order', async () => {
    const { id = 0 } = (await issueKeyOf(client, acme, grant, ACTOR)) ?? {};
    const lastUse = async () => (await listKeys(client))[0]?.lastUsedAt?.getTime();
    await noteKeyUses(gateway, new Map([[id, 2000]]));
    await noteKeyUses(gateway, new Map([[id, 1000]]));
    expect(await lastUse()).toBe(2000);
    await noteKeyUses(gateway, new Map([[id, 3000]]));
    expect(await lastUse()).toBe(3000);
  });

  test('are locked in the order of their ids, so that gateways that note their uses do not block each other', async () => {
    const ids: number[] = [];
    for (let key = 0; key < 2; key += 1) ids.push((await issueKeyOf(client, acme, grant, ACTOR))?.id ?? 0);
    // Its row is now the last one of the table.
    await client.query('UPDATE api_keys SET name = name WHERE id = $1', [ids[0]]);
    let noting: Promise<void> | undefined;
    await inTransaction(pool, async (other) => {
      for (const [index, id] of ids.entries()) {
        await other.query('SELECT FROM api_keys WHERE id = $1 FOR UPDATE', [id]);
        if (index > 0) continue;
        noting = noteKeyUses(gateway, new Map(ids.toReversed().map((each) => [each, 1000])));
        await until('the gateway waits', () => isWaiting(pool));
      }
    });
    await noting;
    expect((await listKeys(client)).map(({ lastUsedAt }) => lastUsedAt?.getTime())).toEqual([1000, 1000]);
  });
});

describe('accounts', () => {
  test('are listed by name, in pages, by a part of the name in any case, or by the whole name', async () => {
    for (const name of ['Bakers', 'bakery', 'Zoo', 'Peña’s Club'])
      await ensureAccount(client, { name, plan: 'standard' }, ACTOR);
    const names = async (search: Parameters<typeof listAccounts>[1]) =>
      (await listAccounts(client, search)).map(({ name }) => name);
    const all = await names({});
    expect(all.toSorted()).toEqual(['Bakers', 'Peña’s Club', 'Zoo', 'acme', 'bakery']);
    expect(await names({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await names({ after: all[1] ?? '', limit: 5 })).toEqual(all.slice(2));
    expect((await names({ contains: 'BAKE' })).toSorted()).toEqual(['Bakers', 'bakery']);
    for (const contains of ['penas', 'PEÑA'.normalize('NFD'), "a's  club"]) {
      expect(await names({ contains })).toEqual(['Peña’s Club']);
    }
    expect([
      await names({ contains: '%' }),
      await names({ name: ' Zoo ' }),
      await names({ name: 'zoo' }),
    ]).toEqual([[], ['Zoo'], []]);
    expect(await names({ id: acme.id })).toEqual(['acme']);
  });

  test('that nobody has made are neither suspended nor moved', async () => {
    expect(await setAccountSuspended(client, 'nobody', true, ACTOR)).toBe(false);
    expect(await setAccountPlan(client, 'nobody', 'free', ACTOR)).toBe(false);
    await expect(setAccountPlan(client, 'acme', 'gold', ACTOR)).rejects.toThrow(
      'There is no plan "gold"; there are: free, internal, partner, standard.',
    );
    expect(await audited()).toEqual([]);
  });
});

describe('the endorsers for which an account may publish', () => {
  beforeEach(async () => {
    await client.query('TRUNCATE endorsers, endorser_categories CASCADE');
    await client.query(`INSERT INTO endorser_categories (slug, name) VALUES ('c', 'C')`);
    await client.query(
      `INSERT INTO endorsers (slug, name, category) SELECT slug, upper(slug), 'c' FROM unnest('{b,a,c}'::text[]) slug`,
    );
  });
  const set = (isAllowed: boolean, ...slugs: string[]) =>
    setEndorsersAllowed(client, acme, { slugs, isAllowed }, ACTOR);
  const listed = async (page?: Parameters<typeof listAllowedEndorsers>[2], id = acme.id) =>
    (await listAllowedEndorsers(client, id, page)).map(({ slug }) => slug);
  const details = async () =>
    (await client.query('SELECT action, details FROM audit_log ORDER BY id')).rows.map(
      ({ action, details: { endorsers } }) => `${action} ${endorsers}`,
    );

  test('change only where they differ, which the audit log says', async () => {
    const other = await ensureAccount(client, { name: 'other', plan: 'free' }, ACTOR);
    await client.query('TRUNCATE audit_log');
    await client.query('INSERT INTO account_endorsers SELECT $1, id FROM endorsers', [other]);
    expect(await set(true, 'b', 'a')).toEqual(['a', 'b']);
    expect(await set(true, 'c', 'b')).toEqual(['c']);
    expect(await set(true, 'c', 'b')).toEqual([]);
    expect(await set(false, 'a', 'c')).toEqual(['a', 'c']);
    expect(await set(false, 'a', 'c')).toEqual([]);
    expect([await listed(), await listed({}, other)]).toEqual([['b'], ['a', 'b', 'c']]);
    expect(await details()).toEqual([
      'account.endorsers_allowed a,b',
      'account.endorsers_allowed c',
      'account.endorsers_disallowed a,c',
    ]);
    expect((await listAccounts(client)).map(({ name, endorsers }) => [name, endorsers])).toEqual([
      ['acme', 1],
      ['other', 3],
    ]);
  });

  test('do not change at all if one of them does not exist', async () => {
    const refused = set(true, 'a', 'x', 'b', 'y');
    await expect(refused).rejects.toThrow(UnknownEndorsersError);
    await expect(refused).rejects.toThrow('There are no endorsers x, y.');
    expect([await listed(), await details()]).toEqual([[], []]);
  });

  test('are listed by slug, in pages', async () => {
    await set(true, 'c', 'a', 'b');
    expect([await listed(), await listed({ limit: 2 }), await listed({ after: 'a', limit: 2 })]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b'],
      ['b', 'c'],
    ]);
  });
});

test('the audit log is listed from its end, for all accounts or for one', async () => {
  const other = await ensureAccount(client, { name: 'other', plan: 'free' }, ACTOR);
  await client.query('TRUNCATE audit_log');
  const record = (subject: string, accountId?: number) =>
    recordAudit(
      client,
      { osUser: null, person: 'eve' },
      {
        ...{ action: 'key.created', subject, details: { a: 1 } },
        ...(accountId !== undefined && { accountId }),
      },
    );
  await record('one', acme.id);
  await record('two', other);
  await record('three', acme.id);
  await record('four');
  const subjects = async (page: Parameters<typeof listAudit>[1]) =>
    (await listAudit(client, page)).map(({ subject }) => subject);
  expect(await subjects({ limit: 3 })).toEqual(['two', 'three', 'four']);
  expect(await subjects({ limit: 10, accountId: acme.id })).toEqual(['one', 'three']);
  const [, two, three] = await listAudit(client, { limit: 10 });
  expect(await subjects({ limit: 10, before: three?.id ?? 0 })).toEqual(['one', 'two']);
  expect(two).toMatchObject({ action: 'key.created', osUser: null, person: 'eve', details: { a: 1 } });
});
