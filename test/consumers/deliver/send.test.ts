import dgram from 'node:dgram';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createSender, type Sender, type SenderOptions } from '../../../consumers/deliver/send.ts';
import { TestAuthority } from '../../helpers/servers/certificates.ts';
import { listen } from '../../helpers/servers/listen.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { Receiver } from '../../helpers/webhooks/receiver.ts';

const never = new AbortController().signal;
const HEADERS = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };
const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n';
const BODY = Buffer.from('{"type":"webhook.test"}');

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

function senderWith(options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({ allowPrivate: true, proxy: null, timeoutMs: 1000, ...options });
  closing.push(() => sender.close());
  return sender;
}

const sendWith = (sender: Sender, url: string, signal: AbortSignal = never) =>
  sender.send({ url, headers: HEADERS, body: BODY, signal });

async function startReceiver(answering?: Parameters<typeof Receiver.start>[0]): Promise<Receiver> {
  const receiver = await Receiver.start(answering);
  closing.push(() => receiver.stop());
  return receiver;
}

/** A server that answers every connection with these bytes. */
async function startRaw(
  answer: (socket: net.Socket) => void,
): Promise<{ url: string; connections: () => number }> {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  const port = await listen(server);
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return {
    url: `http://127.0.0.1:${port}/`,
    connections: () => connections,
  };
}

/** A server of names that answers look-ups with these addresses, and others with "no such name". @returns its address */
async function startNameServer(answers: Record<string, string[][]>): Promise<string> {
  const asked = new Map<string, number>();
  const server = dgram.createSocket('udp4', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const name = labels.join('.').toLowerCase();
    const type = query.readUInt16BE(at + 1);
    const key = `${name} ${type}`;
    const lookUp = asked.get(key) ?? 0;
    asked.set(key, lookUp + 1);
    const known = answers[name];
    const records = (known?.[Math.min(lookUp, known.length - 1)] ?? [])
      .filter((text) => net.isIPv6(text) === (type === AAAA))
      .map((text) => {
        const data = type === AAAA ? sixteenBytesOf(text) : Buffer.from(text.split('.').map(Number));
        // The name of the question, the type, the class, no time to live, and the address.
        return Buffer.concat([Buffer.of(0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length), data]);
      });
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    for (const [offset, count] of [
      [6, records.length],
      [8, 0],
      [10, 0],
    ] as const) {
      head.writeUInt16BE(count, offset);
    }
    server.send(Buffer.concat([head, query.subarray(12, at + 5), ...records]), port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `127.0.0.1:${server.address().port}`;
}

const AAAA = 28;
/** The bytes of `::1`, or of an IPv4 address in IPv6. */
function sixteenBytesOf(text: string): Buffer {
  const bytes = Buffer.alloc(16);
  if (text === '::1') bytes[15] = 1;
  else bytes.set([0xff, 0xff, ...(text.split(':').at(-1) ?? '').split('.').map(Number)], 10);
  return bytes;
}

describe('an answer', () => {
  test.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [302, 'redirected'],
    [308, 'redirected'],
    [400, 'refused'],
    [410, 'gone'],
    [429, 'refused'],
    [500, 'refused'],
  ])('of the status %d means "%s"', async (status, outcome) => {
    const receiver = await startReceiver(
      (response) => void response.writeHead(status, { 'Retry-After': '7' }).end(),
    );
    expect(await sendWith(senderWith(), receiver.url)).toEqual({
      outcome,
      status,
      retryAfterMs: 7000,
      answer: '',
    });
  });

  test('has a date to wait for by the clock of the receiver, which may be wrong', async () => {
    const headers = {
      Date: 'Tue, 03 Nov 2099 11:00:00 GMT',
      'Retry-After': 'Tue, 03 Nov 2099 11:01:00 GMT',
    };
    const receiver = await startReceiver((response) => void response.writeHead(503, headers).end());
    expect(await sendWith(senderWith(), receiver.url)).toMatchObject({ retryAfterMs: 60_000 });
  });

  test('is kept for people up to 1024 bytes, as text that the database takes', async () => {
    const receiver = await startReceiver((response) => void response.end(`\0\xff${'a'.repeat(3000)}`));
    const { answer, outcome } = await sendWith(senderWith(), receiver.url);
    expect([outcome, answer.slice(0, 3), answer.length <= 1024]).toEqual(['delivered', '\ufffdÿa', true]);
  });

  test.each([
    [
      'too large',
      (socket: net.Socket) =>
        void socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${'a'.repeat(70_000)}`),
      200,
    ],
    [
      'cut',
      (socket: net.Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'),
      200,
    ],
    [
      'with a chunk that is not one',
      (socket: net.Socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
      200,
    ],
    ['that is no HTTP', (socket: net.Socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'), null],
    [
      'with headers without end',
      (socket: net.Socket) => void socket.end(`HTTP/1.1 200 OK\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`),
      null,
    ],
    [
      'after interim answers without end',
      (socket: net.Socket) => void socket.end(`${INTERIM.repeat(1000)}HTTP/1.1 204 No Content\r\n\r\n`),
      null,
    ],
    [
      'that asks for another protocol',
      (socket: net.Socket) =>
        void socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
        ),
      101,
    ],
  ])('%s is broken', async (_, answer, status) => {
    const { url } = await startRaw(answer);
    expect(await sendWith(senderWith(), url)).toMatchObject({ outcome: 'answer_broken', status });
  });

  test('may come after some interim answers', async () => {
    const answer = `${INTERIM.repeat(10)}HTTP/1.1 204 No Content\r\n\r\n`;
    const { url } = await startRaw((socket) => void socket.end(answer));
    expect(await sendWith(senderWith(), url)).toMatchObject({ outcome: 'delivered', status: 204 });
  });

  test('that comes too late, or whose end does, counts as none', async () => {
    const silent = await startReceiver(() => {});
    expect(await sendWith(senderWith({ timeoutMs: 200 }), silent.url)).toMatchObject({
      outcome: 'timed_out',
      status: null,
    });
    const endless = await startReceiver((response) => void response.writeHead(200).write('a'));
    expect(await sendWith(senderWith({ timeoutMs: 200 }), endless.url)).toMatchObject({
      outcome: 'timed_out',
      status: 200,
    });
    const withoutLength = await startRaw((socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\na'));
    expect(await sendWith(senderWith({ timeoutMs: 200 }), withoutLength.url)).toMatchObject({
      outcome: 'timed_out',
      status: 200,
    });
  });

  test.each([
    ['that is cut', (socket: net.Socket) => void socket.end()],
    ['whose end comes too late', () => {}],
  ])('%s says how long to wait all the same', async (_, end) => {
    const { url } = await startRaw((socket) => {
      socket.write('HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 9\r\n\r\nhalf');
      end(socket);
    });
    expect(await sendWith(senderWith({ timeoutMs: 200 }), url)).toMatchObject({
      status: 503,
      retryAfterMs: 7000,
    });
  });

  test.each([
    ['is cut', (socket: net.Socket) => void socket.end('half')],
    ['is too long', (socket: net.Socket) => void socket.end('a'.repeat(70_000))],
    ['never ends', () => {}],
  ])('with 410 ends the webhook, even if its text %s', async (_, end) => {
    const { url } = await startRaw((socket) => {
      socket.write('HTTP/1.1 410 Gone\r\nContent-Length: 80000\r\n\r\n');
      end(socket);
    });
    expect(await sendWith(senderWith({ timeoutMs: 200 }), url)).toMatchObject({
      outcome: 'gone',
      status: 410,
    });
  });

  test('of a redirect is not followed', async () => {
    const target = await startReceiver();
    const receiver = await startReceiver(
      (response) => void response.writeHead(307, { Location: target.url, 'Set-Cookie': 'a=b' }).end(),
    );
    const sender = senderWith();
    expect((await sendWith(sender, receiver.url)).outcome).toBe('redirected');
    await sendWith(sender, receiver.url);
    expect(target.messages).toHaveLength(0);
    expect(receiver.messages[1]?.headers).not.toHaveProperty('cookie');
  });
});

describe('a connection', () => {
  test('is used again, and a receiver that has just ended it gets the message by another one', async () => {
    const sockets = new Set<net.Socket>();
    const receiver = await startReceiver((response) => {
      sockets.add(response.socket as net.Socket);
      response.writeHead(204).end();
    });
    const sender = senderWith();
    for (let count = 0; count < 3; count += 1) await sendWith(sender, receiver.url);
    expect(sockets.size).toBe(1);
    let connections = 0;
    const { url } = await startRaw((socket) => {
      connections += 1;
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      socket.once('data', () => socket.resetAndDestroy());
    });
    expect((await sendWith(sender, url)).outcome).toBe('delivered');
    expect((await sendWith(sender, url)).outcome).toBe('delivered');
    expect(connections).toBe(2);
  });

  test('ends if the receiver answers without reading the message', async () => {
    const taken = Promise.withResolvers<number>();
    let receiving: net.Socket | undefined;
    const { url } = await startRaw((socket) => {
      receiving = socket.pause();
      socket.once('close', () => taken.resolve(socket.bytesRead));
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
    const body = Buffer.alloc(64 * 1024 * 1024);
    const { outcome } = await senderWith().send({ url, headers: HEADERS, body, signal: never });
    receiving?.resume();
    expect(outcome).toBe('delivered');
    expect(await taken.promise).toBeLessThan(body.length);
  });

  test('that cannot be made, or is reset when it is new, is reported and not tried again', async () => {
    const receiver = await Receiver.start();
    const { url } = receiver;
    await receiver.stop();
    expect(await sendWith(senderWith(), url)).toMatchObject({ outcome: 'unreachable', status: null });
    const resolve = async () => {
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    };
    expect((await sendWith(senderWith({ resolve }), 'http://nowhere.example/')).outcome).toBe('unreachable');
    const resetting = await startRaw((socket) => void socket.resetAndDestroy());
    expect((await sendWith(senderWith(), resetting.url)).outcome).toBe('unreachable');
    expect(resetting.connections()).toBe(1);
  });

  test('ends with its signal', async () => {
    const receiver = await startReceiver(() => {});
    const stopping = new AbortController();
    const sending = sendWith(senderWith({ timeoutMs: 60_000 }), receiver.url, stopping.signal);
    stopping.abort(new Error('lost'));
    await expect(sending).rejects.toThrow('lost');
  });
});

describe('a private address', () => {
  const guarded = (addresses: string[][]) => {
    let asked = 0;
    const resolve = async () => addresses[Math.min(asked++, addresses.length - 1)] ?? [];
    const sender = senderWith({ allowPrivate: false, resolve, timeoutMs: 500 });
    return { sender, asked: () => asked };
  };

  test.each([
    ['loopback', ['127.0.0.1']],
    ['this host', ['0.0.0.0']],
    ['loopback in IPv6', ['::1']],
    ['IPv4 in IPv6', ['::ffff:127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['6to4', ['2002:7f00:1::']],
    ['a private network', ['10.0.0.1', '192.168.0.1', '172.16.3.4']],
    ['carrier-grade NAT', ['100.64.0.1']],
    ['metadata', ['169.254.169.254']],
    ['multicast', ['224.0.0.1']],
    ['nothing', []],
  ])('of a name that leads to %s is never connected to', async (_, addresses) => {
    const receiver = await startReceiver();
    const { sender } = guarded([addresses]);
    const url = `http://rebound.example:${receiver.port}/`;
    expect((await sendWith(sender, url)).outcome).toBe('address_refused');
    expect(receiver.server.connections ?? 0).toBe(0);
    expect(receiver.messages).toHaveLength(0);
  });

  test.each([
    ...['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '0', '127.1', '127.0.0.1.', '0x7f000001.'],
    ...['[::1]', '[::ffff:127.0.0.1]', '[::]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', 'user:word@127.0.0.1'],
  ])('written as %s is never connected to, though nothing is looked up', async (host) => {
    const receiver = await startReceiver();
    const { sender, asked } = guarded([['8.8.8.8']]);
    expect((await sendWith(sender, `http://${host}:${receiver.port}/`)).outcome).toBe('address_refused');
    expect([receiver.messages.length, asked()]).toEqual([0, 0]);
  });

  test('of a name that was public before is not connected to: each connection is checked with its own look-up', async () => {
    const receiver = await startReceiver();
    // TEST-NET addresses are not public either, so the first answer is a public one that does not answer.
    const { sender, asked } = guarded([['192.88.98.1'], ['127.0.0.1']]);
    const url = `http://rebound.example:${receiver.port}/`;
    expect(['timed_out', 'unreachable']).toContain((await sendWith(sender, url)).outcome);
    expect((await sendWith(sender, url)).outcome).toBe('address_refused');
    expect([receiver.messages.length, asked()]).toEqual([0, 2]);
  });

  test('is asked for by every connection, also for a name that ends with a dot', async () => {
    const receiver = await startReceiver();
    const { sender, asked } = guarded([['127.0.0.1']]);
    for (const host of ['rebound.example.', 'localhost.', 'rebound.example.']) {
      expect((await sendWith(sender, `http://${host}:${receiver.port}/`)).outcome).toBe('address_refused');
    }
    expect([receiver.messages.length, asked()]).toEqual([0, 3]);
  });

  test('to which a public receiver redirects gets nothing', async () => {
    const target = await startReceiver();
    const receiver = await startReceiver(
      (response) => void response.writeHead(308, { Location: `http://127.0.0.1:${target.port}/` }).end(),
    );
    expect((await sendWith(senderWith(), receiver.url)).outcome).toBe('redirected');
    expect([receiver.messages.length, target.messages.length]).toEqual([1, 0]);
  });

  test('beside a public one is left out, however many there are', async () => {
    const receiver = await startReceiver();
    const { sender } = guarded([['127.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.3', '192.88.98.1']]);
    const { outcome } = await sendWith(sender, `http://rebound.example:${receiver.port}/`);
    expect(['timed_out', 'unreachable']).toContain(outcome);
    expect(receiver.messages).toHaveLength(0);
  });
});

describe('by https', () => {
  const inFolder = useFolder();

  test('a message goes to the host that the certificate names, from an authority that is trusted', async () => {
    const authority = await TestAuthority.create(path.dirname(inFolder('x')), 'authority');
    const issued = await authority.issue({
      name: 'receiver',
      hosts: ['DNS:hooks.example.org', 'IP:127.0.0.1'],
    });
    const [cert, key, ca] = await Promise.all(
      [issued.cert, issued.key, authority.ca].map((file) => readFile(file, 'utf8')),
    );
    const server = https.createServer(
      { cert, key },
      (_request, response) => void response.writeHead(204).end(),
    );
    const port = await listen(server);
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    let connections = 0;
    server.on('secureConnection', () => {
      connections += 1;
    });
    // The times in which connections must be made end while these are kept.
    const limits: AbortController[] = [];
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const limit = new AbortController();
      limits.push(limit);
      return limit.signal;
    });
    closing.push(() => timeout.mockRestore());
    const trusting = senderWith({ ca: ca as string, resolve: async () => ['127.0.0.1'] });
    for (const host of ['hooks.example.org', '127.0.0.1']) {
      for (let count = 0; count < 2; count += 1) {
        expect((await sendWith(trusting, `https://${host}:${port}/`)).outcome).toBe('delivered');
        for (const limit of limits) limit.abort();
      }
    }
    expect(connections).toBe(2);
    expect((await sendWith(trusting, `https://other.example.org:${port}/`)).outcome).toBe('unreachable');
    const other = senderWith({ resolve: async () => ['127.0.0.1'] });
    expect((await sendWith(other, `https://hooks.example.org:${port}/`)).outcome).toBe('unreachable');
  });
});

describe('a proxy', () => {
  async function startProxy(refuse = false) {
    const asked: string[] = [];
    const proxy = http.createServer((_request, response) => void response.writeHead(405).end());
    proxy.on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      if (refuse) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      const target = net.connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      target.on('error', () => socket.destroy());
      socket.on('error', () => target.destroy());
    });
    const port = await listen(proxy);
    closing.push(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    return { url: new URL(`http://127.0.0.1:${port}`), asked };
  }

  test('gets the checked address, and looks nothing up', async () => {
    const receiver = await startReceiver();
    const { url: proxy, asked } = await startProxy();
    const resolve = async () => ['127.0.0.1', '8.8.8.8'];
    const sender = senderWith({ allowPrivate: false, proxy, resolve });
    const { outcome } = await sendWith(sender, `http://hooks.example.org:${receiver.port}/`);
    expect([outcome, asked]).toEqual(['delivered', [`8.8.8.8:${receiver.port}`]]);
    expect(receiver.messages[0]?.headers.host).toBe(`hooks.example.org:${receiver.port}`);
    const refused = await sendWith(sender, `http://127.0.0.1:${receiver.port}/`);
    expect([refused.outcome, asked.length]).toEqual(['address_refused', 1]);
  });

  test('is not asked for a private address to which a server of names leads, also if it led elsewhere before', async () => {
    const receiver = await startReceiver((response) => {
      response.writeHead(204, { Connection: 'close' }).end();
    });
    const { url: proxy, asked } = await startProxy();
    const answers: Record<string, string[][]> = {
      // The first answers are to the first look-up, and the last ones to all others.
      'rebound.example': [['8.8.8.8'], ['127.0.0.1']],
      'inside.example': [['10.0.0.1', '::1']],
      'six.example': [['::ffff:127.0.0.1']],
    };
    const nameServers = [await startNameServer(answers)];
    const sender = senderWith({ allowPrivate: false, proxy, nameServers });
    const send = async (host: string) => (await sendWith(sender, `http://${host}:${receiver.port}/`)).outcome;
    expect(await send('rebound.example')).toBe('delivered');
    expect(await send('rebound.example')).toBe('address_refused');
    expect(await send('inside.example')).toBe('address_refused');
    expect(await send('six.example')).toBe('address_refused');
    expect(await send('nowhere.example')).toBe('unreachable');
    // The names that only this machine knows lead nowhere.
    expect(await send('localhost')).toBe('unreachable');
    expect([receiver.messages.length, asked]).toEqual([1, [`8.8.8.8:${receiver.port}`]]);
  });

  test('that refuses makes the receiver unreachable', async () => {
    const { url: proxy } = await startProxy(true);
    const sender = senderWith({ proxy });
    expect((await sendWith(sender, 'http://127.0.0.1:9/')).outcome).toBe('unreachable');
  });
});

test('a message is sent once more if the receiver ends a kept connection that it comes by, and not a third time', async () => {
  let answered = 0;
  const held: http.ServerResponse[] = [];
  const receiver = await startReceiver((response) => {
    answered += 1;
    if (answered > 3) return void response.socket?.resetAndDestroy();
    held.push(response);
    if (held.length === 3) for (const each of held) each.writeHead(204).end();
  });
  const sender = senderWith();
  const first = await Promise.all([1, 2, 3].map(() => sendWith(sender, receiver.url)));
  expect(first.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered', 'delivered']);
  expect((await sendWith(sender, receiver.url)).outcome).toBe('unreachable');
  expect(receiver.messages).toHaveLength(5);
});
