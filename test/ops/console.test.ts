import { beforeEach, expect, test } from '@jest/globals';
import { currentActor } from '../../ops/database.ts';
import { startSession } from '../../store/console/sessions.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const runConsole = createRunner('console');
const runKeys = createRunner('keys');
const { url, client } = useTestDatabase();

async function ops(line: string, run = runConsole) {
  const io = createIo({ DATABASE_URL: url, PUBLIC_URL: 'https://ballots.example.org' });
  await run(line.split(' '), io);
  return io;
}

beforeEach(async () => {
  await client.query('TRUNCATE audit_log, accounts, people RESTART IDENTITY CASCADE');
  await ops('create --account acme --plan free', runKeys);
});

const newestEntry = async () =>
  (await client.query('SELECT action, subject, details, account_id FROM audit_log ORDER BY id DESC LIMIT 1'))
    .rows[0];

test('invite prints only the link', async () => {
  const { printed, told } = await ops('invite --account acme --email Ann@Example.org --role owner');
  expect(printed).toEqual([
    expect.stringMatching(/^https:\/\/ballots\.example\.org\/console\/invitations\/[\w-]{43}$/),
  ]);
  expect(told).toEqual(['Invites ann@example.org to account "acme" as owner, once within 7 days:']);
  const { rows } = await client.query('SELECT email, role, hash FROM console_invitations');
  expect(rows).toEqual([{ email: 'ann@example.org', role: 'owner', hash: expect.any(Buffer) }]);
  expect(await newestEntry()).toMatchObject({
    action: 'person.invited',
    subject: 'account acme',
    details: { email: 'ann@example.org', role: 'owner' },
    account_id: 1,
  });
});

test('invite makes no link that nobody can accept: it needs a gateway with a provider, if gateways run', async () => {
  const beat = (hasProvider: boolean | null) =>
    client.query(
      `INSERT INTO processes (id, program, host, pid, version, started_at, seen_at, details)
       VALUES (gen_random_uuid(), 'gateway', 'h', 1, '1', now(), now(), jsonb_strip_nulls(jsonb_build_object('hasProvider', $1::boolean)))`,
      [hasProvider],
    );
  const invite = () => ops('invite --account acme --email ann@example.org');
  await beat(false);
  await expect(invite()).rejects.toThrow(
    'Nobody could accept the invitation, because the gateways have no sign-in provider. Set OIDC_ISSUER for them, or make a ' +
      'link that signs in once: "console link --account acme".',
  );
  expect((await client.query('SELECT FROM console_invitations')).rowCount).toBe(0);
  await beat(null);
  expect((await invite()).printed).toHaveLength(1);
  await client.query('TRUNCATE processes');
});

/** Makes a session from a link, and one of a provider's person. */
async function makeSessions(): Promise<void> {
  await client.query(
    `INSERT INTO people (issuer, subject, email, name) VALUES ('i', 's', 'ann@example.org', '')`,
  );
  await startSession(client, { accountId: 1, personId: 1 });
  await startSession(client, { accountId: 1, linkPerson: 'bob', linkRole: 'owner' });
  await ops('link --account acme --person bob');
}

const sessions = async () =>
  (
    await client.query(
      'SELECT coalesce(link_person, person_id::text) AS of FROM console_sessions ORDER BY id',
    )
  ).rows.map((row) => row.of);
const links = async () => (await client.query('SELECT person FROM console_links')).rowCount;

test('sessions of an account end, with its links', async () => {
  await makeSessions();
  const { told } = await ops('sessions end --account acme');
  expect(told[0]).toMatch(/^2 sessions ended/);
  expect([await sessions(), await links()]).toEqual([[], 0]);
  expect(await newestEntry()).toMatchObject({
    action: 'sessions.ended',
    subject: 'account acme',
    details: { count: 2 },
    account_id: 1,
  });
});

test.each([
  ['Ann@example.org', ['bob'], 1],
  ['bob', ['1'], 0],
])('sessions of the person %s end, and no others', async (person, left, linksLeft) => {
  await makeSessions();
  const { told } = await ops(`sessions end --person ${person}`);
  expect(told[0]).toMatch(/^1 session ended/);
  expect([await sessions(), await links()]).toEqual([left, linksLeft]);
  expect(await newestEntry()).toMatchObject({ action: 'sessions.ended', subject: `person ${person}` });
});

test('a person is the same in every form of Unicode, and with spaces around the name', async () => {
  await ops(`link --account acme --person ${'zoë'.normalize('NFD')}`);
  const { rows } = await client.query('SELECT person FROM console_links');
  expect(rows).toEqual([{ person: 'zoë'.normalize('NFC') }]);
  await ops(`sessions end --person ${'Zoë'.normalize('NFD')}\u00a0`);
  expect(await links()).toBe(0);
});

test.each(['link', 'invite --email ann@example.org', 'sessions end'])(
  'the audit log names the account of %s as it is called, however the command writes it',
  async (command) => {
    await ops(`${command} --account \u00a0acme`);
    expect(await newestEntry()).toMatchObject({ subject: 'account acme', account_id: 1 });
  },
);

test('removing an operator leaves an ordinary person, and ends their sessions and the invitations to and by them', async () => {
  await makeSessions();
  await client.query('UPDATE people SET is_operator = true');
  await ops('invite --account acme --email ann@example.org --role operator');
  await client.query(
    `INSERT INTO console_invitations (hash, account_id, email, role, invited_by, expires_at)
     SELECT sha256('x'), id, 'bob@example.org', 'operator', 'ann@example.org', now() + interval '1 day'
     FROM accounts WHERE name = 'acme'`,
  );
  await startSession(client, { accountId: 1, linkPerson: 'Ann@example.org', linkRole: 'operator' });
  await ops('link --account acme --role operator --person ann@example.org');
  await ops('remove-operator --email Ann@Example.org');
  expect([await sessions(), await links()]).toEqual([['bob'], 1]);
  const { rows } = await client.query('SELECT is_operator FROM people');
  expect(rows).toEqual([{ is_operator: false }]);
  expect((await client.query('SELECT 1 FROM console_invitations')).rowCount).toBe(0);
  expect(await newestEntry()).toMatchObject({
    action: 'person.removed',
    subject: 'person ann@example.org',
    details: { role: 'operator' },
  });
  await expect(ops('remove-operator --email ann@example.org')).rejects.toThrow(
    'No operator has the address ann@example.org.',
  );
});

test('link prints only the link, which signs in as the person and role that the other line names', async () => {
  const { printed, told } = await ops('link --account acme --role editor --person bob');
  expect(printed).toEqual([
    expect.stringMatching(/^https:\/\/ballots\.example\.org\/console\/links\/[\w-]{43}$/),
  ]);
  expect(told).toEqual(['Signs in as bob, editor of account "acme", once within 15 minutes:']);
  const { rows } = await client.query('SELECT account_id, role, person FROM console_links');
  expect(rows).toEqual([{ account_id: 1, role: 'editor', person: 'bob' }]);
  await expect(ops('link --account nobody')).rejects.toThrow('There is no account "nobody"');
});

test('a link is for an owner with your own name by default, and an invitation for a member', async () => {
  await ops('link --account acme');
  await ops('invite --account acme --email ann@example.org');
  const { rows } = await client.query(
    'SELECT l.role, l.person, i.role AS invited FROM console_links l, console_invitations i',
  );
  expect(rows).toEqual([{ role: 'owner', person: currentActor().osUser, invited: 'member' }]);
});

test.each(['', ' ', 'x'.repeat(101), 'a\nb', 'a\u202eb'])('a link names no person %j', async (person) => {
  const io = createIo({ DATABASE_URL: url, PUBLIC_URL: 'https://ballots.example.org' });
  const made = runConsole(['link', '--account', 'acme', '--person', person], io);
  await expect(made).rejects.toThrow('--person must have 1 to 100 characters');
  expect((await client.query('SELECT FROM console_links')).rowCount).toBe(0);
});

test.each([
  ['invite --account nobody --email a@b.c', 'There is no account "nobody"'],
  ['invite --account acme --email ann', '--email is "ann"; it must be an address such as ann@example.org.'],
  ['invite --account acme --email a@b.c --role king', 'There is no role "king"'],
  ['invite --account acme', '--email'],
  ['sessions end', 'Give either --account or --person.'],
  ['sessions end --account acme --person ann', 'Give either --account or --person.'],
  ['sessions end --account nobody', 'There is no account "nobody"'],
  ['sessions stop', "Unknown command 'stop'"],
])('"%s" is refused', async (line, message) => {
  await expect(ops(line)).rejects.toThrow(message);
});

test('the help of a nested command has its environment and exit status', async () => {
  const io = createIo({});
  await createRunner('help')(['console', 'sessions', 'end'], io);
  const help = io.printed.join('\n');
  expect(help).toContain('console sessions end --person ann@example.org');
  expect(help).toContain('DATABASE_URL');
  expect(help).toContain('Exit status');
});
