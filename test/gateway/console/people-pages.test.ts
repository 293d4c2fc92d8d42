/** The pages of people and of accounts, without a gateway. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ConsoleContext } from '../../../gateway/console/context.ts';
import { html, renderDocument } from '../../../gateway/console/html.ts';
import { type Page, type PageReply, type PageRequest, statusOf } from '../../../gateway/console/page.ts';
import { operatorAccountPages } from '../../../gateway/console/pages/operator-accounts.ts';
import { peoplePages } from '../../../gateway/console/pages/people.ts';
import { createInvitation, listInvitations } from '../../../store/console/invitations.ts';
import { createAccount } from '../../helpers/postgres/accounts.ts';
import { usePool, useTestDatabase } from '../../helpers/postgres/database.ts';

const { client, url } = useTestDatabase();
const ACTOR = { osUser: null, person: 'ann@a.org' };
const pool = usePool(url);
let accountId: number;
let other: number;

beforeEach(async () => {
  await client.query('TRUNCATE people, accounts, audit_log CASCADE');
  [accountId, other] = [await createAccount(client), await createAccount(client)];
});

interface Asking {
  role?: string;
  path?: Record<string, string>;
  query?: Record<string, string>;
  form?: Record<string, string>;
  hasProvider?: boolean;
  account?: string;
}

async function ask(pages: readonly Page[], method: string, at: string, asking: Asking = {}) {
  const { role = 'owner', path = {}, query = {}, form = {}, hasProvider = true, account = 'acme' } = asking;
  const page = pages.find((each) => each.method === method && each.path === at);
  const request = {
    ...{ path, query: new URLSearchParams(query), form: new URLSearchParams(form) },
    ...{ publicUrl: 'https://ballots.example', session: { accountId, account, role, person: 'ann@a.org' } },
  };
  const context = { pool, hasProvider } as unknown as ConsoleContext;
  const reply = (await page?.handle(request as unknown as PageRequest, context)) as PageReply;
  const text = 'body' in reply ? renderDocument(html`<body>${reply.problem}${reply.body}</body>`) : '';
  return { reply, text, status: 'body' in reply ? statusOf(reply) : 200 };
}
const people = (method: string, at = '', asking: Asking = {}) =>
  ask(peoplePages, method, `/console/people${at}`, asking);

async function add(name: string, role: string, account = accountId): Promise<number> {
  const { rows } = await client.query(
    `WITH person AS (INSERT INTO people (issuer, subject, email, name) VALUES ('i', $1, $1 || '@a.org', '') RETURNING id)
     INSERT INTO account_members (account_id, person_id, role) SELECT $2, id, $3 FROM person RETURNING person_id AS id`,
    [name, account, role],
  );
  return rows[0].id;
}
const invite = (email: string, account = accountId) =>
  createInvitation(
    client,
    { accountId: account, account: 'x', email, role: 'member', invitedBy: 'ops' },
    ACTOR,
  );
const rolesOf = async (account = accountId) => {
  const { rows } = await client.query(
    'SELECT email, role FROM account_members JOIN people ON id = person_id WHERE account_id = $1 ORDER BY 1',
    [account],
  );
  return rows.map(({ email, role }) => `${email.split('@')[0]} ${role}`);
};

describe('the people of an account', () => {
  test('can be changed by an owner, but for the only owner', async () => {
    const [ann, bob] = [await add('ann', 'owner'), await add('bob', 'editor')];
    await add('zed', 'owner', other);
    const { text } = await people('GET');
    expect(text).toContain('the only owner');
    expect(text).not.toContain(`/console/people/${ann}/remove`);
    expect(text).toContain(`/console/people/${bob}/remove`);
    expect(text.match(/Make (\w+): bob@a\.org/g)).toEqual([
      'Make member: bob@a.org',
      'Make owner: bob@a.org',
    ]);
    await add('cyd', 'owner');
    const { text: both } = await people('GET');
    expect([both.includes('the only owner'), both.includes(`/console/people/${ann}/remove`)]).toEqual([
      false,
      true,
    ]);
  });

  test('are told if an invitation of theirs could not be accepted, and keep what they entered', async () => {
    await add('ann', 'member');
    const form = { email: 'bob@a.org', role: 'editor' };
    const { status, text } = await people('POST', '/invitations', { form });
    expect(status).toBe(409);
    expect(text).toContain('ann@a.org is not an owner of the account &quot;acme&quot; or an operator');
    expect(text).toContain('value="bob@a.org"');
    expect(await listInvitations(client, accountId)).toEqual([]);
  });

  test('see no invitations and no forms as members', async () => {
    await add('ann', 'owner');
    await invite('guest@a.org');
    const [owner, member] = [await people('GET'), await people('GET', '', { role: 'member' })];
    expect([owner, member].map(({ text }) => text.includes('guest@a.org'))).toEqual([true, false]);
    expect(member.text).not.toContain('<form');
    expect(member.text).toContain('Owners of the account invite and remove people.');
  });

  test('INV-15: are shown in pages of a hundred, and an address without a known place begins with the first', async () => {
    await client.query(
      `WITH added AS (
         INSERT INTO people (issuer, subject, email, name)
         SELECT 'i', n::text, lpad(n::text, 3, '0') || '@a.org', '' FROM generate_series(1, 101) n RETURNING id)
       INSERT INTO account_members (account_id, person_id, role) SELECT $1, id, 'member' FROM added`,
      [accountId],
    );
    const count = (text: string) => text.match(/<th scope="row">/g)?.length ?? 0;
    const { text } = await people('GET');
    const [, next = ''] = /href="\/console\/people\?after=([^"]+)"/.exec(text) ?? [];
    expect([count(text), decodeURIComponent(next)]).toEqual([
      100,
      expect.stringMatching(/^member,\d+,100@a\.org$/),
    ]);
    const { text: rest } = await people('GET', '', { query: { after: decodeURIComponent(next) } });
    expect([count(rest), rest.includes('101@a.org'), rest.includes('Next members')]).toEqual([
      1,
      true,
      false,
    ]);
    for (const after of ['boss,1,a@b', 'owner,0,a@b', 'owner,1,', 'x'])
      expect(count((await people('GET', '', { query: { after } })).text)).toBe(100);
    const { text: end } = await people('GET', '', { query: { after: 'member,999999,zzz@a.org' } });
    expect(end).toContain('There are no further members.');
  });

  test('are let in by a command without a provider, whatever the account is called', async () => {
    const { text } = await people('GET', '', { hasProvider: false, account: "O'Neil & Co" });
    expect(text).toContain(`--account 'O'\\''Neil &amp; Co' --role member`);
    expect(text).toContain('Nobody has joined this account');
    const refused = people('POST', '/invitations', {
      hasProvider: false,
      form: { email: 'a@b.org', role: 'member' },
    });
    await expect(refused).rejects.toMatchObject({ status: 409 });
  });
});

describe('an invitation', () => {
  const open = async (account = accountId) =>
    (await listInvitations(client, account)).map(({ email }) => email);

  test('is made for an address and a role, and shown once', async () => {
    const { text } = await people('POST', '/invitations', { form: { email: ' Bob@A.org ', role: 'editor' } });
    expect(text).toMatch(/https:\/\/ballots\.example\/console\/invitations\/[\w-]{40,}/);
    expect(text).toContain('Earlier links for the address no longer work.');
    expect(await listInvitations(client, accountId)).toMatchObject([
      { email: 'bob@a.org', role: 'editor', invitedBy: 'ann@a.org' },
    ]);
  });

  test.each([
    [{ email: 'bob', role: 'editor' }, 'Give an e-mail address'],
    [{ email: 'a@a.org,b@a.org', role: 'editor' }, 'Give an e-mail address'],
    [{ email: 'bob@a.org', role: 'operator' }, 'Choose a role.'],
    [{ email: 'bob@a.org' }, 'Choose a role.'],
  ])('of %j is refused, and the form keeps its entries', async (form, problem) => {
    const { text, status } = await people('POST', '/invitations', { form, query: { done: 'withdrawn' } });
    expect([status, text.includes(problem), text.includes('is withdrawn')]).toEqual([400, true, false]);
    expect(text).toContain(`name="email" required maxlength="254" autocomplete="off" value="${form.email}"`);
    expect(await open()).toEqual([]);
  });

  test('is withdrawn by its account alone', async () => {
    await invite('guest@a.org');
    await invite('theirs@a.org', other);
    const idOf = async (account: number) => (await listInvitations(client, account))[0]?.id;
    const withdraw = async (id: unknown) =>
      people('POST', '/invitations/{id}/withdraw', { path: { id: String(id) } });
    for (const id of [await idOf(other), 'x', 0]) {
      const { status, reply, text } = await withdraw(id);
      expect([status, reply]).toEqual([404, expect.objectContaining({ title: 'People' })]);
      expect(text).toContain('It was accepted, withdrawn or replaced, or has expired.');
    }
    expect((await withdraw(await idOf(accountId))).reply).toEqual({
      redirect: '/console/people?done=withdrawn',
    });
    expect([await open(), await open(other)]).toEqual([[], ['theirs@a.org']]);
  });
});

describe('the role of a member', () => {
  /** An owner and a member of the account, and a member of another one. */
  const addThree = async () => ({
    ann: await add('ann', 'owner'),
    bob: await add('bob', 'member'),
    zed: await add('zed', 'member', other),
  });
  const change = (id: unknown, role: string) =>
    people('POST', '/{id}/role', { path: { id: String(id) }, form: { role } });

  test('changes for a member of the account, to a role of members', async () => {
    const { ann, bob, zed } = await addThree();
    expect((await change(bob, 'editor')).reply).toEqual({ redirect: '/console/people?done=role' });
    expect((await change(bob, 'operator')).status).toBe(400);
    const last = await change(ann, 'member');
    expect([last.status, last.text.includes('The account needs an owner')]).toEqual([409, true]);
    for (const id of [zed, 'x']) await expect(change(id, 'owner')).rejects.toMatchObject({ status: 404 });
    expect([await rolesOf(), await rolesOf(other)]).toEqual([['ann owner', 'bob editor'], ['zed member']]);
  });

  test('does not change if somebody has changed it since the page was opened', async () => {
    const { bob } = await addThree();
    const { text } = await people('GET');
    const [, seen = ''] =
      /name="seen" value="(\w+)"[^>]*><input[^>]*><button[^>]*>Make editor/.exec(text) ?? [];
    const late = (role: string) =>
      people('POST', '/{id}/role', { path: { id: String(bob) }, form: { seen, role } });
    await change(bob, 'owner');
    const { status, text: shown } = await late('editor');
    expect([seen, status, await rolesOf()]).toEqual(['member', 409, ['ann owner', 'bob owner']]);
    expect(shown).toContain('Somebody has changed the role of bob@a.org meanwhile: it is owner now.');
    expect((await late('owner')).reply).toEqual({ redirect: '/console/people?done=role' });
  });

  test('ends with a removal, after a question', async () => {
    const { ann, bob, zed } = await addThree();
    const remove = (method: string, id: number) =>
      people(method, '/{id}/remove', { path: { id: String(id) } });
    expect((await remove('GET', bob)).text).toContain('bob@a.org loses access to the account at once.');
    expect(await rolesOf()).toHaveLength(2);
    expect((await remove('POST', bob)).reply).toEqual({ redirect: '/console/people?done=removed' });
    expect((await remove('POST', ann)).status).toBe(409);
    for (const id of [bob, zed]) await expect(remove('POST', id)).rejects.toMatchObject({ status: 404 });
    expect([await rolesOf(), await rolesOf(other)]).toEqual([['ann owner'], ['zed member']]);
  });
});

describe('the accounts for operators', () => {
  const accounts = (method: string, at = '', asking: Asking = {}) =>
    ask(operatorAccountPages, method, `/console/operator/accounts${at}`, { role: 'operator', ...asking });
  const byId = {
    path: {
      get id() {
        return String(accountId);
      },
    } as unknown as Record<string, string>,
  };
  const stored = async () =>
    (
      await client.query('SELECT plan, suspended_at IS NOT NULL AS suspended FROM accounts WHERE id = $1', [
        accountId,
      ])
    ).rows[0];

  test('INV-15: are shown in pages of a hundred that keep the search', async () => {
    await client.query(
      `INSERT INTO accounts (name, plan) SELECT 'club ' || lpad(n::text, 3, '0'), 'free' FROM generate_series(1, 101) n`,
    );
    const count = (text: string) => text.match(/<th scope="row">/g)?.length ?? 0;
    const { text } = await accounts('GET', '', { query: { q: ' CLUB ' } });
    expect([count(text), text.includes('accounts?q=CLUB&amp;after=club+100')]).toEqual([100, true]);
    const { text: rest } = await accounts('GET', '', { query: { q: 'CLUB', after: 'club 100' } });
    expect([count(rest), rest.includes('Next accounts')]).toEqual([1, false]);
    const { text: hundred } = await accounts('GET', '', { query: { q: 'club', after: 'club 001' } });
    expect([count(hundred), hundred.includes('Next accounts')]).toEqual([100, false]);
  });

  test('are made with a name and a plan, and the form keeps its entries if it is refused', async () => {
    const make = (name: string, plan = 'standard') => accounts('POST', '', { form: { name, plan } });
    for (const name of ['', ' \u00a0 ', '\u200b', 'x'.repeat(101)]) {
      const { status, text } = await make(name);
      expect([status, text.includes('The name must have 1 to 100 characters.')]).toEqual([400, true]);
      expect(text).toContain('<option value="standard" selected>standard</option>');
    }
    const { reply } = await make(` ${'x'.repeat(100)} `);
    const { rows } = await client.query(`SELECT id FROM accounts WHERE name = repeat('x', 100)`);
    expect(reply).toEqual({ redirect: `/console/operator/accounts/${rows[0].id}` });
    const taken = await make('x'.repeat(100), 'free');
    expect([
      taken.status,
      taken.text.includes('is on plan &quot;standard&quot;, not &quot;free&quot;'),
    ]).toEqual([...[400, true]]);
    expect((await make('new', 'gold')).status).toBe(400);
  });

  test('move to a plan only from the one that the operator has seen', async () => {
    const move = (plan: string, seen: string) =>
      accounts('POST', '/{id}/plan', { ...byId, form: { plan, seen } });
    expect((await accounts('GET', '/{id}', byId)).text).toContain('name="seen" value="free"');
    const late = await move('partner', 'standard');
    expect([late.status, await stored()]).toEqual([409, { plan: 'free', suspended: false }]);
    expect(late.text).toContain('moved to the plan free in the meantime');
    expect(late.text).toMatch(
      /name="seen" value="free".*<option value="partner" selected>partner<\/option>/s,
    );
    expect((await move('partner', 'free')).reply).toEqual({
      redirect: `/console/operator/accounts/${accountId}?done=plan`,
    });
    await expect(move('gold', 'partner')).rejects.toMatchObject({ status: 400 });
    expect(await stored()).toEqual({ plan: 'partner', suspended: false });
  });

  test('are suspended and resumed, which their pages show', async () => {
    const show = async () => (await accounts('GET', '/{id}', byId)).text;
    expect(await show()).toMatch(/in use.*Suspend the account/s);
    expect((await accounts('GET', '/{id}/suspend', byId)).text).toContain('its streams and webhooks stop');
    expect((await stored()).suspended).toBe(false);
    await accounts('POST', '/{id}/suspend', byId);
    expect([(await stored()).suspended, /suspended.*Resume the account/s.test(await show())]).toEqual([
      true,
      true,
    ]);
    expect((await accounts('GET')).text).toMatch(/<tr class="over">/);
    expect((await accounts('POST', '/{id}/resume', byId)).reply).toEqual({
      redirect: `/console/operator/accounts/${accountId}?done=resumed`,
    });
    expect((await stored()).suspended).toBe(false);
    for (const id of ['x', '999999', '0'])
      await expect(accounts('GET', '/{id}', { path: { id } })).rejects.toMatchObject({ status: 404 });
  });
});
