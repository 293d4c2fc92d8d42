/** Invitations that people accept, or owners make, at the same time or again. */
import { beforeEach, expect, test } from '@jest/globals';
import type { ClientBase } from 'pg';
import { hashToken } from '../../schemas/console-token.ts';
import type { Role } from '../../schemas/vocabulary.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  MAX_INVITATIONS,
  withdrawInvitation,
} from '../../store/console/invitations.ts';
import { listMembers, removeMember } from '../../store/console/members.ts';
import { removeOperator } from '../../store/console/people.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { countWaiting, overlap } from '../helpers/postgres/overlap.ts';
import { until } from '../helpers/until.ts';

const { url, client } = useTestDatabase();
const pool = usePool(url);
const ACTOR = { osUser: 'ada', person: null };
let accountId: number;

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

test.each<[Role, Role]>([
  ['member', 'member'],
  ['editor', 'owner'],
  ['owner', 'operator'],
])(
  'a known %s, signed in by a link, makes no invitation as %s that nobody could accept',
  async (own, role) => {
    await join('ann', own);
    await inTransaction(pool, invite('bob'));
    const invitation = { accountId, account: 'acme', email: 'bob@a.org', role, invitedBy: 'ann@a.org' };
    const made = inTransaction(pool, (on) => createInvitation(on, invitation, ACTOR));
    await expect(made).rejects.toThrow(
      /^ann@a\.org is not an .*operator, so nobody could accept the invitation: let /,
    );
    const kept = (await listInvitations(client, accountId)).map(({ invitedBy }) => invitedBy);
    expect(kept).toEqual(['ada']);
  },
);

test('one of two people of the same address gets an invitation that both accept at the same time', async () => {
  const token = (await inTransaction(pool, invite('ann'))) ?? '';
  const accept = (subject: string) => (on: ClientBase) =>
    acceptInvitation(on, hashToken(token), { ...identityOf('ann'), subject });
  expect(await overlap(pool, accept('ann'), accept('imitator'))).toEqual({ problem: 'spent' });
  expect(await roles()).toHaveLength(1);
});

test('removing a person who is just accepting an invitation to operate leaves no operator', async () => {
  const token = (await inTransaction(pool, invite('ann', 'operator'))) ?? '';
  const accept = (on: ClientBase) => acceptInvitation(on, hashToken(token), identityOf('ann'));
  const remove = (on: ClientBase) => removeOperator(on, 'ann@a.org', ACTOR);
  expect(await overlap(pool, accept, remove)).toBe(true);
  expect((await client.query('SELECT FROM people WHERE is_operator')).rowCount).toBe(0);
});

test('a member is removed while they accept a further invitation, and neither fails', async () => {
  await join('ann', 'owner');
  await join('bob', 'member');
  const token = (await inTransaction(pool, invite('bob', 'editor'))) ?? '';
  const { members } = await listMembers(client, accountId, { limit: 2, after: null });
  const personId = members[1]?.personId ?? 0;
  const accept = (on: ClientBase) => acceptInvitation(on, hashToken(token), identityOf('bob'));
  const remove = (on: ClientBase) => removeMember(on, { accountId, account: 'acme', personId }, ACTOR);
  const results: Promise<unknown>[] = [];
  // Both wait for the invitation: the acceptance first, and the removal behind it.
  await inTransaction(pool, async (holder) => {
    await holder.query('SELECT FROM console_invitations WHERE accepted_at IS NULL FOR UPDATE');
    for (const work of [accept, remove]) {
      results.push(inTransaction<unknown>(pool, work));
      await until('it to wait', async () => (await countWaiting(client)) === results.length);
    }
  });
  expect(await Promise.all(results)).toMatchObject([{ joined: { role: 'editor' } }, 'done']);
  expect(await roles()).toEqual([['ann@a.org', 'owner']]);
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

test('an invitation is withdrawn, accepted or repeated alone, beside those of others and of other accounts', async () => {
  const neighbour = await createAccount(client);
  const inviteTo = (account: number, name: string, role: Role = 'member') =>
    createInvitation(
      client,
      { accountId: account, account: 'acme', email: `${name}@a.org`, role, invitedBy: 'ada' },
      ACTOR,
    );
  const open = async () => {
    const lists = await Promise.all(
      [accountId, neighbour].map((account) => listInvitations(client, account)),
    );
    return lists.map((list) => list.map(({ email, role }) => `${email.split('@')[0]} ${role}`));
  };
  for (const name of ['ann', 'bob', 'cyd']) await inviteTo(accountId, name);
  for (const name of ['ann', 'dan']) await inviteTo(neighbour, name);
  const operator = (await inviteTo(neighbour, 'eve', 'operator')) ?? '';
  expect(await open()).toEqual([
    ['cyd member', 'bob member', 'ann member'],
    ['eve operator', 'dan member', 'ann member'],
  ]);
  await inviteTo(accountId, 'ann', 'owner');
  expect(await open()).toEqual([
    ['ann owner', 'cyd member', 'bob member'],
    ['eve operator', 'dan member', 'ann member'],
  ]);
  const [, cyd] = await listInvitations(client, accountId);
  const withdraw = (account: number) =>
    withdrawInvitation(client, { accountId: account, account: 'acme', id: cyd?.id ?? 0 }, ACTOR);
  const accounts = [neighbour, accountId, accountId];
  for (const [index, account] of accounts.entries()) expect(await withdraw(account)).toBe(index === 1);
  await join('fay', 'member');
  await acceptInvitation(client, hashToken(operator), identityOf('eve'));
  expect(await open()).toEqual([
    ['ann owner', 'bob member'],
    ['dan member', 'ann member'],
  ]);
  const { rows } = await client.query('SELECT name, is_operator FROM people ORDER BY name');
  expect(rows.map(({ name, is_operator }) => [name, is_operator])).toEqual([
    ['eve', true],
    ['fay', false],
  ]);
  // An address that has accepted can be invited again, and its acceptance stays on record.
  await inviteTo(accountId, 'fay', 'owner');
  const { rowCount } = await client.query('SELECT FROM console_invitations WHERE accepted_at IS NOT NULL');
  expect([(await open())[0], rowCount]).toEqual([['fay owner', 'ann owner', 'bob member'], 2]);
});

test('the limit of invitations counts those of the account that are open', async () => {
  const neighbour = await createAccount(client);
  await client.query(
    `INSERT INTO console_invitations (hash, account_id, email, role, invited_by, expires_at)
     SELECT sha256(concat(account, n)::bytea), account, n || '@a.org', 'member', 'ada',
       now() + CASE WHEN account = $1 THEN interval '0' ELSE interval '1 day' END
     FROM generate_series(1, $3::int) n, unnest(ARRAY[$1, $2]::int[]) account`,
    [accountId, neighbour, MAX_INVITATIONS],
  );
  expect(await inTransaction(pool, invite('ann'))).not.toBeNull();
});
