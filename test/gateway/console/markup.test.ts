/** Texts from people and catalogues never become markup on a page of the console. */
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { HOSTILE, HOSTILE_ADDRESS, HOSTILE_BALLOT } from '../../helpers/ballots/hostile-texts.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { testInBrowser, useChromium } from '../../helpers/browser/use-chromium.ts';
import { ConsoleClient, makeLink } from '../../helpers/console/console-client.ts';
import { addressesOf, isDownload, type PathValues, tagsOf } from '../../helpers/console/console-pages.ts';
import { emailOf, startOf, useConsoleWithProvider } from '../../helpers/console/console-with-provider.ts';
import { findRejection, publishInConsole, uploadInConsole } from '../../helpers/service/publishing.ts';

const ACCOUNT = HOSTILE.slice(0, 200);
const PERSON = HOSTILE.slice(0, 100);
/** Every query that a page could show. */
const QUERY = ['done', 'q', 'cursor', 'from', 'name', 'account', 'return_to', 'endorsers', 'error']
  .map((name) => `${name}=${encodeURIComponent(HOSTILE)}`)
  .join('&');

const console = useConsoleWithProvider({ gateways: 1, catalogue: HOSTILE_BALLOT });
let client: ConsoleClient;
let values: PathValues = {};
const newContext = useChromium();

beforeAll(async () => {
  const { service, provider } = console;
  await service.createKey(ACCOUNT, 'internal');
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann', { statement: HOSTILE, statement_es: HOSTILE }),
    endorse('nobody-knows-it', 'mayor', HOSTILE, { statement: HOSTILE, details: HOSTILE }),
  ]);
  await service.eventsOnceThereAre(1);

  const subject = console.makeUser('ann');
  provider.users.set(subject, { email: emailOf(subject), email_verified: true, name: HOSTILE });
  const link = await console.invite(ACCOUNT, emailOf(subject), 'owner');
  const owner = new ConsoleClient(service);
  expect((await provider.signIn(owner, subject, startOf(link))).status).toBe(303);
  await owner.post('/console/keys', { name: PERSON, scope: ['data:read'] });
  await owner.post('/console/keys', { name: HOSTILE_ADDRESS, scope: ['data:read'] });
  await owner.post('/console/people/invitations', { email: 'bob@example.org', role: 'member' });
  // No form accepts such an address, but an older version may have.
  await console.service.query('UPDATE console_invitations SET email = $1 WHERE accepted_at IS NULL', [
    HOSTILE,
  ]);
  await console.service.query(
    `INSERT INTO subscriptions (account_id, name, filter, created_at, updated_at)
     SELECT id, $2, '{}', now(), now() FROM accounts WHERE name = $1`,
    [ACCOUNT, HOSTILE.slice(0, 100)],
  );

  client = await signIn();
  const idOf = async (table: string) => {
    const [row] = await console.service.query(
      `SELECT max(t.id) AS id FROM ${table} t JOIN accounts a ON a.id = t.account_id WHERE a.name = $1`,
      [ACCOUNT],
    );
    return Number(row?.id);
  };
  const [contest] = await console.service.query(`SELECT id FROM contests WHERE key LIKE '%/mayor'`);
  await service.allow(['bakers-local-1'], ACCOUNT);
  const publication = { endorser: 'bakers-local-1', choice: 'bob' };
  const [member] = await console.service.query('SELECT id FROM people WHERE subject = $1', [subject]);
  values = {
    keys: (await idOf('api_keys')) - 1,
    people: Number(member?.id),
    subscriptions: await idOf('subscriptions'),
    elections: 'or-2026-11-03-general',
    endorsers: 'bakers-local-1',
    contests: Number((await console.service.query('SELECT min(id) AS id FROM contests'))[0]?.id),
    accounts: Number(
      (await console.service.query('SELECT id FROM accounts WHERE name = $1', [ACCOUNT]))[0]?.id,
    ),
    plans: 'internal',
    endorsements: Number(contest?.id),
    receipts: await publishInConsole(client, Number(contest?.id), publication),
    uploads: await uploadInConsole(client, hostileTable(), { name: HOSTILE.slice(0, 100) }),
  };
});

// Each test has a session of its own, because the console takes 120 requests a minute of a session.
beforeEach(async () => {
  client = await signIn();
});

function signIn(): Promise<ConsoleClient> {
  return ConsoleClient.signIn(console.service, { account: ACCOUNT, role: 'operator', person: PERSON });
}

/** A table whose column and cells are markup. */
function hostileTable(): string[] {
  const text = `"${HOSTILE.slice(0, 400).replaceAll('"', '""')}"`;
  const election = 'or-2026-11-03-general';
  return [
    `endorser,election,contest,choice,${text}`,
    `bakers-local-1,${election},mayor,cyd,x`,
    `${text},${election},${text},${text},x`,
    `bakers-local-1,${election},mayor,${text},x`,
  ];
}

/** The addresses of all pages that show something, including those for people who are not signed in. */
async function allAddresses(): Promise<string[]> {
  return [
    ...(await addressesOfTexts()),
    ...addressesOf('GET', values).map((path) => `${path}?${QUERY}`),
    `/console/sign-in?${QUERY}`,
    `/console/sign-in/callback?${QUERY}`,
  ];
}

/** The addresses of pages that show stored texts, or the path itself. */
async function addressesOfTexts(): Promise<string[]> {
  const rejection = await findRejection(client, 'nobody-knows-it');
  const link = await makeLink(console.service, { account: ACCOUNT, person: PERSON });
  const invitation = await console.invite(ACCOUNT, 'carl@example.org');
  return [
    ...addressesOf('GET', values),
    `/console/history?endorser=bakers-local-1&contest=${values.endorsements}`,
    rejection,
    `${rejection}/edit`,
    '/console/sign-in',
    `/console/${encodeURIComponent(HOSTILE)}`,
    link,
    invitation,
  ];
}

/** The dates of a page that a narrow window can break at their hyphens. */
function findBreakableDates(html: string): string[] {
  const whole = /<((option|code|text|textarea|title|time)\b|[a-z]+ [^>]*class="day").*?<\/[a-z]+>/gs;
  const text = html.replaceAll(whole, '').replaceAll(/<[^>]*>/g, ' ');
  return text.match(/(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])/g) ?? [];
}

test('no date of a page breaks at its hyphens', async () => {
  for (const address of await addressesOfTexts()) {
    expect([address, findBreakableDates((await client.get(address)).html)]).toEqual([address, []]);
  }
});

/** Everything on a page that would run, or that the policy would block. */
function findActive(html: string): string[] {
  return tagsOf(html).flatMap(({ name, attributes, text }) => {
    const problems = [...attributes].filter(
      ([key, value]) =>
        key.startsWith('on') ||
        key === 'style' ||
        (/^(href|src|action|formaction|xlink:href|data)$/.test(key) &&
          !/^(\/[^/]|[?#]|https:\/\/)/.test(`${value} `)),
    );
    const isForeign =
      (name === 'script' && (text.trim() !== '' || !attributes.get('src')?.startsWith('/console/assets/'))) ||
      ['style', 'iframe', 'object', 'embed', 'base', 'img'].includes(name);
    return [...problems.map(([key, value]) => `${name} ${key}=${value}`), ...(isForeign ? [name] : [])];
  });
}

test('the search for active markup finds it', () => {
  const hostile =
    '<p>a</p><script>a()</script><a href="javascript:x" onclick="y" style="z">b</a><img src=x onerror=w>';
  expect(findActive(hostile)).toEqual([
    'script',
    'a href=javascript:x',
    'a onclick=y',
    'a style=z',
    'img src=',
    'img onerror=',
    'img',
  ]);
});

test('no page has markup from a text, inline scripts or styles, or an active address', async () => {
  let shown = 0;
  for (const path of await allAddresses()) {
    const { status, html } = await client.get(path);
    expect([path, status < 500 || status === 503]).toEqual([path, true]);
    expect([path, findActive(html)]).toEqual([path, []]);
    expect(html).not.toContain('<script>window');
    expect(html).not.toContain('"onmouseover=');
    if (html.includes('&lt;script>window')) shown += 1;
  }
  expect(shown).toBeGreaterThan(addressesOf('GET').length);
});

test('answers to forms have none either', async () => {
  const forms: [string, Record<string, string>][] = [
    ['/console/keys', { name: HOSTILE, scope: HOSTILE, expires: HOSTILE }],
    ['/console/keys', { name: PERSON, scope: 'data:read' }],
    ['/console/people/invitations', { email: HOSTILE, role: HOSTILE }],
    ['/console/account', { account: HOSTILE }],
    [`/console/people/${values.people}/role`, { role: HOSTILE }],
  ];
  for (const [path, fields] of forms) {
    const { html } = await client.post(path, fields);
    expect([path, findActive(html)]).toEqual([path, []]);
    expect(html).not.toContain('<script>window');
  }
});

testInBrowser('in Chromium no text runs, the policy blocks nothing, and no other site is asked', async () => {
  const context = await newContext();
  const origin = console.service.url('');
  await context.addCookies([
    { name: 'bes_session', value: client.cookie('bes_session'), url: `${origin}/console` },
  ]);
  const problems: string[] = [];
  // One page for all, since a process for each takes longer than the look at it.
  const page = await context.newPage();
  let path = '';
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/console`)) problems.push(`${path} asks ${request.url()}`);
  });
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) problems.push(`${path}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`${path}: ${error.message}`));
  for (path of (await addressesOfTexts()).filter((each) => !isDownload(each))) {
    await page.goto(`${origin}${path}`, { waitUntil: 'load' });
    // A person could move over every element and follow every address of a script.
    const found = await page.evaluate<unknown[]>(`(() => {
        const all = [...document.querySelectorAll('*')];
        for (const element of all) element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
        return [
          window.hacked,
          ...all.filter((element) => [...element.attributes].some(({ name }) => /^on|^style$/.test(name))),
          ...all.filter((element) => /^javascript:/i.test(element.href ?? '')),
        ].filter((each) => each !== undefined).map(String);
      })()`);
    problems.push(...found.map((each) => `${path}: ${each}`));
  }
  expect(problems).toEqual([]);
  await context.close();
});
