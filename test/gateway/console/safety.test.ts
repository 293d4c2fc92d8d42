/** Attacks on the console by other sites, other people and guessing. Attacks by stored texts are in markup.test.ts. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pages } from '../../../gateway/console/pages/index.ts';
import { safeReturnAddress } from '../../../gateway/console/session/return-address.ts';
import { ConsoleClient, makeLink, type ReceivedPage } from '../../helpers/console/console-client.ts';
import { addressesOf, fillIn, methodsAt } from '../../helpers/console/console-pages.ts';
import { PUBLIC_URL, startOf, useConsoleWithProvider } from '../../helpers/console/console-with-provider.ts';
import { webUrl } from '../../helpers/properties/arbitraries.ts';

// With a proxy's header for the client's address, each test comes from its own address.
const console = useConsoleWithProvider({ gateways: 1, gatewayConfig: { trustedProxies: 1 } });

// Each client has an account of its own, because the console takes 600 requests a minute of an account.
const signIn = async (options = {}) =>
  ConsoleClient.signIn(console.service, { account: await console.makeAccount(), ...options });
const withoutId = ({ html }: ReceivedPage): string => html.replace(/Request [\w-]+/, '');
const POSTS = addressesOf('POST');

describe('forged forms', () => {
  test.each(POSTS)('%s refuses a form without the token of its session', async (path) => {
    const account = await console.makeAccount();
    const operator = await signIn({ account, role: 'operator' });
    const other = await signIn({ account, role: 'operator' });
    const token = await operator.formToken();
    const foreign = await other.formToken();
    for (const csrf of ['', 'x', foreign, token.slice(1), `${token}x`]) {
      expect((await operator.post(path, { csrf })).status).toBe(403);
    }
    expect((await operator.send('POST', `${path}?csrf=${token}`, new URLSearchParams())).status).toBe(403);
  });

  test.each([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: `${PUBLIC_URL}.evil.example` },
  ])('another site cannot send one, even with the token: %j', async (headers) => {
    const operator = await signIn({ role: 'operator' });
    const csrf = await operator.formToken();
    operator.headers = headers;
    for (const path of [...POSTS, '/console/sign-out', '/console/ended-form?of=/console/keys']) {
      expect((await operator.post(path, { csrf })).status).toBe(403);
    }
    operator.headers = {};
    expect((await operator.get('/console/account')).status).toBe(200);
  });

  test.each([{}, { 'Sec-Fetch-Site': 'same-origin' }, { Origin: PUBLIC_URL }])(
    'a page of the console can: %j',
    async (headers) => {
      const client = await signIn();
      const csrf = await client.formToken();
      client.headers = headers;
      expect((await client.post('/console/sign-out', { csrf })).status).toBe(303);
    },
  );

  test('another site can sign nobody in or out', async () => {
    const client = await signIn();
    expect((await client.post('/console/sign-out', { csrf: 'x' })).status).toBe(403);
    const link = await makeLink(console.service, { person: 'mallory' });
    client.headers = { 'Sec-Fetch-Site': 'cross-site' };
    expect((await client.send('POST', link)).status).toBe(403);
    client.headers = {};
    expect((await client.get('/console/account')).html).not.toContain('mallory');
    expect((await client.get(link)).status).toBe(200);
  });
});

test('every page needs its role: others get 403 for owners’ pages, and 404 for operators’', async () => {
  const clients = { member: await signIn({ role: 'member' }), owner: await signIn({ role: 'owner' }) };
  const nothing = withoutId(await clients.owner.get('/console/nothing'));
  for (const { method, path, role } of pages.filter((page) => page.role !== 'member')) {
    const answers = [await clients.member.send(method, fillIn(path))];
    if (role === 'operator') answers.push(await clients.owner.send(method, fillIn(path)));
    for (const answer of answers) {
      expect([path, answer.status]).toEqual([path, role === 'operator' ? 404 : 403]);
      if (role === 'operator') expect(withoutId(answer)).toBe(nothing);
      else
        expect(answer.html).toContain(
          `Only ${role === 'editor' ? 'editors and owners' : 'owners'} of the account can do this`,
        );
    }
  }
});

test.each([
  ['a form of 300 KB', 'application/x-www-form-urlencoded', 'a='.padEnd(300 * 1024, 'x'), 413],
  ['a form of 100,000 fields', 'application/x-www-form-urlencoded', 'a&'.repeat(100_000), 413],
  ['JSON', 'application/json', '{"name":"a"}', 400],
  ['plain text', 'text/plain', 'name=a', 400],
  ['a form with files', 'multipart/form-data; boundary=x', '--x--', 400],
  ['nothing', '', '', 400],
])('%s is refused', async (_what, type, body, status) => {
  const client = await signIn();
  const response = await fetch(console.service.url('/console/keys'), {
    method: 'POST',
    headers: {
      Cookie: `bes_session=${client.cookie('bes_session')}`,
      ...(type !== '' && { 'Content-Type': type }),
    },
    ...(body !== '' && { body }),
  });
  expect(response.status).toBe(status);
  expect(response.headers.get('Content-Type')).toMatch('text/html');
});

test.each([
  ['GET', '/console/usage/errors?after=-005000-01-01T00:00:00.000Z,1'],
  ['GET', '/console/operator/accounts?q=%00'],
  ['POST', '/console/operator/plans/%00'],
])('a value that the database cannot hold is not a defect: %s %s', async (method, path) => {
  const operator = await signIn({ role: 'operator' });
  const { status, html } = await (method === 'GET' ? operator.get(path) : operator.post(path));
  expect(status).toBe(400);
  expect(html).toContain('does not accept a value in the address or the form');
});

test('every address accepts only its methods, and names them otherwise', async () => {
  const operator = await signIn({ role: 'operator' });
  const own = new Map<string, readonly string[]>([
    ['/console/sign-in', ['GET', 'HEAD']],
    ['/console/sign-in/start', ['GET', 'HEAD']],
    ['/console/sign-in/callback', ['GET', 'HEAD']],
    ['/console/sign-out', ['POST']],
    ['/console/ended-form', ['POST']],
    ['/console/links/x', ['GET', 'HEAD', 'POST']],
    ['/console/invitations/x', ['GET', 'HEAD']],
    ...pages.map(({ path }) => [fillIn(path), methodsAt(fillIn(path))] as const),
  ]);
  for (const [path, methods] of own) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (each) => !methods.includes(each),
    )) {
      const refused = await operator.send(method, path);
      expect([method, path, refused.status, refused.headers.get('Allow')]).toEqual([
        method,
        path,
        405,
        methods.join(', '),
      ]);
    }
  }
  expect((await operator.send('PUT', '/console/nothing')).status).toBe(404);
});

test('HEAD is answered like GET, without the page', async () => {
  const operator = await signIn({ role: 'operator' });
  for (const path of [...addressesOf('GET'), '/console/sign-in', '/console/nothing']) {
    const [get, head] = [await operator.get(path), await operator.send('HEAD', path)];
    expect([path, head.status, head.html]).toEqual([path, get.status, '']);
    expect(head.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'));
  }
});

test('no answer may be framed or cached, and every answer has the policy', async () => {
  const operator = await signIn({ role: 'operator' });
  const paths = [...addressesOf('GET'), '/console/sign-in', '/console/nothing', '/console/links/x'];
  const answers = await Promise.all(paths.map((path) => operator.get(path)));
  answers.push(await new ConsoleClient(console.service).get('/console/keys'));
  answers.push(await operator.send('POST', '/console/keys'), await operator.send('PUT', '/console/keys'));
  for (const { headers } of answers) {
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Referrer-Policy')).toBe('same-origin');
    const policy = headers.get('Content-Security-Policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
  }
  const { html } = await operator.get('/console/keys');
  for (const [, address = ''] of html.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)) {
    const cache = (await operator.get(address)).headers.get('Cache-Control');
    expect(cache).toBe('public, max-age=31536000, immutable');
    expect((await operator.get(address)).headers.get('Set-Cookie')).toBeNull();
  }
});

describe('session fixation', () => {
  test('a planted token never becomes a session', async () => {
    const planted = 'A'.repeat(43);
    const { subject } = await console.join(await console.makeAccount());
    for (const enter of [
      async (client: ConsoleClient) => client.send('POST', await makeLink(console.service)),
      (client: ConsoleClient) => console.provider.signIn(client, subject),
    ]) {
      const client = new ConsoleClient(console.service);
      client.setCookie('bes_session', planted);
      expect((await enter(client)).status).toBe(303);
      expect(client.cookie('bes_session')).not.toBe(planted);
      client.setCookie('bes_session', planted);
      expect((await client.get('/console/keys')).status).toBe(303);
    }
  });

  test('a planted sign-in never ends in another person’s session', async () => {
    const mallory = await console.join(await console.makeAccount(), { name: 'mallory' });
    const attacker = new ConsoleClient(console.service);
    console.provider.visitor = mallory.subject;
    const back = await console.provider.visit((await attacker.get('/console/sign-in/start')).location);
    const victim = await signIn({ person: 'victim' });
    await victim.get('/console/sign-in/start');
    expect((await victim.get(back)).status).toBe(400);
    expect((await victim.get('/console/account')).html).toContain('victim');
  });
});

const ELSEWHERE = [
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/console//evil.example',
  '/console/\\evil.example',
  '/console/../evil',
  '/console/..//evil.example',
  '/console/..?a=b',
  '/console/%2e%2e/v1/states',
  '/console/.%2E?a',
  '/console\t/keys',
  '/console\r\nSet-Cookie: a=b',
  '/console/keys#javascript:alert(1)',
  '/console@evil.example',
  '/console.evil.example',
  '/consoleevil',
  '/v1/states',
  'javascript:alert(1)',
  'data:text/html,x',
  'console/keys',
  ' /console/keys',
  `/console/${'x'.repeat(2000)}`,
  '',
];

describe('the page after signing in', () => {
  test.each(ELSEWHERE.map((address) => [address.slice(0, 40), address]))(
    'is the first page for %j',
    async (_shown, address) => {
      expect(safeReturnAddress(address)).toBe('/console');
      const client = new ConsoleClient(console.service);
      const { html } = await client.get(`/console/sign-in?return_to=${encodeURIComponent(address)}`);
      expect(html).toContain('href="/console/sign-in/start?return_to=%2Fconsole"');
    },
  );

  test('is the first page even if the provider returns another one', async () => {
    const { subject } = await console.join(await console.makeAccount());
    for (const address of ELSEWHERE.slice(0, 5)) {
      const start = `/console/sign-in/start?return_to=${encodeURIComponent(address)}`;
      const begun = await console.provider.signIn(new ConsoleClient(console.service), subject, start);
      expect(begun).toMatchObject({ status: 303, location: '/console' });
    }
  });

  test('is a page of the console for every address', () => {
    const part = fc.constantFrom(
      '/',
      '//',
      '\\',
      '..',
      '.',
      '%2e',
      '%2F',
      '%5c',
      '?',
      '#',
      '@',
      ':',
      'console',
      'a',
      '\t',
    );
    const address = fc.array(part).map((parts) => `/console${parts.join('')}`);
    const foreign = fc.oneof(
      webUrl,
      webUrl.map((url) => url.replace('https', 'http')),
    );
    fc.assert(
      fc.property(fc.oneof(address, fc.string(), foreign), (given) => {
        const url = new URL(safeReturnAddress(given), PUBLIC_URL);
        expect(url.origin).toBe(PUBLIC_URL);
        expect(url.pathname).toMatch(/^\/console(\/|$)/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('enumeration', () => {
  test('links that are unknown, used, expired or malformed look the same', async () => {
    const client = new ConsoleClient(console.service);
    client.headers = { 'X-Forwarded-For': '192.0.2.1' };
    const [used, expired] = [await makeLink(console.service), await makeLink(console.service)];
    await client.send('POST', used);
    await console.service.query(`UPDATE console_links SET expires_at = now() - interval '1 second'`);
    const links = [used, expired, used.replace(/.{43}$/, 'A'.repeat(43)), '/console/links/x'];
    const answers = [];
    for (const method of ['GET', 'POST']) {
      for (const link of links) answers.push(await client.send(method, link));
    }
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(answers.map(withoutId)).size).toBe(1);
  });

  test('other accounts look like accounts that do not exist', async () => {
    await console.makeAccount('other');
    const [row] = await console.service.query(`SELECT id FROM accounts WHERE name = 'other'`);
    const client = await signIn();
    const answers = [];
    for (const account of [String(row?.id), '999999', 'x', '']) {
      answers.push(await client.post('/console/account', { account }));
    }
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(answers.map(withoutId)).size).toBe(1);
  });
});

describe('guessing', () => {
  test('after 20 invalid links, only their address has to wait', async () => {
    const guesser = new ConsoleClient(console.service);
    guesser.headers = { 'X-Forwarded-For': '192.0.2.2' };
    const guess = (n: number) => `/console/${n % 2 ? 'links' : 'invitations'}/${String(n).padStart(43, 'A')}`;
    for (let n = 0; n < 19; n++) expect((await guesser.get(guess(n))).status).toBe(404);
    expect((await guesser.get(startOf(guess(19)))).status).toBe(404);
    const link = await makeLink(console.service);
    for (const path of [guess(20), link, startOf(guess(21))]) {
      expect((await guesser.get(path)).status).toBe(429);
    }
    expect((await guesser.send('POST', link)).status).toBe(429);
    const other = new ConsoleClient(console.service);
    other.headers = { 'X-Forwarded-For': '192.0.2.3' };
    expect((await other.send('POST', link)).status).toBe(303);
  });

  test('an address can begin 60 sign-ins in a minute', async () => {
    const client = new ConsoleClient(console.service);
    client.headers = { 'X-Forwarded-For': '192.0.2.4' };
    for (let n = 0; n < 60; n++) {
      expect((await client.get('/console/sign-in/start')).status).toBe(303);
    }
    expect((await client.get('/console/sign-in/start')).status).toBe(429);
  });
});
