import { expect, test } from '@jest/globals';
import pg from 'pg';
import { ConsoleClient, type ReceivedPage } from '../../helpers/console/console-client.ts';
import { emailOf, startOf, useConsoleWithProvider } from '../../helpers/console/console-with-provider.ts';
import { until } from '../../helpers/until.ts';

const console = useConsoleWithProvider();
const { provider } = console;

const linkIn = ({ html }: ReceivedPage): string => /\/console\/invitations\/[\w-]{43}/.exec(html)?.[0] ?? '';

async function audit(account: string): Promise<unknown[]> {
  return console.service.query(
    `SELECT l.action, l.person, l.details FROM audit_log l JOIN accounts a ON a.id = l.account_id
     WHERE a.name = $1 ORDER BY l.id`,
    [account],
  );
}

async function personId(subject: string): Promise<number> {
  const [row] = await console.service.query('SELECT id FROM people WHERE subject = $1', [subject]);
  return Number(row?.id);
}

test('an owner invites an address, whose person joins with that role, and both are in the audit log', async () => {
  const account = await console.makeAccount();
  const owner = await console.join(account, { role: 'owner' });
  const guest = console.makeUser('guest');
  const invited = await owner.client.post('/console/people/invitations', {
    email: ` ${emailOf(guest).toUpperCase()} `,
    role: 'member',
  });
  expect(invited.status).toBe(200);
  expect(invited.html).toContain('https://ballots.example.org/console/invitations/');
  const listed = await owner.client.get('/console/people');
  expect(listed.html).toContain('Open invitations');
  expect(listed.html).toContain(emailOf(guest));
  expect(linkIn(listed)).toBe('');

  const client = new ConsoleClient(console.service);
  const shown = await client.get(linkIn(invited));
  expect(shown.html).toContain(`Join ${account}`);
  expect(shown.html).toContain('g***@example.org');
  expect(shown.html).not.toContain(emailOf(guest));
  const start = /href="([^"]+sign-in\/start[^"]*)"/.exec(shown.html)?.[1] ?? '';
  expect((await provider.signIn(client, guest, start)).location).toBe('/console');
  expect((await client.get('/console/account')).html).toContain(`${emailOf(guest)} · member`);

  const members = await owner.client.get('/console/people');
  expect(members.html).toContain(`Remove ${emailOf(guest)}`);
  expect(members.html).not.toContain('Open invitations');
  const entries = await audit(account);
  expect(entries).toContainEqual({
    action: 'person.invited',
    person: emailOf(owner.subject),
    details: { email: emailOf(guest), role: 'member' },
  });
  expect(entries).toContainEqual({
    action: 'person.joined',
    person: emailOf(guest),
    details: { role: 'member' },
  });
  expect(entries.at(-1)).toEqual({
    action: 'session.started',
    person: emailOf(guest),
    details: { role: 'member', by: 'provider' },
  });
});

test('an invitation works only for its address', async () => {
  const account = await console.makeAccount();
  const guest = console.makeUser('guest');
  const link = await console.invite(account, emailOf(guest));
  const thief = await console.join(await console.makeAccount(), { name: 'thief' });
  for (const subject of [thief.subject, console.makeUser('stranger')]) {
    const client = new ConsoleClient(console.service);
    const refused = await provider.signIn(client, subject, startOf(link));
    expect(refused.status).toBe(403);
    expect(refused.html).toContain('g***@example.org');
    expect(refused.html).not.toContain(emailOf(guest));
    expect(client.cookie('bes_session')).toBe('');
  }
  provider.users.set(guest, { email: emailOf(guest), email_verified: false });
  const unverified = await provider.signIn(new ConsoleClient(console.service), guest, startOf(link));
  expect(unverified.status).toBe(403);
  provider.users.set(guest, { email: emailOf(guest), email_verified: true });
  expect((await provider.signIn(new ConsoleClient(console.service), guest, startOf(link))).status).toBe(303);
});

test('an invitation works once, until it expires, is withdrawn or replaced; afterwards all look the same', async () => {
  const account = await console.makeAccount();
  const owner = await console.join(account, { role: 'owner' });
  const guest = console.makeUser('guest');
  const invite = async (email: string) =>
    linkIn(await owner.client.post('/console/people/invitations', { email, role: 'member' }));

  const used = await invite(emailOf(guest));
  await provider.signIn(new ConsoleClient(console.service), guest, startOf(used));
  const withdrawn = await invite('withdrawn@example.org');
  const id = /invitations\/(\d+)\/withdraw/.exec((await owner.client.get('/console/people')).html)?.[1];
  const path = `/console/people/invitations/${id}/withdraw`;
  expect((await owner.client.post(path)).location).toBe('/console/people?done=withdrawn');
  expect((await owner.client.post(path)).status).toBe(404);
  const replaced = await invite('twice@example.org');
  const open = await invite('twice@example.org');
  const expired = await invite('expired@example.org');
  await console.service.query(
    `UPDATE console_invitations SET expires_at = now() - interval '1 second' WHERE email = 'expired@example.org'`,
  );

  const client = new ConsoleClient(console.service);
  const unknown = open.replace(/.{43}$/, 'A'.repeat(43));
  const pages = [];
  for (const link of [used, withdrawn, replaced, expired, unknown, `${unknown}x`]) {
    const shown = await client.get(link);
    pages.push(shown.html.replace(/Request [\w-]+/, ''));
    expect([shown.status, (await client.get(startOf(link))).status]).toEqual([404, 404]);
  }
  expect(new Set(pages).size).toBe(1);
  expect((await client.get(open)).status).toBe(200);
  expect(await audit(account)).toContainEqual({
    action: 'invitation.withdrawn',
    person: emailOf(owner.subject),
    details: { email: 'withdrawn@example.org', role: 'member' },
  });
});

test('withdrawing an invitation during its sign-in prevents its acceptance', async () => {
  const guest = console.makeUser('guest');
  const link = await console.invite(await console.makeAccount(), emailOf(guest));
  const client = new ConsoleClient(console.service);
  const { location } = await client.get(startOf(link));
  await console.service.query('DELETE FROM console_invitations WHERE email = $1', [emailOf(guest)]);
  provider.visitor = guest;
  const refused = await client.get(await provider.visit(location));
  expect(refused.status).toBe(400);
  expect(refused.html).toContain('accepted or withdrawn already');
  expect(await console.service.query('SELECT 1 FROM people WHERE subject = $1', [guest])).toEqual([]);
});

test('an account has a hundred open invitations at most', async () => {
  const account = await console.makeAccount();
  const { client } = await console.join(account, { role: 'owner' });
  await console.service.query(
    `INSERT INTO console_invitations (hash, account_id, email, role, invited_by, expires_at)
     SELECT sha256(n::text::bytea), a.id, n || '@example.org', 'member', 'ann', now() + interval '1 day'
     FROM accounts a, generate_series(1, 100) n WHERE a.name = $1`,
    [account],
  );
  const refused = await client.post('/console/people/invitations', {
    email: 'a@example.org',
    role: 'member',
  });
  expect(refused.status).toBe(409);
  const again = await client.post('/console/people/invitations', { email: '7@example.org', role: 'owner' });
  expect(again.status).toBe(200);
});

test('both promotions and demotions take effect at once', async () => {
  const account = await console.makeAccount();
  const owner = await console.join(account, { role: 'owner' });
  const member = await console.join(account);
  const path = `/console/people/${await personId(member.subject)}/role`;
  expect((await member.client.get('/console/people')).html).toContain('Owners of the account invite');
  expect((await member.client.post('/console/people/invitations', {})).status).toBe(403);
  expect((await member.client.post(path, { role: 'owner' })).status).toBe(403);
  // A form that was sent twice says twice that it is done.
  for (const _ of [1, 2]) {
    const sent = await owner.client.post(path, { role: 'owner', seen: 'member' });
    expect(sent.location).toBe('/console/people?done=role');
  }
  expect((await member.client.get('/console/people')).html).toContain('Invite somebody');
  await owner.client.post(path, { role: 'member' });
  expect((await member.client.post('/console/people/invitations', {})).status).toBe(403);
  expect(await audit(account)).toContainEqual({
    action: 'person.role_changed',
    person: emailOf(owner.subject),
    details: { email: emailOf(member.subject), from: 'owner', to: 'member' },
  });
});

test('a demotion withdraws the open invitation by which the person could become an owner again', async () => {
  const account = await console.makeAccount();
  const owner = await console.join(account, { role: 'owner' });
  const member = await console.join(account, { role: 'owner' });
  const email = emailOf(member.subject);
  const link = linkIn(await owner.client.post('/console/people/invitations', { email, role: 'owner' }));
  expect((await member.client.get(link)).status).toBe(200);
  const path = `/console/people/${await personId(member.subject)}/role`;
  expect((await owner.client.post(path, { role: 'member' })).location).toBe('/console/people?done=role');
  expect((await member.client.get(link)).status).toBe(404);
});

test('removing a person ends their access on every gateway at once, and withdraws their invitation', async () => {
  const account = await console.makeAccount();
  const owner = await console.join(account, { role: 'owner' });
  const member = await console.join(account);
  const link = await console.invite(account, emailOf(member.subject));
  const path = `/console/people/${await personId(member.subject)}/remove`;
  expect((await owner.client.get(path)).html).toContain('loses access to the account at once');
  expect((await owner.client.post(path)).location).toBe('/console/people?done=removed');
  for (const gateway of [0, 1]) {
    member.client.gateway = gateway;
    expect((await member.client.get('/console/keys')).status).toBe(303);
    expect((await member.client.get('/console/api/v1/states')).status).toBe(401);
  }
  expect((await member.client.get(link)).status).toBe(404);
  const back = await provider.signIn(member.client, member.subject);
  expect(back.html).toContain('You belong to no account');
  expect((await owner.client.post(path)).status).toBe(404);
  expect(
    await console.service.query('SELECT 1 FROM console_sessions WHERE person_id = $1', [
      await personId(member.subject),
    ]),
  ).toEqual([]);
});

test.each([
  ['is removed', 'remove', {}],
  ['becomes a member', 'role', { role: 'member' }],
])('invitations end with the right of an owner who %s', async (_, action, fields) => {
  const account = await console.makeAccount();
  const owner = await console.join(account, { role: 'owner' });
  const former = await console.join(account, { name: 'former', role: 'owner' });
  const guest = console.makeUser('guest');
  const link = linkIn(
    await former.client.post('/console/people/invitations', { email: emailOf(guest), role: 'owner' }),
  );
  const other = linkIn(
    await owner.client.post('/console/people/invitations', { email: 'other@example.org', role: 'member' }),
  );
  await owner.client.post(`/console/people/${await personId(former.subject)}/${action}`, fields);
  const client = new ConsoleClient(console.service);
  expect((await client.get(link)).status).toBe(404);
  expect((await client.get(other)).status).toBe(200);
  // A right that comes back does not revive them.
  await console.service.query(
    `INSERT INTO account_members (account_id, person_id, role)
     SELECT a.id, p.id, 'owner' FROM accounts a, people p WHERE a.name = $1 AND p.subject = $2
     ON CONFLICT (account_id, person_id) DO UPDATE SET role = 'owner'`,
    [account, former.subject],
  );
  expect((await client.get(link)).status).toBe(404);
});

test('an invitation whose author loses the right during its sign-in cannot be accepted', async () => {
  const account = await console.makeAccount();
  const former = await console.join(account, { role: 'owner' });
  const guest = console.makeUser('guest');
  const link = linkIn(
    await former.client.post('/console/people/invitations', { email: emailOf(guest), role: 'owner' }),
  );
  const client = new ConsoleClient(console.service);
  const { location } = await client.get(startOf(link));
  await console.service.query(`UPDATE account_members SET role = 'member' WHERE person_id = $1`, [
    await personId(former.subject),
  ]);
  provider.visitor = guest;
  const refused = await client.get(await provider.visit(location));
  expect(refused.html).toContain('accepted or withdrawn already');
  expect(await console.service.query('SELECT 1 FROM people WHERE subject = $1', [guest])).toEqual([]);
});

test('an owner who removes themselves reads that they have left the account', async () => {
  const account = await console.makeAccount();
  const leaving = await console.join(account, { role: 'owner' });
  await console.join(account, { name: 'other', role: 'owner' });
  const { location } = await leaving.client.post(`/console/people/${await personId(leaving.subject)}/remove`);
  expect((await leaving.client.get(location ?? '')).html).toContain('You have left the account');
  expect((await leaving.client.get('/console/people')).status).toBe(303);
});

test('the last owner stays, even if two owners remove each other at the same time', async () => {
  const account = await console.makeAccount();
  const [ann, bob] = [
    await console.join(account, { role: 'owner' }),
    await console.join(account, { name: 'bob', role: 'owner' }),
  ];
  const [annId, bobId] = [await personId(ann.subject), await personId(bob.subject)];
  const [annToken, bobToken] = [await ann.client.formToken(), await bob.client.formToken()];
  // Both removals begin before either can be completed.
  const blocker = new pg.Client({ connectionString: console.service.databaseUrl });
  await blocker.connect();
  await blocker.query('BEGIN');
  await blocker.query('SELECT FROM account_members WHERE person_id IN ($1, $2) FOR UPDATE', [annId, bobId]);
  const removals = [
    ann.client.post(`/console/people/${bobId}/remove`, { csrf: annToken }),
    bob.client.post(`/console/people/${annId}/remove`, { csrf: bobToken }),
  ];
  await until('both removals wait', async () => {
    const waiting = await console.service.query(
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    return waiting.length === 2;
  });
  await blocker.query('COMMIT');
  await blocker.end();
  await Promise.all(removals);
  const owners = () =>
    console.service.query(
      `SELECT m.person_id AS id FROM account_members m JOIN accounts a ON a.id = m.account_id
       WHERE a.name = $1 AND m.role = 'owner'`,
      [account],
    );
  const left = await owners();
  expect(left).toHaveLength(1);
  const last = left[0]?.id === annId ? ann : bob;
  for (const [path, fields] of [
    [`/console/people/${left[0]?.id}/remove`, {}],
    [`/console/people/${left[0]?.id}/role`, { role: 'member' }],
  ] as const) {
    const refused = await last.client.post(path, fields);
    expect(refused.status).toBe(409);
    expect(refused.html).toContain('The account needs an owner');
  }
  expect(await owners()).toEqual(left);
});

test("owners of two accounts cannot reach each other's people, invitations and keys", async () => {
  const [own, other] = [await console.makeAccount(), await console.makeAccount()];
  const ann = await console.join(own, { role: 'owner' });
  const bob = await console.join(other, { name: 'bob', role: 'owner' });
  await bob.client.post('/console/people/invitations', { email: 'carl@example.org', role: 'member' });
  const [invitation] = await console.service.query(
    `SELECT i.id FROM console_invitations i JOIN accounts a ON a.id = i.account_id
     WHERE a.name = $1 AND i.accepted_at IS NULL`,
    [other],
  );
  const [key] = await console.service.query(
    'SELECT k.id FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE a.name = $1',
    [other],
  );
  const bobId = await personId(bob.subject);
  const theirs: [string, string, Record<string, string>][] = [
    ['POST', `/console/people/${bobId}/role`, { role: 'member' }],
    ['POST', `/console/people/${bobId}/remove`, {}],
    ['GET', `/console/people/${bobId}/remove`, {}],
    ['POST', `/console/people/invitations/${invitation?.id}/withdraw`, {}],
    ['GET', `/console/keys/${key?.id}/revoke`, {}],
    ['POST', `/console/keys/${key?.id}/revoke`, {}],
    ['POST', `/console/keys/${key?.id}/rotate`, {}],
  ];
  for (const [method, path, fields] of theirs) {
    const send = (address: string) =>
      method === 'GET' ? ann.client.get(address) : ann.client.post(address, fields);
    const refused = await send(path);
    const unknown = await send(path.replace(/\d+/, '999999'));
    const malformed = await send(path.replace(/\d+/, 'x'));
    const pages = [refused, unknown, malformed].map(({ html }) => html.replace(/Request [\w-]+/, ''));
    expect([refused.status, unknown.status, malformed.status]).toEqual([404, 404, 404]);
    expect(new Set(pages).size).toBe(1);
  }
  const { html } = await ann.client.get('/console/people');
  expect(html).not.toContain(emailOf(bob.subject));
  expect(html).not.toContain('carl@example.org');
  const theirPeople = (await bob.client.get('/console/people')).html;
  expect(theirPeople).toContain(`${emailOf(bob.subject)} · owner`);
  expect(theirPeople).toContain('carl@example.org');
});

test('a form of another account than the shown one changes nothing', async () => {
  const [first, second] = [await console.makeAccount(), await console.makeAccount()];
  const { client } = await console.join(first, { role: 'owner' });
  const bob = await console.join(first, { name: 'bob', role: 'owner' });
  const id = async (account: string): Promise<string> =>
    String((await console.service.query('SELECT id FROM accounts WHERE name = $1', [account]))[0]?.id);
  await console.service.query(
    `INSERT INTO account_members (account_id, person_id, role)
     SELECT $1, person_id, role FROM account_members WHERE account_id = $2`,
    [await id(second), await id(first)],
  );
  const csrf = await client.formToken();
  expect((await client.post('/console/account', { account: await id(second) })).status).toBe(303);

  const bobId = await personId(bob.subject);
  const forms: [string, Record<string, string>][] = [
    ['/console/keys', { name: 'Website', scope: 'data:read' }],
    ['/console/subscriptions', { name: 'Everything' }],
    ['/console/people/invitations', { email: 'carl@example.org', role: 'owner' }],
    [`/console/people/${bobId}/role`, { role: 'member' }],
    [`/console/people/${bobId}/remove`, {}],
  ];
  const before = await audit(second);
  for (const [path, fields] of forms) {
    const refused = await client.post(path, { csrf, ...fields });
    expect([path, refused.status]).toEqual([path, 409]);
    expect(refused.html).toContain(`The console shows the account ${second} now`);
  }
  expect(await audit(second)).toEqual(before);
  expect((await client.get('/console/subscriptions')).html).toContain('There are none yet.');

  // Switching back and signing out do the same for every shown account.
  expect((await client.post('/console/account', { csrf, account: await id(first) })).status).toBe(303);
  expect((await client.post('/console/keys', { csrf, name: 'Website', scope: 'data:read' })).status).toBe(
    200,
  );
  const later = await client.formToken();
  await client.post('/console/account', { account: await id(second) });
  expect((await client.post('/console/sign-out', { csrf: later })).status).toBe(303);
});

test('an operator who is invited sees every account', async () => {
  const [first, second] = [await console.makeAccount(), await console.makeAccount()];
  const { client, subject } = await console.join(first, { role: 'operator' });
  const { html } = await client.get('/console/account');
  expect(html).toContain(`${emailOf(subject)} · operator`);
  expect(html).toContain(`<strong>${first}</strong>`);
  const [row] = await console.service.query('SELECT id FROM accounts WHERE name = $1', [second]);
  expect((await client.post('/console/account', { account: String(row?.id) })).status).toBe(303);
  expect((await client.get('/console/account')).html).toContain(`<strong>${second}</strong>`);
  expect((await client.get('/console/people')).html).toContain('Nobody has joined');
});
