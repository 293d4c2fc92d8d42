/** Operators change accounts, keys and plans at the same time, or again. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg, { type ClientBase } from 'pg';
import { noteKeyUses } from '../../store/access/api-keys.ts';
import {
  AccountMovedError,
  ensureAccount,
  setAccountPlan,
  setAccountSuspended,
} from '../../store/accounts/accounts.ts';
import { issueKeyOf, revokeKey, TooManyKeysError } from '../../store/accounts/issued-keys.ts';
import { listBusyPredecessors, listKeys } from '../../store/accounts/listed-keys.ts';
import { changePlan, listPlans, PlanChangedError, PlanMismatchError } from '../../store/accounts/plans.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { overlap } from '../helpers/postgres/overlap.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';

const { url, client } = useTestDatabase();
const pool = new pg.Pool({ connectionString: url });
const ACTOR = { osUser: 'ada', person: null };
/** The connections of a gateway. */
let gateway: DatabasePool;
let acme: { id: number; name: string };

beforeAll(async () => {
  gateway = await openReadPool(url);
});
afterAll(() => Promise.all([pool.end(), gateway.end()]));
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
});
