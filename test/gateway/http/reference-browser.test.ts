/** The reference at /docs in a real Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import {
  findAccessibilityProblems,
  hasChromium,
  startChromium,
  TWO_LOOKS,
} from '../../helpers/browser/chromium.ts';
import { useTestService } from '../../helpers/service/service.ts';

const SKIPPED = hasChromium ? '' : ' (skipped: chromium not installed)';
const service = useTestService();
let browser: Browser | undefined;

beforeAll(async () => {
  if (hasChromium) browser = await startChromium();
});
afterAll(() => browser?.close());

(hasChromium ? test.each(TWO_LOOKS) : test.skip.each(TWO_LOOKS))(
  `axe finds nothing on it, with an operation open: $name${SKIPPED}`,
  async ({ width, height, theme }) => {
    const context = await browser?.newContext({ viewport: { width, height }, colorScheme: theme });
    if (!context) throw new Error('Chromium has not started.');
    const page = await context.newPage();
    await page.goto(service.url('/docs'));
    await page.locator('#operations-Endorsements-listEndorsements .opblock-summary-control').click();
    await page.locator('.opblock-body').first().waitFor();
    expect((await findAccessibilityProblems(page)).map((each) => each.slice(0, 1500))).toEqual([]);
    await context.close();
  },
  60_000,
);
