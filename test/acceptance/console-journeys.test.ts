/** Journeys of people through the console, in a real browser. */
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type CatalogueLine, loadCatalogue } from '../helpers/ballots/catalogue.ts';
import { endorser } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { hasChromium, LOOKS, startChromium } from '../helpers/browser/chromium.ts';
import { testInBrowser } from '../helpers/browser/use-chromium.ts';
import { makeLink } from '../helpers/console/console-client.ts';
import { addressesOf, isDownload } from '../helpers/console/console-pages.ts';
import { TestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const MAX_PAGE_BYTES = 100_000;

let service: TestService;
let browser: Browser;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  service = await TestService.start({ gatewayConfig: { today: '2026-11-01' } });
  browser = await startChromium();
  await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
  await service.eventsOnceThereAre(1);
});
afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Opens a sign-in link, and follows it as a person does. */
async function signIn(
  options: Parameters<typeof makeLink>[1] = {},
  look: (typeof LOOKS)[number] = LOOKS[2],
): Promise<Page> {
  const { width, height, theme } = look;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(service.url(await makeLink(service, options)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'First request' }).waitFor();
  return page;
}

async function makeAccount(): Promise<string> {
  const account = `account ${Math.random()}`;
  await service.createKey(account, 'internal');
  return account;
}

const keyOn = async (page: Page): Promise<string> =>
  /bes_\w{38}/.exec((await page.getByRole('main').textContent()) ?? '')?.[0] ?? '';

testInBrowser('a newcomer comes from a link to a first request, a key and a live event', async () => {
  const started = performance.now();
  const page = await signIn({ account: await makeAccount() });
  await page.getByRole('button', { name: 'Run' }).nth(1).click();
  await page.getByText('"endorsement.created"').first().waitFor();

  await page.getByRole('link', { name: 'API keys' }).first().click();
  await page.getByLabel('Name').fill('My website');
  await page.getByRole('button', { name: 'Make key' }).click();
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
  const headers = { Authorization: `Bearer ${await keyOn(page)}` };
  expect((await service.get('/v1/states', { headers })).status).toBe(200);

  await page.getByRole('link', { name: 'Live' }).click();
  await page.getByText('Connected: events appear').waitFor();
  await service.submit([endorse('coast-gazette', 'mayor', 'bob')]);
  await page.getByRole('cell', { name: 'Coast Gazette', exact: true }).waitFor();
  expect(performance.now() - started).toBeLessThan(60_000);
});

testInBrowser('a double click sends a form once, even if the answer is slow', async () => {
  const context = await browser.newContext();
  contexts.push(context);
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  const doubleClick = async (name: string) => {
    const conditions = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
    await network.send('Network.emulateNetworkConditions', { ...conditions, latency: 500 });
    await page.getByRole('button', { name }).dblclick({ delay: 50, noWaitAfter: true });
    await network.send('Network.emulateNetworkConditions', { ...conditions, latency: 0 });
  };
  await page.goto(service.url(await makeLink(service, { account: await makeAccount() })));
  await doubleClick('Sign in');
  await page.getByRole('heading', { name: 'First request' }).waitFor();
  await page.goto(service.url('/console/keys'));
  await page.getByLabel('Name').fill('My website');
  await doubleClick('Make key');
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
});

testInBrowser('a stream can be run and stopped by keyboard without losing the focus', async () => {
  const page = await signIn({ account: await makeAccount() });
  await page.getByRole('button', { name: 'Run: Watch changes' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Connected: frames appear').waitFor();
  expect(await page.locator('[data-stop]:focus').count()).toBe(1);
  await page.keyboard.press('Enter');
  await page.getByText('Stopped.').waitFor();
  expect(await page.locator('[data-run]:focus').count()).toBe(1);
});

testInBrowser('texts have a copy button only if the browser lets pages copy', async () => {
  const page = await signIn({ account: await makeAccount() });
  const copies = page.getByRole('button', { name: 'Copy' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy: Read endorsements with curl' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl /);
  // As by plain HTTP from another machine.
  await page.addInitScript('delete Navigator.prototype.clipboard');
  await page.reload();
  await page.getByRole('button', { name: 'Run' }).first().waitFor();
  expect(await copies.count()).toBe(0);
});

testInBrowser('a search for endorsers says how many it has found', async () => {
  const page = await signIn({ account: await makeAccount() });
  const names = Array.from({ length: 13 }, (_, index) => `found-${index}`);
  const records = names.map((slug): CatalogueLine => ['endorsers', endorser({ slug, name: slug })]);
  await loadCatalogue(service.databaseUrl, records.slice(0, 12));
  await page.goto(service.url('/console/subscriptions/new'));
  const search = page.getByLabel('Find an endorser by name');
  const said = page.getByRole('status');
  await search.fill('found-11');
  await said.getByText('1 found.', { exact: true }).waitFor();
  await search.fill('found-');
  await said.getByText('12 found.').waitFor();
  await loadCatalogue(service.databaseUrl, records.slice(12));
  await search.fill('found');
  await said.getByText('The first 12 are shown: type more.').waitFor();
  await search.fill('nobody');
  await said.getByText('Nothing found.').waitFor();
  await page.context().clearCookies();
  await search.fill('found-1');
  await said.getByText('The session of the console has ended; sign in again.').waitFor();
});

testInBrowser('the names of states are not broken in the boxes of a filter', async () => {
  const page = await signIn({ account: await makeAccount() });
  await page.goto(service.url('/console/subscriptions/new'));
  await page.getByText('States: any', { exact: true }).click();
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const lines = await page.evaluate<number>(`(() => {
      const box = document.querySelector('[name="states"][value="MA"]');
      const word = document.createRange();
      word.selectNodeContents(box.parentElement.lastChild);
      word.setStart(word.startContainer, word.toString().indexOf('Massachusetts'));
      return new Set([...word.getClientRects()].map(({ top }) => top)).size;
    })()`);
    expect([width, lines]).toEqual([width, 1]);
  }
});

testInBrowser('an owner rotates a key and revokes the old one', async () => {
  const page = await signIn({ account: await makeAccount() });
  await page.getByRole('link', { name: 'API keys' }).first().click();
  await page.getByRole('button', { name: /^Rotate/ }).click();
  const fresh = await keyOn(page);
  await page.getByRole('link', { name: 'Revoke it' }).click();
  await page.getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByRole('status').getByText('The key is revoked').waitFor();
  const headers = { Authorization: `Bearer ${fresh}` };
  expect((await service.get('/v1/states', { headers })).status).toBe(200);
  expect(await page.getByRole('button', { name: /^Rotate/ }).count()).toBe(1);
});

testInBrowser(
  'an operator sees in a click each whether all is well, who uses most and what was refused, and mends it',
  async () => {
    await service.submit([endorse('late-endorser', 'mayor', 'ann')]);
    const account = await makeAccount();
    const page = await signIn({ account, role: 'operator' });
    await page.getByRole('link', { name: 'Status' }).click();
    // The verdict comes first.
    await page.locator('main .notice').first().waitFor();
    await page.request.get(service.url('/console/api/v1/states'));
    await page.getByRole('link', { name: 'Usage of all' }).click();
    await until('the request is counted', async () => {
      await page.reload();
      return (await page.getByRole('main').getByRole('link', { name: account }).count()) > 0;
    });
    await page.getByRole('link', { name: 'Rejected' }).click();
    await until('it is rejected', async () => {
      await page.reload();
      return (await page.getByText('late-endorser', { exact: false }).count()) > 0;
    });
    await loadCatalogue(service.databaseUrl, [['endorsers', endorser({ slug: 'late-endorser' })]]);
    await page
      .getByRole('button', { name: /^Retry \d/ })
      .first()
      .click();
    await page.getByText('Sent again: 1.').waitFor();
    await until('it is applied', async () => {
      const { body } = await service.get('/v1/endorsements?endorsers=late-endorser');
      return body.data.length === 1;
    });
  },
);

testInBrowser('the audit log and the plots of usage are readable on a phone', async () => {
  const page = await signIn({ account: await makeAccount() }, LOOKS[0]);
  const sizeOf = async (selector: string) => {
    const box = await page.locator(selector).first().boundingBox();
    if (!box) throw new Error(`The page shows no ${selector}.`);
    return box;
  };
  await page.goto(service.url('/console/audit'));
  expect((await sizeOf('td.details')).width).toBeGreaterThan(200);
  expect((await sizeOf('td time')).height).toBeLessThan(30);
  await page.goto(service.url('/console/usage'));
  expect((await sizeOf('.plot-text')).height).toBeGreaterThan(10);
});

testInBrowser('the legend of a plot has the colours of its bars in a high-contrast theme', async () => {
  const page = await signIn({ account: await makeAccount() });
  await page.request.get(service.url('/console/api/v1/states'));
  await page.emulateMedia({ forcedColors: 'active' });
  const colourOf = (selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
  await until('a request is counted', async () => {
    await page.goto(service.url('/console/usage'));
    return (await page.locator('rect.plot-good').count()) > 0;
  });
  expect(await colourOf('.legend .plot-good', 'backgroundColor')).toBe(
    await colourOf('rect.plot-good', 'fill'),
  );
});

testInBrowser('a printed page has no menu and no buttons, and its plots keep their colours', async () => {
  const page = await signIn({ account: await makeAccount() });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.goto(service.url('/console/usage'));
  const shown = page.locator(':is(header, nav, button, main):visible');
  expect(await shown.evaluateAll((parts) => parts.map(({ tagName }) => tagName))).toEqual(['MAIN']);
  const style = (selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
  expect(await style('.legend i', 'printColorAdjust')).toBe('exact');
  expect(await style('body', 'backgroundColor')).toBe('rgb(255, 255, 255)');
});

testInBrowser('every page is small, fits a phone and loads nothing from other sites', async () => {
  const { body } = await service.get('/v1/contests?limit=1');
  // The longest possible names, without a place to break them.
  const name = 'x'.repeat(100);
  await service.createKey(name, 'internal');
  const page = await signIn({ account: name, role: 'operator', person: name }, LOOKS[0]);
  const csrf = await page.locator('[name=csrf]').first().inputValue();
  for (const path of ['/console/subscriptions', '/console/keys']) {
    const form = { csrf, name, scope: 'data:read' };
    expect((await page.request.post(service.url(path), { form })).ok()).toBe(true);
  }
  const [ids] = await service.query(
    `SELECT a.id AS accounts, (SELECT max(id) FROM api_keys) AS keys, (SELECT max(id) FROM subscriptions) AS subscriptions
       FROM accounts a WHERE a.name = $1`,
    [name],
  );
  const problems: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url('/'))) problems.push(`${request.url()} is another site`);
  });
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) problems.push(message.text());
  });
  const values = {
    ...ids,
    elections: body.data[0].election.slug,
    contests: body.data[0].id,
    endorsers: 'bakers-local-1',
  };
  const pages = addressesOf('GET', values).filter((address) => !isDownload(address));
  for (const address of [...pages, `/console/live?subscription=${name}`]) {
    const response = await page.goto(service.url(address));
    const size = (await response?.body())?.length ?? 0;
    if (size > MAX_PAGE_BYTES) problems.push(`${address} has ${size} bytes`);
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    if (overflow > 0) problems.push(`${address} is ${overflow} pixels too wide`);
    const menu = await page.evaluate(`(() => {
      const height = document.querySelector('nav')?.offsetHeight ?? 0;
      const here = document.querySelector('nav [aria-current]')?.getBoundingClientRect();
      return height > 140 || here?.left < 0 || here?.right > innerWidth;
    })()`);
    if (menu) problems.push(`${address} has a high menu, or does not show its own entry`);
    const wide = Number(
      await page.evaluate(
        `[...document.querySelectorAll('td')].filter((cell) => cell.offsetWidth > 400).length`,
      ),
    );
    if (wide > 0) problems.push(`${address} has ${wide} cells that are wider than a phone`);
  }
  expect(problems).toEqual([]);
});
