/** The reference at /docs in a real Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findProblemsInLooks, hasChromium, startChromium } from '../../helpers/browser/chromium.ts';
import { useTestService } from '../../helpers/service/service.ts';

const SKIPPED = hasChromium ? '' : ' (skipped: chromium not installed)';
const service = useTestService();
let browser: Browser | undefined;

beforeAll(async () => {
  if (hasChromium) browser = await startChromium();
});
afterAll(() => browser?.close());

(hasChromium ? test : test.skip)(
  `axe finds nothing on it, with an operation open, on a phone in light and wide in dark${SKIPPED}`,
  async () => {
    const context = await browser?.newContext();
    if (!context) throw new Error('Chromium has not started.');
    const page = await context.newPage();
    await page.goto(service.url('/docs'));
    await page.locator('#operations-Endorsements-listEndorsements .opblock-summary-control').click();
    await page.locator('.opblock-body').first().waitFor();
    expect((await findProblemsInLooks(page)).map((each) => each.slice(0, 1500))).toEqual([]);
    await context.close();
  },
  60_000,
);
