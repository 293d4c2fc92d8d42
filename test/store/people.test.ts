import { beforeEach, expect, test } from '@jest/globals';
import { createLink } from '../../store/console/links.ts';
import {
  ensurePerson,
  findFirstAccount,
  noteAccountSeen,
  refreshPerson,
  removeOperator,
} from '../../store/console/people.ts';
import { startSession } from '../../store/console/sessions.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();
const ACTOR = { osUser: 'ada', person: null };

beforeEach(() => client.query('TRUNCATE people, accounts CASCADE'));

/** A person of one address, who belongs to these accounts. */
async function add(subject: string, accountIds: readonly number[]): Promise<number> {
  const identity = { issuer: 'https://id', subject, email: 'ann@a.org', name: subject };
  const personId = await ensurePerson(client, identity);
  await client.query(
    `INSERT INTO account_members (account_id, person_id, role) SELECT unnest($1::int[]), $2, 'member'`,
    [accountIds, personId],
  );
  return personId;
}

test('all operators of an address lose their sessions and their right together', async () => {
  const accountId = await createAccount(client);
  for (const subject of ['ann', 'anna']) {
    const personId = await add(subject, []);
    await client.query('UPDATE people SET is_operator = true WHERE id = $1', [personId]);
    await startSession(client, { accountId, personId });
  }
  expect(await removeOperator(client, 'ann@a.org', ACTOR)).toBe(true);
  expect((await client.query('SELECT FROM console_sessions')).rowCount).toBe(0);
  expect(await removeOperator(client, 'ann@a.org', ACTOR)).toBe(false);
});

test('a session begins with the account seen last, and with one in use if that is suspended', async () => {
  const [first, second] = [await createAccount(client), await createAccount(client)];
  const id = await add('ann', [first, second]);
  for (const seen of [first, second]) {
    await noteAccountSeen(client, id, seen);
    expect(await findFirstAccount(client, id)).toMatchObject({ id: seen, isSuspended: false });
  }
  await client.query('UPDATE accounts SET suspended_at = now() WHERE id = $1', [second]);
  expect(await findFirstAccount(client, id)).toMatchObject({ id: first, isSuspended: false });
});

test('a person who signs in again has their new address and name; nobody else does, and no stranger is stored', async () => {
  const id = await add('ann', []);
  const other = await add('ben', []);
  await client.query('UPDATE people SET is_operator = true WHERE id = $1', [id]);
  const [identity, fresh] = [
    { issuer: 'https://id', subject: 'ann' },
    { email: 'ann@b.org', name: 'Ann B' },
  ];
  expect(await refreshPerson(client, { ...identity, ...fresh })).toBe(id);
  const strangers = [{ subject: 'cat' }, { issuer: 'https://other' }];
  for (const stranger of strangers) {
    expect(
      await refreshPerson(client, { ...identity, email: 'c@c.org', name: 'Cat', ...stranger }),
    ).toBeNull();
  }
  expect(await ensurePerson(client, { ...identity, ...fresh })).toBe(id);
  const { rows } = await client.query('SELECT id, subject, email, name FROM people ORDER BY id');
  expect(rows).toEqual([
    { id, subject: 'ann', ...fresh },
    { id: other, subject: 'ben', email: 'ann@a.org', name: 'ben' },
  ]);
});

test('what one person sees and may do says nothing of another', async () => {
  const [first, second, third] = [
    await createAccount(client),
    await createAccount(client),
    await createAccount(client),
  ];
  await client.query(`UPDATE accounts SET name = CASE id WHEN $1 THEN 'a' WHEN $2 THEN 'b' ELSE 'c' END`, [
    first,
    second,
  ]);
  const [ann, ben] = [await add('ann', [second]), await add('ben', [second, third])];
  await client.query(`UPDATE account_members SET role = 'owner' WHERE person_id = $1`, [ben]);
  const nobody = await add('cat', []);
  const operator = await add('dan', []);
  await client.query('UPDATE people SET is_operator = true WHERE id = $1', [operator]);
  await noteAccountSeen(client, ben, third);
  const firstOf = async (id: number) => {
    const found = await findFirstAccount(client, id);
    return found && [found.id, found.role];
  };
  expect(await firstOf(ann)).toEqual([second, 'member']);
  expect(await firstOf(ben)).toEqual([third, 'owner']);
  expect(await firstOf(nobody)).toBeNull();
  expect(await firstOf(operator)).toEqual([first, 'operator']);
  await noteAccountSeen(client, operator, second);
  expect(await firstOf(operator)).toEqual([second, 'operator']);
  expect(await firstOf(ben)).toEqual([third, 'owner']);
});

test('the operators of one address leave those of others, and all members, as they are', async () => {
  const accountId = await createAccount(client);
  const [ann, ben] = [await add('ann', [accountId]), await add('ben', [accountId])];
  await client.query(`UPDATE people SET email = 'ben@a.org' WHERE id = $1`, [ben]);
  await client.query('UPDATE people SET is_operator = true');
  for (const personId of [ann, ben]) await startSession(client, { accountId, personId });
  const invitations: [number, string, string, boolean][] = [
    [1, 'ann@a.org', 'operator', false],
    [2, 'ann@a.org', 'operator', true],
    [3, 'ann@a.org', 'member', false],
    [4, 'ben@a.org', 'operator', false],
    [5, 'ben@a.org', 'operator', true],
  ];
  for (const [byte, email, role, isAccepted] of invitations) {
    await client.query(
      `INSERT INTO console_invitations (hash, account_id, email, role, invited_by, expires_at, accepted_at)
       VALUES ($1, $2, $3, $4, 'eve@a.org', now() + interval '1 day', CASE WHEN $5 THEN now() END)`,
      [Buffer.alloc(32, byte), accountId, email, role, isAccepted],
    );
  }
  expect(await removeOperator(client, 'ann@a.org', ACTOR)).toBe(true);
  const column = async (query: string) => {
    const { rows } = await client.query({ text: query, rowMode: 'array' });
    return rows.flat();
  };
  expect(await column('SELECT id FROM people WHERE is_operator')).toEqual([ben]);
  expect(await column('SELECT person_id FROM console_sessions')).toEqual([ben]);
  expect(await column('SELECT person_id FROM account_members ORDER BY 1')).toEqual([ann, ben]);
  expect(await column('SELECT get_byte(hash, 0) FROM console_invitations ORDER BY 1')).toEqual([2, 3, 4, 5]);
});

test('no link is made to an account that does not exist', async () => {
  const link = { account: 'nobody', role: 'member', person: 'ann' } as const;
  expect(await createLink(client, link, ACTOR)).toBeNull();
});
