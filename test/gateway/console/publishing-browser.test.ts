/** The way of an editor from a link to the event on the stream, in a real Chromium: by keyboard alone, on a phone. */
import { expect } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { TABLE_BALLOT } from '../../helpers/ballots/table-ballot.ts';
import { testInBrowser, useChromium } from '../../helpers/browser/use-chromium.ts';
import { makeLink } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';

const PHONE = { width: 390, height: 844 };
/** More than any page has places to stop at. */
const MAX_TABS = 100;

const service = useTestService({ catalogue: TABLE_BALLOT, gatewayConfig: { today: '2026-11-02' } });
const newContext = useChromium();

/** Opens a link of the account's editor. */
const openLink = async (page: Page, account: string) =>
  page.goto(service.url(await makeLink(service, { account, role: 'editor' })));

/** Makes an account that may publish for an endorser, and opens a link of its editor. */
async function openConsole(
  account: string,
  endorser: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  await service.createKey(account, 'free');
  await service.allow([endorser], account);
  const page = await (await newContext(options)).newPage();
  await openLink(page, account);
  return page;
}

/** Moves the focus to the element with this name, as the Tab key does. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = `(() => {
    const { activeElement: at } = document;
    return at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent.trim() ?? at.textContent.trim();
  })()`;
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>(focused)) === name) return;
  }
  throw new Error(`The Tab key does not reach "${name}" on ${page.url()}.`);
}

/** Goes to a link or a button, and follows it. */
async function follow(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

testInBrowser(
  'an editor drags choices into their ranks, and sees how much room a statement has',
  async () => {
    const page = await openConsole('ranking', 'bakers-local-1');
    await page.click('main button');
    const [sheriff] = await service.query(`SELECT id FROM contests WHERE key LIKE '%/sheriff'`);
    await page.goto(service.url(`/console/endorsements/${sheriff?.id}`));
    const drag = async (from: string, to: string) => {
      const rowOf = (key: string) =>
        page.locator('[data-pick]', { has: page.locator(`[name="rank:${key}"]`) });
      const start = await rowOf(from).locator('.handle').boundingBox();
      const end = await rowOf(to).boundingBox();
      if (!start || !end) throw new Error('The rows have no place.');
      await page.mouse.move(start.x + 5, start.y + 5);
      await page.mouse.down();
      await page.mouse.move(end.x + 40, end.y + end.height / 2, { steps: 5 });
      await page.mouse.up();
    };
    const ranks = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('input.rank')].map(({ value }) => value)`);
    await drag('cyd', 'dee');
    await drag('ann', 'bob');
    await drag('bob', 'cyd');
    expect(await ranks()).toEqual(['3', '1', '2', '']);

    await page.click('summary[aria-label="Statement and source: ann"]');
    const field = page.locator('textarea[name="statement:ann"]');
    await field.fill('😀'.repeat(19_900));
    expect(await page.textContent('#room-0')).toBe('100 characters left');
    await page.getByRole('status').filter({ hasText: '100 characters left' }).waitFor();
    await field.fill('a'.repeat(20_001));
    expect(await page.textContent('#room-0')).toBe('1 character too many');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await page.context().close();
  },
  60_000,
);

testInBrowser(
  'a button that is clicked again before the answer is there makes one key, and shows it',
  async () => {
    const page = await (await newContext()).newPage();
    await page.goto(service.url(await makeLink(service)));
    await page.click('main button');
    await page.goto(service.url('/console/keys'));
    await page.fill('[name=name]', 'Website');
    const message = await page.evaluate<string>(`(() => {
    let at = 1000;
    Object.defineProperty(Event.prototype, 'timeStamp', { get: () => at });
    const button = document.querySelector('form.card button');
    button.click();
    at += 10_000;
    button.click();
    return document.querySelector('form.card [role=alert]')?.textContent;
  })()`);
    expect(message).toContain('Wait for the answer.');
    await page.getByRole('heading', { name: 'Your new key' }).waitFor();
    await page.context().close();
  },
);

testInBrowser(
  'an editor with a link publishes a position by keyboard alone, on a phone, and it reaches the stream',
  async () => {
    const stream = await service.stream();
    try {
      await stream.wait('ready', 1);
      const page = await openConsole('newsroom', 'bakers-local-1', { viewport: PHONE });
      await follow(page, 'Sign in');
      await follow(page, 'Our endorsements');
      await follow(page, 'Title of mayor');
      await tabTo(page, 'ann');
      await page.keyboard.press('Space');
      await tabTo(page, 'Statement and source: ann');
      await page.keyboard.press('Enter');
      await tabTo(page, 'Statement');
      await page.keyboard.type('She listens.');
      await follow(page, 'Preview');
      await follow(page, 'Publish');
      const [event] = await stream.wait('endorsement', 1);
      expect(event?.data).toMatchObject({ endorsement: { statement: 'She listens.' } });
      expect(await page.locator('.notice').textContent()).toBe('It is done: readers and the stream have it.');
      expect(await page.locator('td code').textContent()).toBe(event?.id);
      const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      expect(await page.evaluate<boolean>(isWide)).toBe(false);
      // On a wide page the table shows all of its columns, however long the id is.
      await page.setViewportSize({ width: 1200, height: 900 });
      const table = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.scroll'))`;
      expect(await page.evaluate<number>(table)).toBe(0);

      // The way back leads to the preview, which publishes nothing twice. Nobody sees it after signing out.
      const receipt = await page.textContent('h1');
      await page.goBack();
      expect(await page.textContent('h1')).toBe('Publish: Title of mayor');
      await follow(page, 'Publish');
      expect(await page.textContent('h1')).toBe(receipt);
      await Promise.all([page.waitForNavigation(), page.click('text=Sign out')]);
      await expect(page.goBack()).rejects.toThrow('ERR_CACHE_MISS');
      await page.context().close();
    } finally {
      stream.close();
    }
  },
  90_000,
);

testInBrowser(
  'a form that meets an ended session is sent in the next one, without scripts, and nothing is lost',
  async () => {
    const account = 'away for lunch';
    const page = await openConsole(account, 'nation-herald', { viewport: PHONE, javaScriptEnabled: false });
    await follow(page, 'Sign in');
    const [mayor] = await service.query(`SELECT id FROM contests WHERE key LIKE '%/mayor'`);
    await page.goto(service.url(`/console/endorsements/${mayor?.id}`));
    await page.check('input[name=choice][value=ann]');
    await page.click('summary[aria-label="Statement and source: ann"]');
    await page.fill('textarea[name="statement:ann"]', 'Zeile 1\nZeile 2 "ø"');
    await service.query('DELETE FROM console_sessions');
    await page.click('button:text-is("Preview")');
    expect(await page.textContent('h1')).toBe('Your session has ended');
    expect(await page.locator('dd', { hasText: 'Zeile 1' }).count()).toBe(1);
    const tab = await page.context().newPage();
    await openLink(tab, account);
    await follow(tab, 'Sign in');
    await follow(page, 'I am signed in again: continue');
    expect(await page.textContent('h1')).toBe('Send the form?');
    await follow(page, 'Send the form');
    await follow(page, 'Publish');
    await page
      .getByText(/On the stream|on the stream/)
      .first()
      .waitFor();
    const { body } = await service.get('/v1/endorsements?endorsers=nation-herald');
    expect(body.data[0].endorsement?.statement ?? body.data[0].statement).toBe('Zeile 1\nZeile 2 "ø"');
    await page.context().close();
  },
  90_000,
);

testInBrowser(
  'an editor uploads a table by keyboard, without scripts, on a phone, decides on an unclear name, and undoes it',
  async () => {
    const stream = await service.stream('endorsers=sierra-club');
    try {
      await stream.wait('ready', 1);
      const page = await openConsole('union', 'sierra-club', { viewport: PHONE, javaScriptEnabled: false });
      await follow(page, 'Sign in');
      await follow(page, 'Our endorsements');
      await follow(page, 'Upload a table');
      const text = [
        'Organization,Election,Race,District,Candidate,Statement',
        'Sierra Club,or-2026-11-03-general,Governor,,Tina Kotek,"Decidió bien, «siempre»."',
        'Sierra Club,or-2026-11-03-general,State Senate,4,Bob Smith,',
        'Sierra Club,or-2026-11-03-general,Mayor,,ann,',
      ].join('\r\n');
      const buffer = Buffer.from(`\ufeff${text}`);
      await page.setInputFiles('input[type=file]', { name: 'list.csv', mimeType: 'text/csv', buffer });
      await follow(page, 'Upload');
      // The checked radio button of the row: arrows choose another one.
      await tabTo(page, 'Decide later');
      await page.keyboard.press('ArrowDown');
      expect(await page.locator('input[type=radio]:checked').getAttribute('value')).toBe(
        'or-2026-11-03-general/senate-4/smith',
      );
      await follow(page, 'Save');
      await follow(page, 'Preview');
      await follow(page, 'Publish');
      const [first, second] = await stream.wait('endorsement', 2);
      expect(first?.data).toMatchObject({ endorsement: { statement: 'Decidió bien, «siempre».' } });
      expect(second?.data).toMatchObject({ choice: { label: 'Robert J. Smith' } });
      expect(await page.locator('.notice').textContent()).toBe('It is done: readers and the stream have it.');
      await page.getByText('3 of 3 submissions are sent.').waitFor();
      expect(await page.locator('main a[href*="/receipts/"]').count()).toBe(1);
      const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      expect(await page.evaluate<boolean>(isWide)).toBe(false);
      // The way back leads to the receipt, since the preview is over.
      await page.goBack();
      await page.getByText('3 of 3 submissions are sent.').waitFor();
      await follow(page, 'Undo this upload');
      await page.getByText('3 positions get back what stood before the upload.').waitFor();
      expect(await page.evaluate<boolean>(isWide)).toBe(false);
      await follow(page, 'Undo this upload');
      expect(await page.locator('.notice').textContent()).toBe('It is done: readers and the stream have it.');
      const made = await stream.wait('endorsement', 6);
      expect(made.slice(3).map(({ data }) => data)).toEqual(
        Array.from({ length: 3 }, () => expect.objectContaining({ type: 'endorsement.deleted' })),
      );
      await page.context().close();
    } finally {
      stream.close();
    }
  },
  90_000,
);
