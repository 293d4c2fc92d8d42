/** Names that run from right to left, or contain characters that change the direction of the text around them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Browser } from 'playwright-core';
import { html, renderDocument } from '../../../gateway/console/html.ts';
import { closeIsolates, isolateName } from '../../../gateway/console/isolation.ts';
import { hasChromium, startChromium } from '../../helpers/browser/chromium.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
const SKIPPED = hasChromium ? '' : ' (skipped: chromium not installed)';
/** It reverses everything after it, and ends an isolate around it. */
const TURNING = 'evil\u2069\u202egnp';
const HEBREW = 'שלום';

const shown = (content: unknown): string =>
  renderDocument(html`<p>${content} · owner</p>`).replace(/[\s\S]*<p>|<\/p>[\s\S]*/g, '');

test.each([
  ['Ann', 'Ann · owner'],
  ['Łódź “a”', 'Łódź “a” · owner'],
  [HEBREW, `<bdi>${HEBREW}</bdi> · owner`],
  ['a\u202eb', '<bdi>a\u202eb</bdi> · owner'],
  [['a', '\u202eb'], 'a<bdi>\u202eb</bdi> · owner'],
  [TURNING, '<bdi>evil\u202egnp</bdi> · owner'],
  ['\u2067a', '<bdi>\u2067a\u2069</bdi> · owner'],
])('%j stays in its place', (content, markup) => {
  expect(shown(content)).toBe(markup);
});

test('code, options and attributes stay as entered', () => {
  for (const markup of [
    html`<code>${TURNING}</code>`,
    html`<option>${TURNING}</option>`,
    html`<input value=${TURNING} />`,
  ]) {
    expect(renderDocument(markup)).toContain(TURNING);
  }
});

test('a name in a sentence closes exactly the isolates that it opens', () => {
  const marks = fc.array(fc.constantFrom('a', '\u2066', '\u2067', '\u2068', '\u2069', '\u202e'));
  fc.assert(
    fc.property(marks, (characters) => {
      let depth = 0;
      for (const character of closeIsolates(characters.join(''))) {
        depth += /[\u2066-\u2068]/.test(character) ? 1 : character === '\u2069' ? -1 : 0;
        expect(depth).toBeGreaterThanOrEqual(0);
      }
      expect(depth).toBe(0);
    }),
  );
  expect(isolateName('Ann')).toBe('Ann');
  expect(isolateName(HEBREW)).toBe(`\u2068${HEBREW}\u2069`);
});

(hasChromium ? describe : describe.skip)(`in Chromium${SKIPPED}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  test('the text after a name reads from left to right', async () => {
    const account = `${TURNING} ${Math.random()}`;
    await service.createKey(account, 'internal');
    const client = await ConsoleClient.signIn(service, { account, person: TURNING });
    await client.post('/console/subscriptions', { name: TURNING });
    const context = await browser.newContext();
    const value = client.cookie('bes_session');
    await context.addCookies([{ name: 'bes_session', value, url: `${service.url('')}/console` }]);
    const page = await context.newPage();
    const runsForwards = (words: string) =>
      page.evaluate<boolean>(`(() => {
        const words = ${JSON.stringify(words)};
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const at = node.data.indexOf(words);
          if (at < 0) continue;
          const leftOf = (offset) => {
            const range = document.createRange();
            range.setStart(node, offset);
            range.setEnd(node, offset + 1);
            return range.getBoundingClientRect().left;
          };
          return leftOf(at) < leftOf(at + words.length - 1);
        }
        throw new Error('The page has no text ' + words);
      })()`);
    await page.goto(`${service.url('')}/console/subscriptions`);
    expect(await runsForwards('owner')).toBe(true);
    expect(await runsForwards('id ')).toBe(true);
    await page.goto(`${service.url('')}/console/account`);
    expect(await runsForwards('on the plan')).toBe(true);
    await context.close();
  });
});
