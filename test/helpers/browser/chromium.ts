import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findProgram } from '../servers/find-program.ts';

/** The widths and themes of a page to test. */
export const LOOKS = [
  { name: 'phone-light', width: 390, height: 844, theme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, theme: 'dark' },
  { name: 'wide-light', width: 1440, height: 900, theme: 'light' },
  { name: 'wide-dark', width: 1440, height: 900, theme: 'dark' },
] as const;

/** Both widths and both themes, in two combinations. */
const TWO_LOOKS = LOOKS.filter(({ name }) => name === 'phone-light' || name === 'wide-dark');

/** Whether Debian's Chromium is installed. */
export const hasChromium = findProgram('chromium') !== null;

/**
 * Starts a headless Chromium; the test closes it.
 *
 * @param debuggingPort a free port, for `openWindow`
 */
export async function startChromium(debuggingPort?: number): Promise<Browser> {
  const executablePath = findProgram('chromium');
  if (executablePath === null) throw new Error('chromium is not installed.');
  // Chromium's sandbox refuses to run as root, and the pages are the tests' own.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  if (debuggingPort !== undefined) args.push(`--remote-debugging-port=${debuggingPort}`);
  return chromium.launch({ executablePath, args });
}

/**
 * The window of a Chromium with this debugging port. It shows one tab at a time, as a person's window does; of the
 * contexts that Playwright makes, all tabs count as shown.
 */
export async function openWindow(debuggingPort: number): Promise<BrowserContext> {
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${debuggingPort}`, { noDefaults: true });
  const [context] = browser.contexts();
  if (!context) throw new Error('Chromium has no window.');
  return context;
}

interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string }[] }[];
}

/** The problems that axe finds on a page as it is, a line each. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  // Evaluated from outside, because the pages' policy blocks foreign scripts.
  await page.evaluate(axe.source);
  return runAxe(page);
}

/** The problems that axe finds on a page in two looks, a line each. Axe is loaded once, which takes longer than it runs. */
export async function findProblemsInLooks(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const problems: string[] = [];
  for (const { name, width, height, theme } of TWO_LOOKS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme });
    problems.push(...(await runAxe(page)).map((problem) => `${name}: ${problem}`));
  }
  return problems;
}

async function runAxe(page: Page): Promise<string[]> {
  // Without "resultTypes", axe also describes every element that is right, which takes longer than finding the others.
  const run = `axe.run({ resultTypes: ['violations'] })`;
  const { violations } = await page.evaluate<AxeResults>(run);
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`,
  );
}
