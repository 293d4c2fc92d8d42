import { afterAll, beforeAll, test } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { hasChromium, startChromium } from './chromium.ts';

/** A test in a browser. It is skipped on a machine without Chromium, and its name then says so. */
export function testInBrowser(name: string, run: () => Promise<void>, timeoutMs?: number): void {
  if (hasChromium) test(name, run, timeoutMs);
  else test.skip(`${name} (skipped: chromium not installed)`, run);
}

/** Gives a test file a Chromium while its tests run, if it is installed. @returns opens a context in it */
export function useChromium(): (options?: BrowserContextOptions) => Promise<BrowserContext> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (hasChromium) browser = await startChromium();
  });
  afterAll(() => browser?.close());
  return async (options) => {
    if (!browser) throw new Error('Chromium has not started.');
    return browser.newContext(options);
  };
}
