/** The reference at /docs in a real Chromium. */
import { expect } from '@jest/globals';
import { findProblemsInLooks } from '../../helpers/browser/chromium.ts';
import { testInBrowser, useChromium } from '../../helpers/browser/use-chromium.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
const newContext = useChromium();

testInBrowser(
  'axe finds nothing on it, with an operation open, on a phone in light and wide in dark',
  async () => {
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(service.url('/docs'));
    await page.locator('#operations-Endorsements-listEndorsements .opblock-summary-control').click();
    await page.locator('.opblock-body').first().waitFor();
    expect(await page.locator('tr[data-param-name=limit] input').inputValue()).toBe('3');
    expect((await findProblemsInLooks(page)).map((each) => each.slice(0, 1500))).toEqual([]);
    await context.close();
  },
);

testInBrowser('the stream cannot be tried out there, and leads to the page that shows it', async () => {
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(service.url('/docs'));
  const operation = page.locator('#operations-Changes-streamEvents');
  await operation.locator('.opblock-summary-control').click();
  const live = operation.getByRole('link', { name: 'Live', exact: true });
  expect(await live.getAttribute('href')).toBe('/console/live');
  expect(await operation.getByRole('button', { name: 'Execute' }).count()).toBe(0);
  await context.close();
});
