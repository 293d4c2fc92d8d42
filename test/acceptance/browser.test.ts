/** A browser's EventSource on a site that adds the key, as docs/streaming.md describes it. */
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { endorse } from '../helpers/ballots/submissions.ts';
import { startChromium } from '../helpers/browser/chromium.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { findProgram } from '../helpers/servers/find-program.ts';
import { type RunningProxy, startSite } from '../helpers/servers/proxies.ts';
import { TestService } from '../helpers/service/service.ts';
import { loadChangeLog } from '../helpers/stream/change-log.ts';
import { type Connection, type Frame, StreamChecker, sequenceOf } from '../helpers/stream/stream-checker.ts';
import { until } from '../helpers/until.ts';

const PAGE = 'browser-page.html';
/** Short, so that checkpoints come soon. */
const HEARTBEAT_MS = 400;
/** Only this endorser passes the filter; other changes appear only as checkpoints. */
const FILTER = { endorsers: ['nation-herald'] };

const missing = ['chromium', 'nginx'].filter((name) => findProgram(name) === null);
const there = missing.length === 0;
const testInBrowser = there ? test : test.skip;
const SKIPPED = there ? '' : ` (skipped: ${missing.join(' and ')} not installed)`;

let service: TestService;
let switchboard: TcpProxy;
let site: RunningProxy;
let browser: Browser;
let pages: string;
/** The page's report: everything it has received, in order. */
const frames: Frame[] = [];
const reports = createServer(async (request, response) => {
  frames.push((await json(request)) as Frame);
  response.end();
});
/** The number of changes. */
let changes = 0;

beforeAll(async () => {
  if (!there) return;
  service = await TestService.start({ gateways: 2, gatewayConfig: { streamHeartbeatMs: HEARTBEAT_MS } });
  switchboard = await TcpProxy.open(service.gateways[0]?.port ?? 0);
  pages = await mkdtemp(path.join(os.tmpdir(), 'ballot-site-'));
  // If root starts nginx, another user reads the folder.
  await chmod(pages, 0o755);
  await copyFile(path.resolve('test/acceptance', PAGE), path.join(pages, PAGE));
  site = await startSite({ pages, service: switchboard.address, key: service.key });
  reports.listen(0, '127.0.0.1');
  await once(reports, 'listening');
});
afterAll(async () => {
  if (!there) return;
  await browser?.close();
  reports.closeAllConnections();
  reports.close();
  await site?.stop();
  await switchboard?.close();
  await service?.stop();
  await rm(pages, { recursive: true, force: true });
});

/** One change that passes the filter, then one that does not. */
async function change(): Promise<void> {
  const statement = `After ${changes}.`;
  await service.submit([endorse('nation-herald', 'mayor', 'ann', { statement })]);
  await service.eventsOnceThereAre(changes + 1);
  await service.submit([endorse('coast-gazette', 'mayor', 'ann', { statement })]);
  changes += 2;
}

/** Waits until the page has received a cursor at the end of the stream. */
async function untilReported(): Promise<void> {
  const told = ({ event, id }: Frame) => event === 'checkpoint' && sequenceOf(id) === changes;
  await until(`the checkpoint at ${changes}`, () => frames.some(told));
}

/** The frames of each connection, which begins with `ready` and its cursor. */
function connections(): Connection[] {
  const starts = frames.flatMap(({ event }, index) => (event === 'ready' ? [index] : []));
  return starts.map((start, index) => {
    return { via: 'stream', after: null, frames: frames.slice(start, starts[index + 1]) };
  });
}

testInBrowser(
  `EventSource in Chromium gets every change once, through a cut and a stopping gateway${SKIPPED}`,
  async () => {
    await change();
    const { port } = reports.address() as AddressInfo;
    const stream = `/v1/stream?from=earliest&endorsers=${FILTER.endorsers}`;
    const query = new URLSearchParams({ stream, report: `http://127.0.0.1:${port}` });
    browser = await startChromium();
    await (await browser.newPage()).goto(`${site.address}/${PAGE}?${query}`);
    await untilReported();

    expect(switchboard.cut()).toBeGreaterThan(0);
    await change();
    await untilReported();
    expect(connections()).toHaveLength(2);

    switchboard.target = service.gateways[1]?.port ?? 0;
    await service.restartGateway(0);
    await service.untilReady();
    await change();
    await untilReported();
    expect(connections()).toHaveLength(3);

    // Without Last-Event-ID, a connection would begin as the URL says and repeat everything.
    const checker = new StreamChecker(await loadChangeLog(service.databaseUrl));
    const record = { name: 'Chromium', filter: FILTER, connections: connections(), upTo: changes };
    expect(checker.judge(record)).toEqual({ faults: [], events: changes / 2, repeats: 0 });
    const kinds = new Set(frames.map(({ event }) => event));
    expect(kinds).toEqual(new Set(['ready', 'endorsement', 'checkpoint', 'reconnect']));
  },
);
