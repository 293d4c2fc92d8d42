import { expect, test } from '@jest/globals';
import { ConsoleClient, makeLink, type ReceivedPage } from '../../helpers/console/console-client.ts';
import { inputsOf } from '../../helpers/console/console-pages.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService({ gateways: 2 });

test('a link signs in once, on any gateway, and looking at it does not use it up', async () => {
  const client = new ConsoleClient(service);
  const link = await makeLink(service, { person: 'ann' });
  for (const gateway of [0, 1]) {
    client.gateway = gateway;
    const shown = await client.get(link);
    expect(shown.status).toBe(200);
    expect(shown.html).toContain('ann');
  }
  expect(await client.send('POST', link)).toMatchObject({ status: 303, location: '/console' });
  for (const gateway of [0, 1]) {
    client.gateway = gateway;
    expect((await client.get('/console/keys')).status).toBe(200);
  }
  const other = new ConsoleClient(service);
  for (const method of ['GET', 'POST']) {
    const spent = await other.send(method, link);
    expect(spent.status).toBe(404);
    expect(spent.html).toContain('used already');
  }
  expect(other.cookie('bes_session')).toBe('');
});

test('of many concurrent uses of a link, one succeeds', async () => {
  const link = await makeLink(service);
  const clients = Array.from({ length: 8 }, () => new ConsoleClient(service));
  const answers = await Promise.all(clients.map((client) => client.send('POST', link)));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(404)]);
});

test('the database holds neither tokens of links nor of sessions', async () => {
  const link = await makeLink(service);
  const before = await service.query('SELECT console_links::text AS row FROM console_links');
  const client = await ConsoleClient.signIn(service);
  const rows = [
    ...before,
    ...(await service.query('SELECT console_sessions::text AS row FROM console_sessions')),
  ];
  const stored = rows.map(({ row }) => row).join('\n');
  const secrets = [link.split('/').at(-1) ?? '', client.cookie('bes_session')];
  for (const secret of secrets) {
    expect(secret).toMatch(/^.{43}$/);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
  }
});

test('signing in gives a browser a new session and ends its previous one', async () => {
  const client = await ConsoleClient.signIn(service);
  const first = client.cookie('bes_session');
  await client.send('POST', await makeLink(service));
  expect(client.cookie('bes_session')).not.toBe(first);
  const old = new ConsoleClient(service);
  old.setCookie('bes_session', first);
  expect((await old.get('/console/keys')).status).toBe(303);
});

test('signing out ends the session on every gateway', async () => {
  const client = await ConsoleClient.signIn(service);
  const token = client.cookie('bes_session');
  const left = await client.post('/console/sign-out');
  expect(left.headers.get('Clear-Site-Data')).toBe('"cache"');
  expect(client.cookie('bes_session')).toBe('');
  client.setCookie('bes_session', token);
  for (const gateway of [0, 1]) {
    client.gateway = gateway;
    expect((await client.get('/console/keys')).location).toMatch('/console/sign-in');
    const { status, headers } = await client.get('/console/api/v1/states');
    expect([status, headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
  }
});

test('sessions expire', async () => {
  const client = await ConsoleClient.signIn(service);
  expect((await client.get('/console/keys')).status).toBe(200);
  await service.query(`UPDATE console_sessions SET expires_at = now() - interval '1 second'`);
  expect((await client.get('/console/keys')).status).toBe(303);
  expect((await client.get('/console/api/v1/states')).status).toBe(401);
});

test('a suspended account has no console, except for operators', async () => {
  await service.createKey('quiet', 'free');
  const owner = await ConsoleClient.signIn(service, { account: 'quiet' });
  const operator = await ConsoleClient.signIn(service, { account: 'quiet', role: 'operator' });
  await service.query(`UPDATE accounts SET suspended_at = now() WHERE name = 'quiet'`);
  expect((await owner.get('/console/keys')).status).toBe(303);
  expect((await owner.get('/console/api/v1/states')).status).toBe(403);
  const seen = await operator.get('/console/keys');
  expect(seen.status).toBe(200);
  expect(seen.html).toContain('suspended');
});

test('a link to a suspended account says so, and works once the account is resumed', async () => {
  await service.createKey('paused', 'free');
  const client = await ConsoleClient.signIn(service);
  const [link, operators] = [
    await makeLink(service, { account: 'paused' }),
    await makeLink(service, { account: 'paused', role: 'operator' }),
  ];
  await service.query(`UPDATE accounts SET suspended_at = now() WHERE name = 'paused'`);
  for (const method of ['GET', 'POST']) {
    const { status, html } = await client.send(method, link);
    expect([status, html]).toEqual([403, expect.stringContaining('The account paused is suspended')]);
  }
  expect((await client.get('/console/keys')).status).toBe(200);
  expect((await new ConsoleClient(service).send('POST', operators)).status).toBe(303);
  await service.query(`UPDATE accounts SET suspended_at = NULL WHERE name = 'paused'`);
  expect((await client.send('POST', link)).status).toBe(303);
});

test("a page reads the API with its session, outside of its account's limits", async () => {
  await service.createKey('small', 'free');
  const client = await ConsoleClient.signIn(service, { account: 'small' });
  const answer = await client.get('/console/api/v1/states');
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.html).data).toHaveLength(56);
  expect(answer.headers.get('RateLimit-Limit')).toBeNull();
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect((await client.send('DELETE', '/console/api/v1/subscriptions/1')).status).toBe(405);
  expect((await client.get('/v1/states')).status).toBe(401);
  client.headers = { 'Sec-Fetch-Site': 'cross-site' };
  const { status, headers } = await client.get('/console/api/v1/states');
  expect([status, headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
});

test('a live stream ends within five seconds of the end of its session', async () => {
  const client = await ConsoleClient.signIn(service);
  const response = await fetch(service.url('/console/api/v1/stream'), {
    headers: { Cookie: `bes_session=${client.cookie('bes_session')}` },
  });
  expect(response.status).toBe(200);
  let text = '';
  const reading = (async () => {
    for await (const part of response.body ?? []) text += Buffer.from(part);
  })();
  await until('the stream is ready', () => text.includes('event: ready'));
  await client.post('/console/sign-out');
  const ended = performance.now();
  await reading;
  expect(performance.now() - ended).toBeLessThan(5000);
  expect(text).toContain('session of the console has ended');
});

test('a live stream ends when its session shows another account, so that a removed person cannot follow it', async () => {
  await service.createKey('next', 'internal');
  const [next] = await service.query(`SELECT id FROM accounts WHERE name = 'next'`);
  const client = await ConsoleClient.signIn(service, { role: 'operator' });
  const response = await fetch(service.url('/console/api/v1/stream'), {
    headers: { Cookie: `bes_session=${client.cookie('bes_session')}` },
  });
  let text = '';
  const reading = (async () => {
    for await (const part of response.body ?? []) text += Buffer.from(part);
  })();
  await until('the stream is ready', () => text.includes('event: ready'));
  expect((await client.post('/console/account', { account: String(next?.id) })).status).toBe(303);
  await reading;
  expect(text).toContain('The console shows another account now');
  expect((await client.get('/console/api/v1/states')).status).toBe(200);
});

test('an address without a session leads to signing in, and never to another site', async () => {
  const client = new ConsoleClient(service);
  expect((await client.get('/console/keys?done=revoked')).location).toBe(
    `/console/sign-in?return_to=${encodeURIComponent('/console/keys?done=revoked')}`,
  );
  for (const path of ['/console//evil.example', '/console/%5cevil.example']) {
    expect((await client.get(path)).location).not.toContain('evil');
  }
});

test('a form of an ended session is not carried out, and its entries are shown for the next one', async () => {
  const client = await ConsoleClient.signIn(service, { account: 'test' });
  const csrf = await client.formToken();
  await service.query('DELETE FROM console_sessions');
  client.headers = { Referer: service.url('/console/keys?after=usable-3') };
  const page = await client.post('/console/keys', { csrf, name: 'Website <of> ours', scope: 'data:read' });
  expect(page.status).toBe(401);
  expect(page.html).toContain('<dd>Website &lt;of> ours</dd>');
  expect(page.html).not.toContain(csrf);
  expect(page.html).toContain(
    `href="/console/sign-in?return_to=${encodeURIComponent('/console/keys?after=usable-3')}"`,
  );
  client.headers = { Referer: 'https://elsewhere.example/steal' };
  expect((await client.post('/console/keys', { csrf })).html).toContain('return_to=%2Fconsole"');
  const keys = await service.query(`SELECT FROM api_keys WHERE name LIKE 'Website <%'`);
  expect(keys).toEqual([]);
});

async function makeAccount(): Promise<string> {
  const account = `account ${Math.random()}`;
  await service.createKey(account, 'free');
  await service.query(`DELETE FROM api_keys WHERE account_id = (SELECT id FROM accounts WHERE name = $1)`, [
    account,
  ]);
  return account;
}

const keysOf = async (account: string): Promise<string[]> => {
  const keys = await service.query(
    'SELECT k.name FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE a.name = $1',
    [account],
  );
  return keys.map(({ name }) => String(name));
};

/** The fields and the address of the only form in the main part of a page. */
function formIn({ html }: ReceivedPage) {
  const [, action = ''] = /<form[^>]*action="([^"]+)"/.exec(html.split('<main')[1] ?? '') ?? [];
  const fields = inputsOf(html, action).map((input) => [input.get('name') ?? '', input.get('value') ?? '']);
  return {
    action: action.replaceAll('&amp;', '&'),
    fields: Object.fromEntries(fields) as Record<string, string>,
  };
}

test('a form of an ended session is sent with one click in the next session, once and by its own account', async () => {
  const [own, other] = [await makeAccount(), await makeAccount()];
  const client = await ConsoleClient.signIn(service, { account: own, role: 'owner' });
  const csrf = await client.formToken();
  await service.query('DELETE FROM console_sessions');
  const entered = { csrf, name: 'Kept key', scope: 'data:read', expires: '' };
  const ended = await client.post('/console/keys', entered);
  const { action, fields } = formIn(ended);
  // The person goes on without having signed in.
  const still = await client.post(action, fields);
  expect([still.status, formIn(still)]).toEqual([401, { action, fields }]);

  const next = await ConsoleClient.signIn(service, { account: own, role: 'owner' });
  const again = await next.post(action, fields);
  expect(again.html).toContain('<dd>Kept key</dd>');
  expect(await keysOf(own)).toEqual([]);
  const sent = formIn(again);
  expect(sent.action).toBe('/console/keys');
  expect((await next.post(sent.action, sent.fields)).status).toBe(200);
  expect(await keysOf(own)).toEqual(['Kept key']);

  // A session that shows another account does not make the key there.
  const elsewhere = await ConsoleClient.signIn(service, { account: other, role: 'owner' });
  const stray = formIn(await elsewhere.post(action, fields));
  const refused = await elsewhere.post(stray.action, stray.fields);
  expect([refused.status, refused.html]).toEqual([
    409,
    expect.stringContaining('this form was made for another one'),
  ]);
  expect(await keysOf(other)).toEqual([]);
});

test('a form of the session before shows its entries, and is not carried out', async () => {
  const account = await makeAccount();
  const csrf = await (await ConsoleClient.signIn(service, { account, role: 'owner' })).formToken();
  const next = await ConsoleClient.signIn(service, { account, role: 'owner' });
  const refused = await next.post('/console/keys', { csrf, name: 'Late <key>', scope: 'data:read' });
  expect([refused.status, refused.html]).toEqual([403, expect.stringContaining('<dd>Late &lt;key></dd>')]);
  expect(await keysOf(account)).toEqual([]);
});

test('the address of a kept form is one of the console', async () => {
  const client = await ConsoleClient.signIn(service, { account: 'test' });
  for (const target of ['https://evil.example/', '//evil.example', '/v1/keys', '/console/../v1', '']) {
    const page = await client.post(`/console/ended-form?${new URLSearchParams({ of: target })}`, {
      name: 'x',
    });
    expect([target, page.status, page.html.includes('evil')]).toEqual([target, 400, false]);
  }
});

test('a file of an ended session is not kept, and the page says so', async () => {
  const client = await ConsoleClient.signIn(service, { account: 'test', role: 'editor' });
  const csrf = await client.formToken();
  await service.query('DELETE FROM console_sessions');
  const file = { name: 'list.csv', text: 'a,b\n1,2\n' };
  const page = await client.postFile('/console/endorsements/uploads', { csrf }, file);
  expect([page.status, page.html]).toEqual([401, expect.stringContaining('Choose the file again then.')]);
});

test('a link that is opened after a deep link leads to the page of that one, once', async () => {
  const client = new ConsoleClient(service);
  const deep = '/console/explorer/contests/1?lang=es';
  const { status, location } = await client.get(deep);
  expect([status, location]).toEqual([303, `/console/sign-in?return_to=${encodeURIComponent(deep)}`]);
  await client.get(location);
  expect((await client.send('POST', await makeLink(service))).location).toBe(deep);
  expect((await client.send('POST', await makeLink(service))).location).toBe('/console');
  // Another page of signing in forgets the one before.
  await client.get(location);
  await client.get('/console/sign-in');
  expect((await client.send('POST', await makeLink(service))).location).toBe('/console');
  for (const hostile of ['https://elsewhere.example', '//elsewhere.example', '/console/../v1', '%']) {
    client.setCookie('bes_return', hostile);
    expect((await client.send('POST', await makeLink(service))).location).toBe('/console');
  }
});
