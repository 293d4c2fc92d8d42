/** The live page and related pages in a real Chromium. */
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import { formatCursor, parseCursor } from '../../../schemas/cursor.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import {
  findProblemsInLooks,
  hasChromium,
  openWindow,
  startChromium,
} from '../../helpers/browser/chromium.ts';
import { testInBrowser } from '../../helpers/browser/use-chromium.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { TcpProxy } from '../../helpers/faults/tcp-proxy.ts';
import { TestService } from '../../helpers/service/service.ts';

let service: TestService;
let switchboard: TcpProxy;
let browser: Browser;
let debuggingPort: number;
let contexts: BrowserContext[] = [];
/** The number of changes. */
let changes = 0;

beforeAll(async () => {
  if (!hasChromium) return;
  service = await TestService.start({ gateways: 2 });
  switchboard = await TcpProxy.open(service.gateways[0]?.port ?? 0);
  debuggingPort = await findFreePort();
  browser = await startChromium(debuggingPort);
});
afterEach(async () => {
  for (const context of contexts) await context.close();
  contexts = [];
});
afterAll(async () => {
  await browser?.close();
  await switchboard?.close();
  await service?.stop();
});

/** Gives a context the session of a client. */
function enter(context: BrowserContext, client: ConsoleClient): Promise<void> {
  const value = client.cookie('bes_session');
  return context.addCookies([{ name: 'bes_session', value, url: `${switchboard.address}/console` }]);
}

/** A page of the console with a client's session; its errors fail the test. */
async function open(
  path: string,
  client: ConsoleClient,
  options: { javaScriptEnabled?: boolean; timezoneId?: string } = {},
): Promise<Page> {
  const context = await browser.newContext(options);
  contexts.push(context);
  await enter(context, client);
  const page = await context.newPage();
  await page.goto(switchboard.address + path);
  return page;
}

/** Waits until the live page is in a state, such as `connected`. */
const reach = (page: Page, state: string) => page.waitForSelector(`[data-live][data-state=${state}]`);

/** Makes an endorser's changes in the mayor's race, each with its own statement. */
async function change(by: string, count = 1): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    changes += 1;
    await service.submit([endorse(by, 'mayor', 'ann', { statement: `Reason ${changes}.` })]);
  }
  await service.eventsOnceThereAre(changes);
}

/** Waits until the page has counted a number of events. */
const count = (page: Page, events: number) =>
  page.locator('[data-total]', { hasText: new RegExp(`^${events.toLocaleString('en')}$`) }).waitFor();

/** The statements in the raw frames, the oldest first. */
async function statements(page: Page): Promise<string[]> {
  const text = (await page.locator('[data-frames]').textContent()) ?? '';
  return [...text.matchAll(/"statement":"([^"]*)"/g)].map(([, statement]) => statement ?? '').reverse();
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `Reason ${from + index}.`);

testInBrowser('a change appears on the page, if it passes the filter', async () => {
  const page = await open('/console/live?endorsers=nation-herald', await ConsoleClient.signIn(service));
  await reach(page, 'connected');
  await change('coast-gazette');
  await change('nation-herald');
  await count(page, 1);
  const row = (await page.locator('[data-rows] tr').allTextContents()).join();
  expect(row).toContain('Nation Herald');
  expect(await page.locator('[data-by-type]').textContent()).toMatch(/created.*1/);
  expect(await page.locator('[data-by-state]').textContent()).toMatch(/OR.*1/);
  const [link, history] = await page.locator('[data-rows] a').all();
  expect(await link?.getAttribute('href')).toMatch(/^\/console\/explorer\/contests\/\d+$/);
  expect(await history?.getAttribute('href')).toMatch(
    /^\/console\/history\?endorser=nation-herald&contest=\d+$/,
  );
  await page.locator('[data-rows] summary').click();
  await page.locator('[data-rows] pre').waitFor();
  expect(JSON.parse((await page.locator('[data-rows] pre').textContent()) ?? '')).toMatchObject({
    endorser: { slug: 'nation-herald' },
  });
  expect(await page.locator('[data-frames]').isVisible()).toBe(false);
  await page.getByRole('checkbox', { name: 'Raw frames' }).check();
  expect(await page.locator('[data-frames]').textContent()).toContain('event: endorsement');
});

testInBrowser('pausing, a network cut and a replaced gateway lose and repeat nothing', async () => {
  const page = await open('/console/live', await ConsoleClient.signIn(service));
  await reach(page, 'connected');
  const first = changes + 1;
  await change('nation-herald', 2);
  await count(page, 2);

  await page.getByRole('button', { name: 'Pause' }).click();
  await reach(page, 'paused');
  await change('nation-herald', 3);
  expect(await page.locator('[data-total]').textContent()).toBe('2');
  await page.getByRole('button', { name: 'Resume' }).click();
  await count(page, 5);

  await reach(page, 'connected');
  expect(switchboard.cut()).toBeGreaterThan(0);
  await reach(page, 'wait');
  await change('nation-herald', 2);
  await count(page, 7);

  await reach(page, 'connected');
  switchboard.target = service.gateways[1]?.port ?? 0;
  await service.restartGateway(0);
  await service.untilReady();
  await change('nation-herald', 2);
  await count(page, 9);
  expect(await statements(page)).toEqual(numbered(first, changes));
  expect(await page.locator('[data-rows] tr').count()).toBe(9);
});

testInBrowser('the page keeps the newest 300 events and counts all', async () => {
  const client = await ConsoleClient.signIn(service);
  const page = await open('/console/live?endorsers=bakers-local-1', client);
  await reach(page, 'connected');
  const submissions = Array.from({ length: 350 }, (_, number) =>
    endorse('bakers-local-1', 'mayor', 'ann', { statement: `Many ${number}.` }),
  );
  await service.submit(submissions);
  changes += 350;
  await service.eventsOnceThereAre(changes);
  await count(page, 350);
  expect(await page.locator('[data-rows] tr').count()).toBe(300);
  const shown = await statements(page);
  expect(shown.at(-1)).toBe('Many 349.');
  expect(shown.length).toBeLessThanOrEqual(300);
});

testInBrowser(
  'when the session opens another page, the first one says so and does not compete with it',
  async () => {
    await service.createKey('small', 'free');
    const client = await ConsoleClient.signIn(service, { account: 'small' });
    const first = await open('/console/live', client);
    await reach(first, 'connected');
    const second = await open('/console/live', client);
    await reach(second, 'connected');
    await reach(first, 'stop');
    expect(await first.getByRole('status').first().textContent()).toContain('one stream at a time');
    await reach(second, 'connected');
  },
);

testInBrowser(
  'with the page open in eight tabs, a ninth page opens, and each tab has all changes when it is shown',
  async () => {
    const window = await openWindow(debuggingPort);
    await enter(window, await ConsoleClient.signIn(service));
    const openTab = async (path: string) => {
      const tab = await window.newPage();
      // A browser without a free connection for it would wait for much longer.
      await tab.goto(switchboard.address + path, { timeout: 5000 });
      return tab;
    };
    const tabs: Page[] = [];
    for (let opened = 0; opened < 8; opened += 1) {
      const tab = await openTab('/console/live');
      await reach(tab, 'connected');
      tabs.push(tab);
    }
    const [first, newest] = [tabs.at(0), tabs.at(-1)];
    if (!first || !newest) throw new Error('No tab is open.');
    await change('nation-herald');
    await count(newest, 1);

    const ninth = await openTab('/console/subscriptions');
    await ninth.getByRole('heading', { level: 1 }).waitFor();
    await change('nation-herald', 2);
    for (const [tab, events] of [
      [newest, 3],
      [first, 3],
    ] as const) {
      await tab.bringToFront();
      await count(tab, events);
      await reach(tab, 'connected');
    }
    for (const tab of [...tabs, ninth]) await tab.close();
  },
);

testInBrowser('an expired id is reported, with a way to begin again', async () => {
  await change('nation-herald');
  const client = await ConsoleClient.signIn(service);
  const newest = (await service.events()).cursor;
  const { epoch, ...place } = parseCursor(newest);
  const expired = formatCursor({ epoch: epoch + 1, ...place });
  const query = new URLSearchParams({ start: 'cursor', cursor: expired, states: 'OR' });
  const page = await open(`/console/live?${query}`, client);
  await reach(page, 'stop');
  expect(await page.getByRole('status').first().textContent()).toContain('belongs to another stream');
  await page.getByRole('link', { name: 'Begin with new events' }).click();
  await reach(page, 'connected');
  expect(page.url()).toMatch(/\/console\/live\?states=OR$/);
});

testInBrowser("a refused filter is shown with the API's message", async () => {
  const page = await open('/console/live?endorsers=nobody', await ConsoleClient.signIn(service));
  await reach(page, 'stop');
  expect(await page.getByRole('status').first().textContent()).toContain('no endorser has that slug');
});

testInBrowser('when its session ends, the page leads to signing in and back to its place', async () => {
  const client = await ConsoleClient.signIn(service);
  const page = await open('/console/live?states=OR', client);
  await reach(page, 'connected');
  await client.post('/console/sign-out');
  await reach(page, 'stop');
  const link = await page.getByRole('link', { name: 'Sign in' }).getAttribute('href');
  const back = new URL(link ?? '', 'http://console').searchParams.get('return_to');
  expect(back).toMatch(/^\/console\/live\?states=OR&start=cursor&cursor=./);
});

testInBrowser('a filter is chosen by name, watched, saved and used', async () => {
  const client = await ConsoleClient.signIn(service);
  const page = await open('/console/live', client);
  await page.getByText('Filter and start').click();
  await page.getByLabel('Find an endorser by name').fill('herald');
  await page.getByRole('button', { name: /^Add Nation Herald/ }).click();
  await page.getByLabel('Find an election').fill('oregon');
  // Before, the list has both elections, and moves below the pointer.
  await page.getByRole('button', { name: /^Add California general/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Add Oregon general/ }).click();
  await page.getByLabel('created').check();
  await page.getByLabel('updated').check();
  await page.getByRole('button', { name: 'Watch' }).click();
  await reach(page, 'connected');
  const asked = new URL(page.url()).searchParams;
  expect([asked.get('endorsers'), asked.get('elections')]).toEqual([
    'nation-herald',
    'or-2026-11-03-general',
  ]);

  await page.getByText('Save the filter').click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Heralds of Oregon');
  await page.getByRole('button', { name: 'Save as subscription' }).click();
  await page.getByRole('link', { name: 'Watch live: Heralds of Oregon' }).click();
  await reach(page, 'connected');
  const { data } = (await service.get('/v1/subscriptions')).body;
  expect(data.at(-1).filter).toEqual({
    endorsers: ['nation-herald'],
    elections: ['or-2026-11-03-general'],
    types: ['created', 'updated'],
  });
  await change('coast-gazette');
  await change('nation-herald');
  await count(page, 1);

  // The page says which filter it follows, also after another page has edited it.
  const { id, name } = data.at(-1);
  await service.send('PUT', `/v1/subscriptions/${id}`, { name, filter: { types: ['deleted'] } });
  await page.getByText('Types of change: deleted.').waitFor();
});

testInBrowser('local times stand beside those in UTC', async () => {
  await change('nation-herald');
  const [row] = await service.query('SELECT id FROM contests WHERE key LIKE $1', ['%/mayor']);
  const path = `/console/history?endorser=nation-herald&contest=${row?.id}`;
  const abroad = await open(path, await ConsoleClient.signIn(service), { timezoneId: 'America/New_York' });
  const time = abroad.locator('td time').first();
  const utc = new Date((await time.getAttribute('datetime')) ?? '');
  const hour = utc.toLocaleString('en', {
    timeZone: 'America/New_York',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  expect(await abroad.locator('td .local').first().textContent()).toMatch(
    new RegExp(`${hour}:\\d\\d E[DS]T$`),
  );
  const displayOf = (part: string) =>
    abroad.evaluate<string>(`getComputedStyle(document.querySelector('${part} .local')).display`);
  expect([await displayOf('td'), await displayOf('p')]).toEqual(['block', 'inline']);
  const live = await open('/console/live?start=earliest', await ConsoleClient.signIn(service), {
    timezoneId: 'America/New_York',
  });
  await live.locator('[data-rows] .local').first().waitFor();
  const here = await open(path, await ConsoleClient.signIn(service), { timezoneId: 'UTC' });
  expect(await here.locator('.local').count()).toBe(0);
});

testInBrowser('the first requests run on their page, and the stream until it is stopped', async () => {
  await change('nation-herald');
  const page = await open('/console/start', await ConsoleClient.signIn(service));
  await page.getByRole('button', { name: 'Run: Read events' }).click();
  await page.getByLabel('Answer: Read events').getByText('"next_cursor"').waitFor();
  await page.getByRole('button', { name: 'Run: Watch changes' }).click();
  const frames = page.getByLabel('Answer: Watch changes');
  await frames.getByText('event: ready').waitFor();
  await change('nation-herald');
  await frames.getByText('event: endorsement').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(false);
});

testInBrowser('without scripts the live page shows events, and requests are links', async () => {
  await change('nation-herald');
  const page = await open('/console/live', await ConsoleClient.signIn(service), {
    javaScriptEnabled: false,
  });
  await page.getByText('Filter and start').click();
  await page.getByLabel('The oldest event that is kept').check();
  await page.getByRole('button', { name: 'Watch' }).click();
  expect(await page.getByRole('cell', { name: 'Nation Herald' }).first().isVisible()).toBe(true);
  await page.goto(`${switchboard.address}/console/start`);
  await page.getByRole('link', { name: 'Open it in the browser' }).first().click();
  expect(page.url()).toContain('/console/api/v1/endorsements?states=CA&limit=3');
});

testInBrowser('axe finds nothing on the pages, on a phone in light and wide in dark', async () => {
  const client = await ConsoleClient.signIn(service);
  await client.post('/console/subscriptions', { name: 'Everything', states: ['OR'] });
  await change('coast-gazette');
  // Few events, because axe takes long for many rows.
  const live = '/console/live?start=earliest&endorsers=coast-gazette';
  const page = await open(live, client);
  await page.getByRole('checkbox', { name: 'Raw frames' }).check();
  await page.waitForSelector('[data-rows] tr');
  for (const path of [null, '/console/start', '/console/subscriptions', '/console/subscriptions/new']) {
    if (path !== null) await page.goto(switchboard.address + path);
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect([path ?? live, ...(await findProblemsInLooks(page))]).toEqual([path ?? live]);
  }
});

testInBrowser("the status page shows a new state by itself, but not under the reader's focus", async () => {
  const page = await open(
    '/console/operator/status',
    await ConsoleClient.signIn(service, { role: 'operator' }),
    { timezoneId: 'America/New_York' },
  );
  const streams = page.locator('dt:has-text("Open streams") + dd');
  await page.clock.install();
  await page.reload();
  await page.locator('details').evaluate((details) => details.setAttribute('open', ''));
  const report = (open: number) =>
    service.query(
      `INSERT INTO processes (id, program, host, pid, version, started_at, seen_at, details)
         VALUES ('7d0e7c1e-0000-4000-8000-000000000001', 'gateway', 'far', 7, '1.0.0', now(), now(), $1)
         ON CONFLICT (id) DO UPDATE SET details = excluded.details`,
      [{ port: 1, behindMs: 0, openStreams: open }],
    );
  const next = page.waitForResponse(/operator\/status/);
  await report(70_000);
  await page.clock.runFor(10_000);
  await next;
  await streams.filter({ hasText: /^70,00/ }).waitFor();
  expect(await page.locator('details[open]').count()).toBe(1);
  expect(await page.locator('time').count()).toBe(await page.locator('time + .local').count());
  await page.locator('summary').focus();
  await report(90_000);
  // When the second answer comes, the first has been handled.
  for (let look = 0; look < 2; look += 1) {
    const unseen = page.waitForResponse(/operator\/status/);
    await page.clock.runFor(10_000);
    await (await unseen).finished();
  }
  expect(await streams.textContent()).toMatch(/^70,00/);
});
