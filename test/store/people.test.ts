import { beforeEach, expect, test } from '@jest/globals';
import { createLink } from '../../store/console/links.ts';
import {
  ensurePerson,
  findFirstAccount,
  noteAccountSeen,
  type Person,
  removeOperator,
} from '../../store/console/people.ts';
import { startSession } from '../../store/console/sessions.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();
const ACTOR = { osUser: 'ada', person: null };

beforeEach(() => client.query('TRUNCATE people, accounts CASCADE'));

/** A person of one address, who belongs to these accounts. */
async function add(subject: string, accountIds: readonly number[]): Promise<Person> {
  const identity = { issuer: 'https://id', subject, email: 'ann@a.org', name: subject };
  const person = await ensurePerson(client, identity);
  await client.query(
    `INSERT INTO account_members (account_id, person_id, role) SELECT unnest($1::int[]), $2, 'member'`,
    [accountIds, person.id],
  );
  return person;
}

test('all operators of an address lose their sessions and their right together', async () => {
  const accountId = await createAccount(client);
  for (const subject of ['ann', 'anna']) {
    const { id: personId } = await add(subject, []);
    await client.query('UPDATE people SET is_operator = true WHERE id = $1', [personId]);
    await startSession(client, { accountId, personId });
  }
  expect(await removeOperator(client, 'ann@a.org', ACTOR)).toBe(true);
  expect((await client.query('SELECT FROM console_sessions')).rowCount).toBe(0);
  expect(await removeOperator(client, 'ann@a.org', ACTOR)).toBe(false);
});

test('a session begins with the account seen last, and with one in use if that is suspended', async () => {
  const [first, second] = [await createAccount(client), await createAccount(client)];
  const { id } = await add('ann', [first, second]);
  for (const seen of [first, second]) {
    await noteAccountSeen(client, id, seen);
    expect(await findFirstAccount(client, id)).toMatchObject({ id: seen, isSuspended: false });
  }
  await client.query('UPDATE accounts SET suspended_at = now() WHERE id = $1', [second]);
  expect(await findFirstAccount(client, id)).toMatchObject({ id: first, isSuspended: false });
});

test('no link is made to an account that does not exist', async () => {
  const link = { account: 'nobody', role: 'member', person: 'ann' } as const;
  expect(await createLink(client, link, ACTOR)).toBeNull();
});
