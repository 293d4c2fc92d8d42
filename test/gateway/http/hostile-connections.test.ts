import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const HEADERS_MS = 600;
const REQUEST_MS = 1200;
/** How often a slow client sends a byte. */
const DRIP_MS = 50;
/** The interval at which the server checks its connections. */
const LATENESS_MS = 1000;

/** 50 MB, compressed to 50 KB. */
const PACKED_BODY = gzipSync(`{"name":"${' '.repeat(50_000_000)}"}`);

const service = useTestService({
  gatewayConfig: { headersTimeoutMs: HEADERS_MS, requestTimeoutMs: REQUEST_MS, streamHeartbeatMs: 100 },
});

function dial(): Socket {
  const socket = connect(service.gateways[0]?.port ?? 0, '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}

/** Resolves when the connection is closed or reset. */
function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/**
 * Sends a text on each connection repeatedly until the server closes it. One timer drives all of them, so that this process
 * is not busy itself.
 *
 * @returns how long the last connection lasted, in milliseconds.
 */
async function drip(sockets: readonly Socket[], head: string, endless: string): Promise<number> {
  const started = performance.now();
  let open = true;
  const allClosed = Promise.all(sockets.map(whenClosed)).then(() => {
    open = false;
  });
  for (const socket of sockets) {
    socket.resume();
    socket.write(head);
  }
  while (open) {
    for (const socket of sockets) if (socket.writable) socket.write(endless);
    await Promise.race([allClosed, sleep(DRIP_MS)]);
  }
  return performance.now() - started;
}

const post = (length: number) =>
  `POST /v1/subscriptions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** Enough for a median that one slow request does not move. */
const REQUESTS = 30;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

describe('a client that is too slow is disconnected', () => {
  test.each([
    ['headers', () => 'GET /v1/states HTTP/1.1\r\nHost: a\r\nX-Slow: ', 'x', HEADERS_MS],
    ['a body', () => post(100_000), ' ', REQUEST_MS],
    [
      'a chunked body',
      () => post(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked'),
      '1\r\n \r\n',
      REQUEST_MS,
    ],
    [
      'a body that no route reads',
      () => post(100_000).replace('POST /v1/subscriptions', 'GET /v1/states'),
      ' ',
      REQUEST_MS,
    ],
  ])('with %s', async (_, head, endless, timeoutMs) => {
    const ms = await drip([dial()], head(), endless);
    expect(ms).toBeGreaterThan(timeoutMs * 0.9);
    expect(ms).toBeLessThan(timeoutMs + LATENESS_MS + 1500);
  });

  test('with nothing at all', async () => {
    const socket = dial();
    await once(socket, 'connect');
    const started = performance.now();
    socket.resume();
    await whenClosed(socket);
    expect(performance.now() - started).toBeLessThan(HEADERS_MS + LATENESS_MS + 1500);
  });

  test('and 300 of them do not affect requests and open streams', async () => {
    const stream = await service.stream();
    await stream.wait('ready', 1);
    const times: number[] = [];
    const askOnce = async () => {
      const started = performance.now();
      expect((await service.get('/v1/states')).status).toBe(200);
      times.push(performance.now() - started);
    };
    while (times.length < REQUESTS) await askOnce();
    const otherwise = median(times.splice(0));
    // One wave of slow clients after the other.
    while (times.length < REQUESTS) {
      let over = false;
      const wave = drip(Array.from({ length: 300 }, dial), 'GET /v1/states HTTP/1.1\r\n', 'x').then(() => {
        over = true;
      });
      while (!over) await askOnce();
      await wave;
    }
    // Other work on the machine slows down both.
    expect(median(times)).toBeLessThan(250 + 5 * otherwise);
    // Much longer than a request may take.
    const pings = stream.comments.length;
    await until('the stream goes on', () => stream.comments.length >= pings + 30);
    expect(stream.ended).toBe(false);
    stream.close();
  });
});

describe('a request that is too large is refused', () => {
  async function answerTo(request: string): Promise<{ status: string; code: string }> {
    const socket = dial();
    socket.write(request);
    const [head = '', body = '{}'] = (await text(socket)).split('\r\n\r\n');
    // Node's parser refuses some of these requests itself.
    expect(head).toMatch(/^x-content-type-options: nosniff\r?$/im);
    return { status: head.split(' ')[1] ?? '', code: JSON.parse(body || '{}').error?.code };
  }
  const get = (path: string, headers = '') =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`;

  test('headers above 16 KB', async () => {
    const request = get('/v1/states', `X-Long: ${'x'.repeat(17_000)}\r\n`);
    expect(await answerTo(request)).toEqual({ status: '400', code: 'invalid_parameter' });
  });

  test.each([
    ['without a Host', 'GET /v1/states HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['with two Hosts', get('/v1/states', 'host: b\r\n')],
    [
      'with two Authorization headers',
      get('/v1/states', 'Authorization: Bearer x\r\nauthorization: Bearer y\r\n'),
    ],
    ['with two lengths', get('/v1/states', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n')],
  ])('a request %s', async (_, request) => {
    expect(await answerTo(request)).toEqual({ status: '400', code: 'invalid_parameter' });
  });

  test('two Last-Event-IDs, but equal ones are taken', async () => {
    const { body } = await service.get('/v1/events');
    const ask = (other: string) =>
      answerTo(
        get(
          '/v1/events',
          `Authorization: Bearer ${service.key}\r\nLast-Event-ID: ${body.next_cursor}\r\nlast-event-id: ${other}\r\n`,
        ),
      );
    expect(await ask('x')).toEqual({ status: '400', code: 'invalid_parameter' });
    expect(await ask(body.next_cursor)).toEqual({ status: '200', code: undefined });
  });

  test('a small body that decompresses to a large one', async () => {
    const response = await fetch(service.url('/v1/subscriptions'), {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.key}`,
        'Content-Type': 'application/json',
        'Content-Encoding': 'gzip',
      },
      body: PACKED_BODY,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'body_too_large' } });
  });
});

test('every answer has security headers for browsers', async () => {
  for (const path of ['/v1/states', '/v1/nowhere', '/healthz', '/openapi.json', '/docs']) {
    const { headers } = await fetch(service.url(path), {
      headers: { Authorization: `Bearer ${service.key}` },
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringMatching(/frame-ancestors 'none'/),
    });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});
