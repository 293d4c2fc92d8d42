import { beforeEach, expect, test } from '@jest/globals';
import type { ClientBase } from 'pg';
import { inTransaction } from '../../store/connection/transaction.ts';
import { createInvitation, listInvitations } from '../../store/console/invitations.ts';
import { createLink, findLink } from '../../store/console/links.ts';
import {
  changeRole,
  listMembers,
  type MemberPlace,
  type MemberRole,
  removeMember,
} from '../../store/console/members.ts';
import { startSession } from '../../store/console/sessions.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { overlap } from '../helpers/postgres/overlap.ts';

const { url, client } = useTestDatabase();
const pool = usePool(url);
const ACTOR = { osUser: 'ada', person: null };
let accountId: number;
let neighbour: number;

beforeEach(async () => {
  await client.query('TRUNCATE people, accounts, audit_log CASCADE');
  accountId = await createAccount(client);
  // Every test has another account beside its own, whose people it must leave alone.
  neighbour = await createAccount(client);
  await add('nat', 'owner', 'nat', neighbour);
  await add('ned', 'member', 'ned', neighbour);
});

/** Adds a member; several people can have one address. @returns the person's id */
async function add(name: string, role: MemberRole, subject = name, account = accountId): Promise<number> {
  const { rows } = await client.query(
    `WITH person AS (
       INSERT INTO people (issuer, subject, email, name) VALUES ('https://id', $1, $2, $3) RETURNING id)
     INSERT INTO account_members (account_id, person_id, role) SELECT $4, id, $5 FROM person RETURNING person_id`,
    [subject, `${name}@a.org`, name, account, role],
  );
  return rows[0].person_id;
}

const of = (personId: number) => ({ accountId, account: 'acme', personId });
const remove = (personId: number) =>
  inTransaction(pool, (on: ClientBase) => removeMember(on, of(personId), ACTOR));
const change = (personId: number, role: MemberRole) =>
  inTransaction(pool, (on: ClientBase) => changeRole(on, { ...of(personId), role }, ACTOR));

async function audited(): Promise<unknown[]> {
  const { rows } = await client.query(
    'SELECT action, subject, account_id, details FROM audit_log ORDER BY id',
  );
  return rows;
}

test('the pages of members have each once, owners first, then by address', async () => {
  for (const name of ['eve', 'bob']) await add(name, 'member');
  for (const subject of ['ann-1', 'ann-2']) await add('ann', 'member', subject);
  await add('zed', 'owner');
  await add('dan', 'owner');
  const pages: string[][] = [];
  for (let after: MemberPlace | null = null; pages.length === 0 || after; ) {
    const page = await listMembers(client, accountId, { limit: 3, after });
    pages.push(page.members.map(({ name }) => name));
    after = page.next;
  }
  expect(pages).toEqual([
    ['dan', 'zed', 'ann'],
    ['ann', 'bob', 'eve'],
  ]);
});

test('changes are in the audit log, and those that change nothing are not', async () => {
  const [owner, other] = [await add('ann', 'owner'), await add('bob', 'member')];
  const { rows } = await client.query('SELECT person_id FROM account_members WHERE account_id = $1', [
    neighbour,
  ]);
  const [stranger] = rows.map(({ person_id }) => person_id);
  expect(await change(other, 'member')).toBe('done');
  expect(await change(owner, 'member')).toBe('last_owner');
  expect(await remove(owner)).toBe('last_owner');
  expect(await change(stranger, 'owner')).toBe('no_such_member');
  expect(await remove(stranger)).toBe('no_such_member');
  expect(await audited()).toEqual([]);
  expect(await change(other, 'owner')).toBe('done');
  expect(await remove(other)).toBe('done');
  const entry = { subject: 'account acme', account_id: accountId };
  expect(await audited()).toEqual([
    { action: 'person.role_changed', ...entry, details: { email: 'bob@a.org', from: 'member', to: 'owner' } },
    { action: 'person.removed', ...entry, details: { email: 'bob@a.org', role: 'owner' } },
  ]);
});

test('a change of one member leaves everybody else as they are, and the member’s other account too', async () => {
  await add('ann', 'owner');
  const [bob] = [await add('bob', 'member'), await add('cyd', 'member')];
  await client.query(`INSERT INTO account_members (account_id, person_id, role) VALUES ($1, $2, 'member')`, [
    neighbour,
    bob,
  ]);
  const invitation = { account: 'acme', role: 'member', invitedBy: 'ops' } as const;
  for (const [account, name] of [
    [accountId, 'bob'],
    [accountId, 'cyd'],
    [neighbour, 'bob'],
  ] as const) {
    await createInvitation(client, { ...invitation, accountId: account, email: `${name}@a.org` }, ACTOR);
  }
  await client.query(
    `UPDATE console_invitations SET accepted_at = now() WHERE account_id = $1 AND email LIKE 'bob%'`,
    [accountId],
  );
  await createInvitation(client, { ...invitation, accountId, email: 'bob@a.org' }, ACTOR);
  const read = async (table: string, text: string) => {
    const { rows } = await client.query(
      `SELECT CASE account_id WHEN $1 THEN 'own' ELSE 'other' END AS account, ${text} AS text FROM ${table} ORDER BY 1, 2`,
      [accountId],
    );
    return rows.map(({ account, text: found }) => `${account} ${found}`);
  };
  const members = () => read('account_members JOIN people ON id = person_id', `concat(name, ' ', role)`);
  const others = ['other bob member', 'other nat owner', 'other ned member', 'own ann owner'];
  expect(await change(bob, 'editor')).toBe('done');
  expect(await members()).toEqual([...others, 'own bob editor', 'own cyd member']);
  expect(await remove(bob)).toBe('done');
  expect(await members()).toEqual([...others, 'own cyd member']);
  const state = `concat(email, CASE WHEN accepted_at IS NULL THEN ' open' ELSE ' accepted' END)`;
  expect(await read('console_invitations', state)).toEqual([
    'other bob@a.org open',
    'own bob@a.org accepted',
    'own cyd@a.org open',
  ]);
});

test('the invitations of an owner end with the role, and do not come back with it', async () => {
  await add('ada', 'owner');
  const former = await add('eve', 'owner');
  const invitation = { accountId, account: 'acme', email: 'guest@a.org', role: 'member' } as const;
  const invite = (on: ClientBase) => createInvitation(on, { ...invitation, invitedBy: 'eve@a.org' }, ACTOR);
  await inTransaction(pool, invite);
  await createInvitation(client, { ...invitation, accountId: neighbour, invitedBy: 'nat@a.org' }, ACTOR);
  expect(await listInvitations(client, accountId)).toHaveLength(1);
  expect(await change(former, 'member')).toBe('done');
  // As an accepted invitation does.
  await client.query(`UPDATE account_members SET role = 'owner' WHERE person_id = $1`, [former]);
  expect(await listInvitations(client, accountId)).toEqual([]);
  expect(await listInvitations(client, neighbour)).toHaveLength(1);
});

test('an owner whose role is lowered while they invite makes no invitation, also for later', async () => {
  await add('ada', 'owner');
  const former = await add('eve', 'owner');
  const invitation = { accountId, account: 'acme', email: 'guest@a.org', role: 'member' } as const;
  const lower = (on: ClientBase) => changeRole(on, { ...of(former), role: 'member' }, ACTOR);
  const invite = (on: ClientBase) => createInvitation(on, { ...invitation, invitedBy: 'eve@a.org' }, ACTOR);
  await expect(overlap(pool, lower, invite)).rejects.toThrow(
    'eve@a.org is not an owner of the account "acme"',
  );
  expect(await change(former, 'owner')).toBe('done');
  expect(await listInvitations(client, accountId)).toEqual([]);
});

test('the sessions of a removed member end on the account, and no others', async () => {
  await add('ada', 'owner');
  const [bob, cyd] = [await add('bob', 'member'), await add('cyd', 'member')];
  const other = await createAccount(client);
  await startSession(client, { accountId, personId: bob });
  const staying = [
    { accountId: other, personId: bob },
    { accountId, personId: cyd },
  ];
  for (const session of staying) await startSession(client, session);
  await startSession(client, { accountId, linkPerson: 'Bob@a.org', linkRole: 'owner' });
  const link = { account: 'acme', role: 'owner', person: 'bob@a.org' } as const;
  await client.query(`UPDATE accounts SET name = 'acme' WHERE id = $1`, [accountId]);
  const token = (await createLink(client, link, ACTOR)) ?? '';
  expect(await findLink(client, token)).not.toBeNull();
  expect(await remove(bob)).toBe('done');
  expect(await findLink(client, token)).toBeNull();
  const { rows } = await client.query(
    'SELECT account_id AS "accountId", person_id AS "personId" FROM console_sessions ORDER BY id',
  );
  expect(rows).toEqual(staying);
});
