/** The TypeScript client in a browser: on a site that adds the key, as its README says. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http, { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { hasChromium, startChromium } from '../../helpers/browser/chromium.ts';
import { testInBrowser } from '../../helpers/browser/use-chromium.ts';
import { type ClientInstallation, installClient } from '../../helpers/clients/client-package.ts';
import { EVERY_METHOD, EVERY_RESULT } from '../../helpers/clients/client-program.ts';
import { TestService } from '../../helpers/service/service.ts';

const PAGE = `<!doctype html>
<script type="importmap">{"imports": {"ballot-endorsements": "/client/dist/index.js"}}</script>
<script type="module" src="/program.js"></script>`;
/** The program reads its settings from the page. The site adds keys. */
const SETTINGS = "globalThis.environment = { BASE_URL: '/ballot' };\n";

let service: TestService;
let installation: ClientInstallation;
let browser: Browser;
const site = createServer(async (request, response) => {
  const url = request.url ?? '';
  if (url.startsWith('/ballot/')) {
    const headers = { ...request.headers, authorization: `Bearer ${service.key}` };
    const onward = http.request(service.url(url.slice('/ballot'.length)), {
      method: request.method,
      headers,
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  } else if (url.endsWith('.js')) {
    const file = path.join(
      installation.folder,
      'node_modules/ballot-endorsements',
      url.slice('/client'.length),
    );
    const script = url === '/program.js' ? SETTINGS + EVERY_METHOD : await readFile(file, 'utf8');
    response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script);
  } else {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE);
  }
});

beforeAll(async () => {
  if (!hasChromium) return;
  [service, installation, browser] = await Promise.all([
    TestService.start(),
    installClient(),
    startChromium(),
  ]);
  await service.submit([
    endorse('bakers-local-1', 'council', 'ann'),
    endorse('coast-gazette', 'prop-1', 'yes'),
  ]);
  await service.eventsOnceThereAre(2);
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
});
afterAll(async () => {
  if (!hasChromium) return;
  await browser.close();
  site.close();
  site.closeAllConnections();
  await service.stop();
  await installation.remove();
});

testInBrowser('every operation works in Chromium, without a key in the page', async () => {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  const reported = new Promise<string>((resolve) => page.exposeFunction('report', resolve));
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  const failed = page.waitForEvent('pageerror').then((error) => JSON.stringify(String(error)));
  expect(JSON.parse(await Promise.race([reported, failed]))).toMatchObject(EVERY_RESULT);
  expect(errors).toEqual([]);
});
