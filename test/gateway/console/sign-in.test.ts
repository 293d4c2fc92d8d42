import { expect, test } from '@jest/globals';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { emailOf, startOf, useConsoleWithProvider } from '../../helpers/console/console-with-provider.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';

const { log, lines } = captureLog('info');
const console = useConsoleWithProvider({ log });
const { provider } = console;
const START = '/console/sign-in/start';

/** A browser on its way to the provider, and its return address. */
async function goToProvider(
  visitor: typeof provider.visitor,
): Promise<{ client: ConsoleClient; back: string }> {
  const client = new ConsoleClient(console.service);
  provider.visitor = visitor;
  return { client, back: await provider.visit((await client.get(START)).location) };
}

test('a person signs in through several gateways, and reaches the requested page', async () => {
  const { subject } = await console.join(await console.makeAccount());
  const client = new ConsoleClient(console.service);
  const asked = await client.get('/console/keys?done=revoked');
  const page = await client.get(asked.location);
  const start = /href="([^"]+sign-in\/start[^"]*)"/.exec(page.html)?.[1] ?? '';
  const sent = await client.get(start);
  expect(sent.status).toBe(303);
  expect(new URL(sent.location).origin).toBe(provider.issuer);
  expect(Object.fromEntries(new URL(sent.location).searchParams)).toMatchObject({
    response_type: 'code',
    response_mode: 'query',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^.{43}$/),
    state: expect.stringMatching(/^.{43}$/),
    nonce: expect.stringMatching(/^.{43}$/),
  });
  expect(sent.headers.get('Set-Cookie')).toMatch(
    /^bes_sign_in=.{43}; path=\/console; .*samesite=lax; secure; httponly$/,
  );
  provider.visitor = subject;
  client.gateway = 1;
  const begun = await client.get(await provider.visit(sent.location));
  expect(begun).toMatchObject({ status: 303, location: '/console/keys?done=revoked' });
  expect(client.cookie('bes_sign_in')).toBe('');
  for (const gateway of [0, 1]) {
    client.gateway = gateway;
    expect((await client.get('/console/keys')).html).toContain(emailOf(subject));
  }
});

test('an unknown person is told so, and leaves nothing behind', async () => {
  const subject = console.makeUser('stranger');
  const client = new ConsoleClient(console.service);
  const refused = await provider.signIn(client, subject);
  expect(refused.status).toBe(403);
  expect(refused.html).toContain('You belong to no account');
  expect(refused.html).toContain(emailOf(subject));
  expect(client.cookie('bes_session')).toBe('');
  expect(await console.service.query('SELECT 1 FROM people WHERE subject = $1', [subject])).toEqual([]);
});

test('a sign-in of an unknown person leaves the session that the browser has', async () => {
  const { client } = await console.join(await console.makeAccount());
  expect((await provider.signIn(client, console.makeUser('stranger'))).status).toBe(403);
  expect((await client.get('/console/keys')).status).toBe(200);
});

test('a callback counts once, and not with another state, in another browser, or too late', async () => {
  const { subject } = await console.join(await console.makeAccount());
  const { client, back } = await goToProvider(subject);
  const wrong = back.replace(/state=[^&]+/, 'state=other');
  const elsewhere = new ConsoleClient(console.service);
  const foreign = await goToProvider(subject);
  const refusals = [
    await client.get(wrong),
    await client.get('/console/sign-in/callback'),
    await elsewhere.get(back),
    await foreign.client.get(back),
  ];
  expect((await client.get(back)).status).toBe(303);
  refusals.push(await client.get(back));
  await console.service.query(`UPDATE console_sign_ins SET expires_at = now() - interval '1 second'`);
  refusals.push(await foreign.client.get(foreign.back));
  for (const { status, html } of refusals) {
    expect(status).toBe(400);
    expect(html).toContain('took longer than ten minutes, was used already, or began in another browser');
  }
  expect(foreign.client.cookie('bes_session')).toBe('');
});

test('an answer without its code, or with another code, does not begin a session', async () => {
  const { subject } = await console.join(await console.makeAccount());
  for (const spoil of [/code=[^&]+/, /iss=[^&]+/]) {
    const { client, back } = await goToProvider(subject);
    const refused = await client.get(back.replace(spoil, (part) => `${part.split('=')[0]}=other`));
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('could not be completed');
    expect(client.cookie('bes_session')).toBe('');
  }
});

test('of many concurrent callbacks, one begins a session', async () => {
  const { subject } = await console.join(await console.makeAccount());
  const { client, back } = await goToProvider(subject);
  const answers = await Promise.all(Array.from({ length: 6 }, () => client.get(back)));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400, 400]);
});

test.each([
  ['unverified', { email: 'mallory@example.org', email_verified: false }, 'has not verified'],
  [
    'of which the provider does not say that it is verified',
    { email: 'mallory@example.org' },
    'has not verified',
  ],
  ['absent', {}, 'did not tell your e-mail address'],
  ['another form of a known one', { email: '\u212Aate@example.org', email_verified: true }, 'did not tell'],
])('an address that is %s does not count', async (_what, claims, reason) => {
  const { subject, client: before } = await console.join(await console.makeAccount());
  const user = provider.users.get(subject);
  provider.users.set(subject, claims);
  const client = new ConsoleClient(console.service);
  const refused = await provider.signIn(client, subject);
  expect(refused.status).toBe(403);
  expect(refused.html).toContain(reason);
  expect(client.cookie('bes_session')).toBe('');
  expect(user?.email).toBe(emailOf(subject));
  expect((await before.get('/console/account')).html).toContain(emailOf(subject));
});

test('a person is identified by the subject: a new address and name appear at the next sign-in', async () => {
  const { subject, client } = await console.join(await console.makeAccount());
  provider.users.set(subject, { email: `new-${emailOf(subject)}`, email_verified: true, name: 'New Name' });
  expect((await provider.signIn(client, subject)).status).toBe(303);
  expect((await client.get('/console/account')).html).toContain(`new-${emailOf(subject)}`);
  const impostor = console.makeUser('impostor');
  provider.users.set(impostor, { email: `new-${emailOf(subject)}`, email_verified: true });
  expect((await provider.signIn(new ConsoleClient(console.service), impostor)).status).toBe(403);
});

test.each([
  ['access_denied', 403, 'The sign-in was declined at the provider.'],
  ['temporarily_unavailable', 400, 'The provider says: <code>temporarily_unavailable</code>'],
  [`"><script>\u009b2J${'x'.repeat(300)}`, 400, 'The provider says: <code>&quot;>&lt;script>\u009b2Jxxx'],
])("the provider's error %s gets a page", async (error, status, text) => {
  const { client, back } = await goToProvider({ error, description: '<b>no</b>' });
  // A real provider sends only its own codes; an address can contain any.
  const refused = await client.get(back);
  expect(refused.status).toBe(status);
  expect(refused.html).toContain(text);
  expect(refused.html).not.toContain('x'.repeat(60));
  expect(refused.html).not.toContain('<b>no</b>');
  // Neither does the log take more of it, or a character that controls a terminal.
  expect(lines.map(({ code = '' }) => code).join('\n')).not.toMatch(/x{60}|\u009b/);
  expect(client.cookie('bes_session')).toBe('');
});

test('other sites cannot begin a sign-in: they lead to the page with the button', async () => {
  const client = new ConsoleClient(console.service);
  for (const site of ['cross-site', 'same-site']) {
    client.headers = { 'Sec-Fetch-Site': site };
    expect(await client.get(`${START}?return_to=/console/keys`)).toMatchObject({
      status: 303,
      location: '/console/sign-in?return_to=%2Fconsole%2Fkeys',
    });
  }
  expect(client.cookie('bes_sign_in')).toBe('');
  client.headers = { 'Sec-Fetch-Site': 'same-origin' };
  expect((await client.get(START)).location).toMatch(provider.issuer);
});

test('signing in gives a browser a new session and ends its previous one', async () => {
  const { subject, client } = await console.join(await console.makeAccount());
  const first = client.cookie('bes_session');
  await provider.signIn(client, subject);
  expect(client.cookie('bes_session')).not.toBe(first);
  const old = new ConsoleClient(console.service);
  old.setCookie('bes_session', first);
  expect((await old.get('/console/keys')).status).toBe(303);
});

test('a person with several accounts begins with the last shown one, and can switch', async () => {
  const [first, second] = [await console.makeAccount(), await console.makeAccount()];
  const { subject, client } = await console.join(second);
  const link = await console.invite(first, emailOf(subject));
  expect((await provider.signIn(client, subject, startOf(link))).status).toBe(303);
  expect((await client.get('/console/account')).html).toContain(`<strong>${first}</strong>`);
  const value = new RegExp(`<option value="(\\d+)"[^>]*>${second}<`);
  const id = value.exec((await client.get('/console/account')).html)?.[1] ?? '';
  expect((await client.post('/console/account', { account: id })).status).toBe(303);
  const later = new ConsoleClient(console.service);
  await provider.signIn(later, subject);
  expect((await later.get('/console/account')).html).toContain(`<strong>${second}</strong>`);

  await console.service.query('UPDATE accounts SET suspended_at = now() WHERE name = $1', [second]);
  await provider.signIn(later, subject);
  const { html } = await later.get('/console/account');
  expect(html).toContain(`<strong>${first}</strong>`);
  expect(html).not.toContain(second);
  await console.service.query('UPDATE accounts SET suspended_at = now() WHERE name = $1', [first]);
  expect((await provider.signIn(new ConsoleClient(console.service), subject)).html).toContain('is suspended');
});

test("a person cannot switch to other people's accounts", async () => {
  const [own, other] = [await console.makeAccount(), await console.makeAccount()];
  const { client } = await console.join(own, { role: 'owner' });
  const [row] = await console.service.query('SELECT id FROM accounts WHERE name = $1', [other]);
  const refused = await client.post('/console/account', { account: String(row?.id) });
  const unknown = await client.post('/console/account', { account: '999999' });
  expect([refused.status, unknown.status]).toEqual([404, 404]);
  expect(refused.html.replace(/Request [\w-]+/, '')).toBe(unknown.html.replace(/Request [\w-]+/, ''));
  expect((await client.get('/console/account')).html).toContain(`<strong>${own}</strong>`);
});

test('while the provider is away, gateways start, links work, and signing in says so until it is back', async () => {
  const account = await console.makeAccount();
  const { subject } = await console.join(account);
  const { client: onTheWay, back } = await goToProvider(subject);
  await provider.stop();
  const answers = [await onTheWay.get(back)];
  await console.service.restartGateway(0);
  await console.service.untilReady();
  answers.push(await new ConsoleClient(console.service).get(START));
  for (const { status, html } of answers) {
    expect(status).toBe(503);
    expect(html).toContain('The sign-in provider does not answer');
  }
  expect((await (await ConsoleClient.signIn(console.service, { account })).get('/console/keys')).status).toBe(
    200,
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', msg: 'the sign-in provider does not answer' }),
  );
  await provider.start();
  expect((await provider.signIn(new ConsoleClient(console.service), subject)).status).toBe(303);
});

test('no sign-in counts as a defect, and the log contains no secret of it', async () => {
  const { subject } = await console.join(await console.makeAccount());
  const { client, back } = await goToProvider(subject);
  const link = await console.invite(await console.makeAccount(), emailOf(subject));
  // Requests that never reach the console carry its tokens too.
  for (const path of [link, `${link}%`, `${link}?from=%zz`, `/${link}`]) await client.get(path);
  const secrets = [client.cookie('bes_sign_in'), ...new URLSearchParams(back.split('?')[1]).values()];
  await client.get(back);
  await client.get(back);
  secrets.push(client.cookie('bes_session'), link.split('/').at(-1) ?? '', provider.clientSecret);
  const text = JSON.stringify(lines);
  for (const secret of secrets.filter((each) => each !== provider.issuer)) {
    expect(secret.length).toBeGreaterThan(30);
    expect(text).not.toContain(secret);
  }
  expect(text).toContain('"path":"/console/invitations/..."');
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});
