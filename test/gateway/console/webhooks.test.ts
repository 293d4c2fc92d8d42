import type http from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';
import { Receiver } from '../../helpers/webhooks/receiver.ts';

const service = useTestService();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start((response) => void response.writeHead(204).end());
  await service.stopConsumers();
  await service.startConsumers(['apply', 'relay', 'deliver']);
});
afterEach(() => service.query('TRUNCATE webhooks CASCADE'));
afterAll(() => receiver.stop());

/** An owner of a new account. */
async function makeOwner(account = `account ${Math.random()}`): Promise<ConsoleClient> {
  await service.createKey(account, 'internal');
  return ConsoleClient.signIn(service, { account, role: 'owner' });
}

const FORM = { name: 'Site', url: 'https://hooks.example.org/a', states: ['OR'] };
const secretOf = (html: string) => /whsec_[A-Za-z0-9+/]{43}=/.exec(html)?.[0];

/** Adds a webhook. @returns its page's path, and its secret */
async function add(owner: ConsoleClient, values: Record<string, string | string[]> = {}) {
  const { status, html } = await owner.post('/console/webhooks', { ...FORM, ...values });
  expect([status, /<h1[^>]*>([^<]*)/.exec(html)?.[1]]).toEqual([200, 'The webhook is added']);
  const path = /\/console\/webhooks\/[0-9]+/.exec(html)?.[0] ?? '';
  return { path, secret: secretOf(html) };
}

test('an owner adds a webhook whose secret is shown once, edits it and deletes it', async () => {
  const owner = await makeOwner();
  expect((await owner.get('/console/webhooks')).html).toContain('There are none yet');
  const { path, secret } = await add(owner);
  expect(secret).toBeDefined();
  const { html } = await owner.get(path);
  expect(html).toContain('https://hooks.example.org/a');
  expect(html).toContain('States: OR');
  expect(secretOf(html)).toBeUndefined();

  const form = (await owner.get(`${path}/edit`)).html;
  expect(form).toMatch(/value="OR" checked/);
  const version = /name="version" value="([^"]+)"/.exec(form)?.[1] ?? '';
  // The service keeps a name in its one form.
  const saved = await owner.post(`${path}/edit`, { ...FORM, name: ' Papers', states: ['CA'], version });
  expect(saved.location).toBe(`${path}?done=saved`);
  expect((await owner.get(path)).html).toContain('States: CA');
  const twice = await owner.post(`${path}/edit`, { ...FORM, name: ' Papers', states: ['CA'], version });
  expect(twice.location).toBe(`${path}?done=saved`);
  const current = /name="version" value="([^"]+)"/.exec((await owner.get(`${path}/edit`)).html)?.[1] ?? '';
  const wrong = await owner.post(`${path}/edit`, { ...FORM, name: ' ', version: current });
  expect([wrong.status, wrong.html.includes('Somebody has changed')]).toEqual([400, false]);
  const late = await owner.post(`${path}/edit`, { ...FORM, name: 'Mine', version });
  expect([late.status, late.html.includes('Somebody has changed the webhook meanwhile')]).toEqual([
    409,
    true,
  ]);
  expect(late.html).toContain('value="Mine"');
  const present = /name="version" value="([^"]+)"/.exec(late.html)?.[1] ?? '';
  const again = await owner.post(`${path}/edit`, { ...FORM, name: 'Mine', version: present });
  expect(again.location).toBe(`${path}?done=saved`);

  expect((await owner.get(`${path}/delete`)).html).toContain('Delete Mine?');
  expect((await owner.post(`${path}/delete`)).location).toBe('/console/webhooks?done=deleted');
  expect((await owner.get(path)).status).toBe(404);
  const tooLate = await owner.post(`${path}/edit`, { ...FORM, name: 'Mine <again>', version: present });
  // A person who did not know of the deletion can copy it.
  expect([tooLate.status, tooLate.html]).toEqual([404, expect.stringContaining('<dd>Mine &lt;again></dd>')]);
});

test('a form that was sent twice adds one webhook, and shows its secret again', async () => {
  const owner = await makeOwner();
  const form = '5f0e4a3c-0000-4000-8000-000000000001';
  const [first, second] = [await add(owner, { form }), await add(owner, { form })];
  expect(second).toEqual(first);
  // The browser's Back button can show the form with its old id, and the person enters another webhook there.
  const { path } = await add(owner, { form, name: 'Another' });
  expect(path).not.toBe(first?.path);
});

test.each([
  [{ url: 'ftp://hooks.example.org/a' }, 'url must be an address of'],
  [{ name: ' ' }, 'name'],
  [{ subscription: '999' }, 'The account has no subscription'],
])('%j is refused with its reason, and the form keeps its values', async (values, words) => {
  const owner = await makeOwner();
  const { status, html } = await owner.post('/console/webhooks', { ...FORM, ...values });
  expect(status).toBe(400);
  expect(html).toContain(words);
  expect(html).toMatch(/value="OR" checked/);
});

test('a test message arrives, its attempt can be opened, and changes follow', async () => {
  const owner = await makeOwner();
  const { path, secret = null } = await add(owner, { url: receiver.url, states: [] });
  receiver.secret = secret;
  receiver.answering = (response) => void response.writeHead(200).end('<b>thanks</b>');
  expect((await owner.post(`${path}/test`)).location).toBe(`${path}?done=tested`);
  const { html } = await owner.get(path);
  expect(html).toContain(receiver.messages.at(-1)?.id);
  expect(html).toContain('&lt;b>thanks&lt;/b>');
  await service.submit([endorse('coast-gazette', 'mayor', 'ann')]);
  await until('the change was delivered', () => receiver.messages.at(-1)?.json.data.events?.length === 1);
  await until('the page says so', async () =>
    (await owner.get(path)).html.includes('Delivered messages</dt><dd>1<'),
  );
});

test('other pages do not wait for test messages that receivers leave without an answer', async () => {
  const owner = await makeOwner();
  const held: http.ServerResponse[] = [];
  const silent = await Receiver.start((response) => void held.push(response));
  const added = [];
  for (const name of ['One', 'Two']) added.push(await add(owner, { name, url: silent.url }));
  const tests = added.map(({ path }) => owner.post(`${path}/test`).then(() => 'a test'));
  await until('both receivers have the message', () => held.length === 2);
  const page = owner.get('/console/webhooks').then(() => 'the page');
  expect(await Promise.race([page, ...tests])).toBe('the page');
  for (const response of held) response.writeHead(204).end();
  await Promise.all(tests);
  await silent.stop();
});

test('a webhook is disabled and resumed, where it stood or at the newest change', async () => {
  const owner = await makeOwner();
  const { path } = await add(owner);
  expect((await owner.post(`${path}/disable`)).location).toBe(`${path}?done=disabled`);
  expect((await owner.get('/console/webhooks')).html).toContain(
    'disabled: people of the account disabled it',
  );
  const position = async () => /<dt>Position<\/dt><dd><code>([^<]+)/.exec((await owner.get(path)).html)?.[1];
  const stood = await position();
  await service.submit([endorse('coast-gazette', 'mayor', 'bob')]);
  await owner.post(`${path}/resume`, { from: 'position' });
  // In another tab, it was still disabled.
  const late = await owner.post(`${path}/resume`, { from: 'latest' });
  expect([late.status, late.html]).toEqual([409, expect.stringContaining('so no change is left out')]);
  expect(await position()).toBe(stood);
  await owner.post(`${path}/disable`);
  expect((await owner.post(`${path}/resume`, { from: 'latest' })).location).toBe(`${path}?done=resumed`);
  expect((await owner.get(path)).html).not.toContain('This webhook is');
  const log = await service.query(
    "SELECT action FROM audit_log WHERE subject LIKE 'webhook %' AND action = 'webhook.disabled'",
  );
  expect(log).toHaveLength(2);
});

test('what operators have disabled, people of the account cannot resume; the list tells them', async () => {
  const owner = await makeOwner();
  const { path } = await add(owner);
  await service.query("UPDATE webhooks SET state = 'disabled', reason = 'by_operator'");
  expect((await owner.get('/console/webhooks')).html).toMatch(
    /role="alert".*operators of the service disabled it/s,
  );
  const { status, html } = await owner.post(`${path}/resume`, { from: 'position' });
  expect([status, html.includes('ask them to resume it')]).toEqual([409, true]);
});

test('a failing webhook shows when it failed, and is tried again now', async () => {
  const owner = await makeOwner();
  const { path } = await add(owner);
  await service.query(
    `UPDATE webhooks SET state = 'failing', failures = 3, failing_since = now() - interval '1 hour', next_attempt_at = now() + interval '1 hour'`,
  );
  const { html } = await owner.get(path);
  expect(html).toContain('failing, after 3 attempts');
  expect(html).toContain('Next attempt');
  expect(html).toContain('Retry now');
  await owner.post(`${path}/resume`);
  expect((await owner.get(path)).html).not.toContain('Retry now');
  // In another tab, it was failing.
  await owner.post(`${path}/disable`);
  const late = await owner.post(`${path}/resume`);
  expect([late.status, late.html]).toEqual([409, expect.stringContaining('so it was not tried again')]);
  expect(late.html).toContain('disabled: people of the account disabled it');
});

test('attempts have pages, the newest first, with numbers below their titles', async () => {
  const owner = await makeOwner();
  const { path } = await add(owner);
  await service.query(
    `INSERT INTO webhook_attempts SELECT w.id, n, 'msg_' || n, false, now(), 5, 'delivered', 204, 1, 9, ''
     FROM webhooks w, generate_series(1, 60) AS n`,
  );
  const first = (await owner.get(path)).html;
  expect([first.includes('msg_60<'), first.includes('msg_11<'), first.includes('msg_10<')]).toEqual([
    true,
    true,
    false,
  ]);
  const titles = (page: string) =>
    [...page.matchAll(/<th scope="col" class="number">([^<]+)/g)].map(([, title]) => title);
  expect(titles(first)).toEqual(['Events', 'Milliseconds', 'Bytes']);
  expect(titles((await owner.get('/console/webhooks')).html)).toEqual(['Delivered events']);
  const older = (await owner.get(/href="([^"]*before=[0-9]+)"/.exec(first)?.[1] ?? '')).html;
  expect([older.includes('msg_10<'), older.includes('Older attempts')]).toEqual([true, false]);
});

test('a rotated secret is shown once, also if its form is sent twice', async () => {
  const owner = await makeOwner();
  const { path, secret } = await add(owner);
  const form = '5f0e4a3c-0000-4000-8000-000000000002';
  const rotate = async () => secretOf((await owner.post(`${path}/rotate`, { form })).html);
  const rotated = await rotate();
  expect([rotated === undefined, rotated === secret, (await rotate()) === rotated]).toEqual([
    false,
    false,
    true,
  ]);
});

test('members see webhooks and change none; other accounts see none', async () => {
  const account = `account ${Math.random()}`;
  const owner = await makeOwner(account);
  const { path } = await add(owner);
  const member = await ConsoleClient.signIn(service, { account, role: 'member' });
  expect((await member.get(path)).html).not.toContain('<button>Send a test');
  for (const action of ['test', 'resume', 'disable', 'rotate', 'delete', 'edit']) {
    expect((await member.post(`${path}/${action}`)).status).toBe(403);
  }
  const other = await makeOwner();
  expect((await other.get(path)).status).toBe(404);
  for (const action of ['test', 'resume', 'disable', 'rotate', 'delete']) {
    expect((await other.post(`${path}/${action}`)).status).toBe(404);
  }
  expect((await owner.get(path)).html).not.toContain('This webhook is');
});
