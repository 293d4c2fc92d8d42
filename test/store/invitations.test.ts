/** Invitations that people accept, or owners make, at the same time or again. */
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import pg, { type ClientBase } from 'pg';
import { hashToken } from '../../schemas/console-token.ts';
import type { Role } from '../../schemas/vocabulary.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  MAX_INVITATIONS,
} from '../../store/console/invitations.ts';
import { listMembers } from '../../store/console/members.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { overlap } from '../helpers/postgres/overlap.ts';

const { url, client } = useTestDatabase();
const pool = new pg.Pool({ connectionString: url });
const ACTOR = { osUser: 'ada', person: null };
let accountId: number;

afterAll(() => pool.end());
beforeEach(async () => {
  await client.query('TRUNCATE people, accounts CASCADE');
  accountId = await createAccount(client);
});

const identityOf = (name: string) => ({ issuer: 'https://id', subject: name, email: `${name}@a.org`, name });

const invite =
  (name: string, role: Role = 'member') =>
  (on: ClientBase) =>
    createInvitation(
      on,
      { accountId, account: 'acme', email: `${name}@a.org`, role, invitedBy: 'ada' },
      ACTOR,
    );

/** Invites a person, who accepts. */
async function join(name: string, role: Role): Promise<void> {
  const token = await inTransaction(pool, invite(name, role));
  await inTransaction(pool, (on) => acceptInvitation(on, hashToken(token ?? ''), identityOf(name)));
}

const roles = async () => {
  const { members } = await listMembers(client, accountId, { limit: 100, after: null });
  return members.map(({ email, role }) => [email, role]);
};

test('an owner who accepts an invitation as a member stays an owner, even the last one', async () => {
  await join('ann', 'owner');
  await join('ann', 'member');
  expect(await roles()).toEqual([['ann@a.org', 'owner']]);
});

test('a member who accepts an invitation as an owner becomes an owner', async () => {
  await join('bob', 'member');
  await join('bob', 'owner');
  expect(await roles()).toEqual([['bob@a.org', 'owner']]);
});

test('one of two people of the same address gets an invitation that both accept at the same time', async () => {
  const token = (await inTransaction(pool, invite('ann'))) ?? '';
  const accept = (subject: string) => (on: ClientBase) =>
    acceptInvitation(on, hashToken(token), { ...identityOf('ann'), subject });
  expect(await overlap(pool, accept('ann'), accept('imitator'))).toEqual({ problem: 'spent' });
  expect(await roles()).toHaveLength(1);
});

test('two invitations at the same time do not exceed the limit of an account', async () => {
  await client.query(
    `INSERT INTO console_invitations (hash, account_id, email, role, invited_by, expires_at)
     SELECT sha256(n::text::bytea), $1, n || '@a.org', 'member', 'ada', now() + interval '1 day'
     FROM generate_series(2, $2::int) n`,
    [accountId, MAX_INVITATIONS],
  );
  expect(await overlap(pool, invite('ann'), invite('bob'))).toBeNull();
  const emails = (await listInvitations(client, accountId)).map(({ email }) => email);
  expect(emails).toHaveLength(MAX_INVITATIONS);
  expect(emails).not.toContain('bob@a.org');
});

test('two invitations of an address at the same time leave only the second one open', async () => {
  const second = await overlap(pool, invite('ann'), invite('ann', 'owner'));
  expect(second).not.toBeNull();
  expect(await listInvitations(client, accountId)).toMatchObject([{ email: 'ann@a.org', role: 'owner' }]);
});
