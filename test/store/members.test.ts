import { afterAll, beforeEach, expect, test } from '@jest/globals';
import pg, { type ClientBase } from 'pg';
import { inTransaction } from '../../store/connection/transaction.ts';
import { createInvitation, listInvitations } from '../../store/console/invitations.ts';
import {
  changeRole,
  listMembers,
  type MemberPlace,
  type MemberRole,
  removeMember,
} from '../../store/console/members.ts';
import { startSession } from '../../store/console/sessions.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { url, client } = useTestDatabase();
const pool = new pg.Pool({ connectionString: url });
const ACTOR = { osUser: 'ada', person: null };
let accountId: number;

afterAll(() => pool.end());
beforeEach(async () => {
  await client.query('TRUNCATE people, accounts, audit_log CASCADE');
  accountId = await createAccount(client);
});

/** Adds a member; several people can have one address. @returns the person's id */
async function add(name: string, role: MemberRole, subject = name): Promise<number> {
  const { rows } = await client.query(
    `WITH person AS (
       INSERT INTO people (issuer, subject, email, name) VALUES ('https://id', $1, $2, $3) RETURNING id)
     INSERT INTO account_members (account_id, person_id, role) SELECT $4, id, $5 FROM person RETURNING person_id`,
    [subject, `${name}@a.org`, name, accountId, role],
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
  const stranger = owner + other;
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

test('the invitations of an owner end with the role, and do not come back with it', async () => {
  await add('ada', 'owner');
  const former = await add('eve', 'owner');
  const invitation = { accountId, account: 'acme', email: 'guest@a.org', role: 'member' } as const;
  const invite = (on: ClientBase) => createInvitation(on, { ...invitation, invitedBy: 'eve@a.org' }, ACTOR);
  await inTransaction(pool, invite);
  expect(await listInvitations(client, accountId)).toHaveLength(1);
  expect(await change(former, 'member')).toBe('done');
  // As an accepted invitation does.
  await client.query(`UPDATE account_members SET role = 'owner' WHERE person_id = $1`, [former]);
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
  expect(await remove(bob)).toBe('done');
  const { rows } = await client.query(
    'SELECT account_id AS "accountId", person_id AS "personId" FROM console_sessions ORDER BY id',
  );
  expect(rows).toEqual(staying);
});
