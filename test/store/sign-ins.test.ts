/** Links, sign-ins and sessions of the console, and the accounts that a person may see. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hashToken } from '../../schemas/console-token.ts';
import { findSession, findSessionStates } from '../../store/access/console-sessions.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { findAccountFor, findAccountId, listAccountsOf } from '../../store/console/accounts.ts';
import { createLink, findLink, LINK_MINUTES, useLink } from '../../store/console/links.ts';
import { findFirstAccount } from '../../store/console/people.ts';
import {
  endSession,
  endSessions,
  forgetExpired,
  startSession,
  switchSession,
} from '../../store/console/sessions.ts';
import { beginSignIn, takeSignIn } from '../../store/console/sign-ins.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';

const { client, url } = useTestDatabase();
const ACTOR = { osUser: 'ada', person: null };
let pool: DatabasePool;
/** Two accounts, and a suspended one. */
let acme: number;
let birch: number;
let closed: number;

beforeAll(async () => {
  pool = await openReadPool(url);
});
afterAll(() => pool.end());
beforeEach(async () => {
  await client.query('TRUNCATE people, accounts, audit_log, console_sign_ins CASCADE');
  const { rows } = await client.query(
    `INSERT INTO accounts (name, plan, suspended_at)
     VALUES ('acme', 'free', NULL), ('birch', 'standard', NULL), ('closed', 'free', now()) RETURNING id`,
  );
  [acme, birch, closed] = rows.map(({ id }) => id) as [number, number, number];
});

/** A person who has these roles. @returns the person's id */
async function addPerson(name: string, roles: Record<number, string>, isOperator = false): Promise<number> {
  const { rows } = await client.query(
    `INSERT INTO people (issuer, subject, email, name, is_operator)
     VALUES ('https://id', $1, $1 || '@a.org', $1, $2) RETURNING id`,
    [name, isOperator],
  );
  for (const [account, role] of Object.entries(roles))
    await client.query('INSERT INTO account_members (account_id, person_id, role) VALUES ($1, $2, $3)', [
      ...[account, rows[0].id, role],
    ]);
  return rows[0].id;
}

const find = (token: string) => findSession(pool, hashToken(token));
const count = async (table: string) => (await client.query(`SELECT FROM ${table}`)).rowCount;

describe('a link', () => {
  const LINK = { account: 'acme', role: 'editor', person: 'ann' } as const;
  const make = async (more: Partial<Record<keyof typeof LINK, string>> = {}) =>
    (await createLink(client, { ...LINK, ...more } as typeof LINK, ACTOR)) ?? '';

  test('is used once, and looking at it does not use it', async () => {
    const [token, other] = [await make(), await make({ account: ' birch ', person: 'bob' })];
    const link = { ...LINK, accountId: acme, isSuspended: false };
    expect([await findLink(client, token), await findLink(client, token)]).toEqual([link, link]);
    expect(await useLink(client, token)).toEqual(link);
    expect([await useLink(client, token), await findLink(client, token)]).toEqual([null, null]);
    expect(await useLink(client, other)).toMatchObject({ accountId: birch, person: 'bob' });
    const { rows } = await client.query('SELECT action, account_id, details FROM audit_log ORDER BY id');
    expect(rows).toEqual([
      { action: 'link.created', account_id: acme, details: { role: 'editor', for: 'ann' } },
      { action: 'link.created', account_id: birch, details: { role: 'editor', for: 'bob' } },
    ]);
  });

  test('can be used for a quarter of an hour', async () => {
    const [late, old] = [await make(), await make()];
    const age = (token: string, seconds: number) =>
      client.query(
        `UPDATE console_links SET expires_at = expires_at - $2 * interval '1 second' WHERE hash = $1`,
        [...[hashToken(token), seconds]],
      );
    await age(late, LINK_MINUTES * 60 - 30);
    await age(old, LINK_MINUTES * 60);
    expect([await findLink(client, old), await useLink(client, old)]).toEqual([null, null]);
    expect(await useLink(client, late)).not.toBeNull();
  });
});

describe('a sign-in', () => {
  const SIGN_IN = { state: 's', nonce: 'n', codeVerifier: 'c', returnTo: '/console', invitation: null };

  test('is taken once, by the browser that began it, with its state', async () => {
    const invitation = hashToken('invited');
    const token = await beginSignIn(client, { ...SIGN_IN, invitation });
    const other = await beginSignIn(client, { ...SIGN_IN, state: 't' });
    // Another site can send a browser here with a state of its own, which uses nothing up.
    expect([await takeSignIn(client, token, 't'), await takeSignIn(client, 'x', 's')]).toEqual([null, null]);
    expect(await takeSignIn(client, token, 's')).toEqual({ ...SIGN_IN, invitation });
    expect(await takeSignIn(client, token, 's')).toBeNull();
    expect(await takeSignIn(client, other, 't')).toEqual({ ...SIGN_IN, state: 't' });
  });

  test('ends after ten minutes', async () => {
    const token = await beginSignIn(client, SIGN_IN);
    await client.query(`UPDATE console_sign_ins SET expires_at = expires_at - interval '10 minutes'`);
    expect(await takeSignIn(client, token, 's')).toBeNull();
  });
});

describe('a session', () => {
  test('has the role of a link, of an operator, or of a member as it is now', async () => {
    const ann = await addPerson('ann', { [acme]: 'member' });
    const ops = await addPerson('ops', { [acme]: 'member' }, true);
    const onOwn = await startSession(client, { accountId: acme, personId: ops });
    expect(await find(onOwn)).toMatchObject({ role: 'operator', account: 'acme' });
    const [byLink, byAnn, byOps] = [
      await startSession(client, { accountId: acme, linkPerson: 'cyd', linkRole: 'editor' }),
      await startSession(client, { accountId: acme, personId: ann }),
      await startSession(client, { accountId: birch, personId: ops }),
    ];
    expect(await find(byLink)).toMatchObject({
      person: 'cyd',
      personId: null,
      role: 'editor',
      accountId: acme,
    });
    expect(await find(byAnn)).toMatchObject({ person: 'ann@a.org', personId: ann, role: 'member' });
    expect(await find(byOps)).toMatchObject({
      ...{ role: 'operator', account: 'birch', plan: 'standard', requestsPerMinute: 600, maxStreams: 5 },
    });
    await client.query(`UPDATE account_members SET role = 'owner' WHERE person_id = $1`, [ann]);
    expect(await find(byAnn)).toMatchObject({ role: 'owner', suspended: false });
    await client.query('UPDATE accounts SET suspended_at = now() WHERE id = $1', [acme]);
    expect(await find(byAnn)).toMatchObject({ suspended: true });
    expect(await find('unknown')).toBeNull();
  });

  test('ends for a person who has left its account, although their other sessions continue', async () => {
    const ann = await addPerson('ann', { [acme]: 'member', [birch]: 'owner' });
    const tokens = [
      await startSession(client, { accountId: acme, personId: ann }),
      await startSession(client, { accountId: birch, personId: ann }),
    ];
    const { rows } = await client.query('SELECT id FROM console_sessions ORDER BY id');
    const ids = rows.map(({ id }) => id);
    const states = async () =>
      [...(await findSessionStates(pool, [...ids, 999_999])).keys()].sort((a, b) => a - b);
    expect(await states()).toEqual(ids);
    await client.query('DELETE FROM account_members WHERE account_id = $1', [acme]);
    const found = await Promise.all(tokens.map(find));
    expect(found.map((session) => session?.role ?? null)).toEqual([null, 'owner']);
    expect(await states()).toEqual([ids[1]]);
  });

  test('shows another account, with which the person’s next one begins; nobody else’s does', async () => {
    const ann = await addPerson('ann', { [acme]: 'member', [birch]: 'member' });
    const bob = await addPerson('bob', { [acme]: 'member', [birch]: 'member' });
    const [token, other] = [
      await startSession(client, { accountId: acme, personId: ann }),
      await startSession(client, { accountId: acme, personId: bob }),
    ];
    await switchSession(client, (await find(token))?.id ?? 0, birch);
    expect([(await find(token))?.accountId, (await find(other))?.accountId]).toEqual([birch, acme]);
    const firsts = [await findFirstAccount(client, ann), await findFirstAccount(client, bob)];
    expect(firsts.map((first) => first?.name)).toEqual(['birch', 'acme']);
  });

  test('of a link shows another account too', async () => {
    const token = await startSession(client, { accountId: acme, linkPerson: 'ops', linkRole: 'operator' });
    await switchSession(client, (await find(token))?.id ?? 0, birch);
    expect((await find(token))?.accountId).toBe(birch);
  });

  test('ends alone when its person signs out', async () => {
    const start = () => startSession(client, { accountId: acme, linkPerson: 'cyd', linkRole: 'member' });
    const [token, other] = [await start(), await start()];
    await endSession(client, token);
    expect([await find(token), (await find(other))?.person]).toEqual([null, 'cyd']);
  });
});

describe('the sessions of', () => {
  /** Sessions and links of two people on two accounts. @returns those that are left, as `account person` */
  async function begin() {
    const ann = await addPerson('ann', { [acme]: 'owner', [birch]: 'owner' });
    for (const accountId of [acme, birch]) {
      await startSession(client, { accountId, personId: ann });
      await startSession(client, { accountId, linkPerson: 'bob', linkRole: 'member' });
    }
    for (const [account, person] of [
      ['acme', 'ann@a.org'],
      ['acme', 'bob'],
      ['birch', 'bob'],
    ] as const)
      await createLink(client, { account, role: 'member', person }, ACTOR);
    await client.query('TRUNCATE audit_log');
    return async () => {
      const { rows } = await client.query(
        `SELECT 'session' AS kind, a.name, COALESCE(p.email, s.link_person) AS person
         FROM console_sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN people p ON p.id = s.person_id
         UNION ALL SELECT 'link', a.name, l.person FROM console_links l JOIN accounts a ON a.id = l.account_id
         ORDER BY 1, 2, 3`,
      );
      return rows.map(({ kind, name, person }) => `${kind} ${name} ${person}`);
    };
  }
  const audited = async () =>
    (await client.query('SELECT action, subject, account_id, details FROM audit_log')).rows;

  test('an account end with its unused links, and no others', async () => {
    const left = await begin();
    expect(await endSessions(client, { account: ' acme ' }, ACTOR)).toBe(2);
    expect(await left()).toEqual(['link birch bob', 'session birch ann@a.org', 'session birch bob']);
    expect(await audited()).toMatchObject([
      { action: 'sessions.ended', account_id: acme, details: { count: 2 } },
    ]);
    expect(await endSessions(client, { account: 'nobody' }, ACTOR)).toBeNull();
    expect(await audited()).toHaveLength(1);
  });

  test('a person of a provider end on every account, in whatever case the address is written', async () => {
    const left = await begin();
    expect(await endSessions(client, { person: 'Ann@A.org' }, ACTOR)).toBe(2);
    expect(await left()).toEqual([
      'link acme bob',
      'link birch bob',
      'session acme bob',
      'session birch bob',
    ]);
    expect(await audited()).toMatchObject([
      { subject: 'person Ann@A.org', account_id: null, details: { count: 2 } },
    ]);
  });

  test('a person of a link end with the links', async () => {
    const left = await begin();
    expect(await endSessions(client, { person: 'Bob' }, ACTOR)).toBe(2);
    expect(await left()).toEqual([
      'link acme ann@a.org',
      'session acme ann@a.org',
      'session birch ann@a.org',
    ]);
    expect(await endSessions(client, { person: 'bob' }, ACTOR)).toBe(0);
  });
});

test('what has expired is forgotten, and what has not is kept, as are accepted invitations', async () => {
  await startSession(client, { accountId: acme, linkPerson: 'bob', linkRole: 'member' });
  await startSession(client, { accountId: birch, linkPerson: 'bob', linkRole: 'member' });
  for (const account of ['acme', 'birch'])
    await createLink(client, { account, role: 'member', person: 'a' }, ACTOR);
  const signIn = { state: 's', nonce: 'n', codeVerifier: 'c', returnTo: '/', invitation: null };
  for (const returnTo of ['old', 'new']) await beginSignIn(client, { ...signIn, returnTo });
  await client.query(
    `INSERT INTO console_invitations (hash, account_id, email, role, invited_by, expires_at, accepted_at)
     VALUES (sha256('1'), $1, 'open', 'member', 'a', now(), NULL),
       (sha256('2'), $1, 'accepted', 'member', 'a', now(), now()),
       (sha256('3'), $1, 'later', 'member', 'a', now() + interval '1 hour', NULL)`,
    [acme],
  );
  for (const table of ['console_sessions', 'console_links'])
    await client.query(`UPDATE ${table} SET expires_at = now() WHERE account_id = $1`, [acme]);
  await client.query(`UPDATE console_sign_ins SET expires_at = now() WHERE return_to = 'old'`);
  await forgetExpired(client);
  for (const table of ['console_sessions', 'console_links', 'console_sign_ins'])
    expect([table, await count(table)]).toEqual([table, 1]);
  const { rows } = await client.query('SELECT email FROM console_invitations ORDER BY id');
  expect(rows.map(({ email }) => email)).toEqual(['accepted', 'later']);
});

describe('the accounts that a person may see', () => {
  test('are those of the person in use, and the one of the session, even if it is suspended', async () => {
    const ann = await addPerson('ann', { [birch]: 'member', [closed]: 'owner' });
    await addPerson('bob', { [acme]: 'member' });
    const namesOf = async (personId: number | null, accountId: number) =>
      (await listAccountsOf(client, { personId, accountId, role: 'member' })).map(({ name }) => name);
    expect(await namesOf(ann, birch)).toEqual(['birch']);
    expect(await namesOf(ann, closed)).toEqual(['birch', 'closed']);
    expect(await namesOf(null, acme)).toEqual(['acme']);
  });

  test('are all for an operator, and their own in use for anybody else', async () => {
    const ann = await addPerson('ann', { [birch]: 'member', [closed]: 'owner' });
    await addPerson('bob', { [acme]: 'member' });
    const may = async (role: 'operator' | 'owner', personId: number | null) => {
      const found: (string | null)[] = [];
      for (const id of [acme, birch, closed, 0])
        found.push((await findAccountFor(client, { personId, role, accountId: acme }, id))?.name ?? null);
      return found;
    };
    expect(await may('operator', null)).toEqual(['acme', 'birch', 'closed', null]);
    expect(await may('owner', ann)).toEqual([null, 'birch', null, null]);
    expect(await may('owner', null)).toEqual([null, null, null, null]);
  });

  test('are found by their names in any form of spaces', async () => {
    expect(await findAccountId(client, ' birch\u00a0')).toBe(birch);
    expect(await findAccountId(client, 'Birch')).toBeNull();
  });
});
