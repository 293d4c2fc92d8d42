import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { SharedBytes } from '../../../feed/shared-bytes.ts';
import { EventOutput } from '../../../gateway/wire/event-output.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts a server that answers `/stream` with two shared pieces and a text of its own, and other paths when told. */
async function serve({ gzip }: { gzip: boolean }) {
  const shared = [new SharedBytes(Buffer.from('one, ')), new SharedBytes(Buffer.from('two, '))];
  const others: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    if (request.url !== '/stream') return void others.push(response);
    if (gzip) response.setHeader('Content-Encoding', 'gzip');
    const output = await EventOutput.open(response, { gzip });
    for (const bytes of shared) output?.write(bytes);
    output?.writeText('three');
    output?.end();
  });
  return { ...(await listen(server)), shared, others };
}

async function listen(server: Server): Promise<{ port: number }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { port: (server.address() as AddressInfo).port };
}

/** Sends a raw request. Returns everything until the server or `done` ends the connection. */
async function exchange(port: number, text: string, done = (_: Buffer) => false): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  closing.push(() => socket.destroy());
  socket.write(text);
  let received = Buffer.alloc(0);
  for await (const bytes of socket) {
    received = Buffer.concat([received, bytes as Buffer]);
    if (done(received)) break;
  }
  return received;
}

const bodyOf = (message: Buffer) => message.subarray(message.indexOf('\r\n\r\n') + 4);

describe.each([false, true])('a stream, with gzip %p', (gzip) => {
  test('is a whole message to an HTTP client, which can use the connection again', async () => {
    const { port } = await serve({ gzip });
    for (let turn = 0; turn < 2; turn += 1) {
      const response = await fetch(`http://127.0.0.1:${port}/stream`);
      expect(response.headers.get('content-encoding')).toBe(gzip ? 'gzip' : null);
      expect(await response.text()).toBe('one, two, three');
    }
  });

  test('has no chunks for a client of HTTP/1.0', async () => {
    const { port } = await serve({ gzip });
    const body = bodyOf(await exchange(port, 'GET /stream HTTP/1.0\r\n\r\n'));
    expect((gzip ? gunzipSync(body) : body).toString()).toBe('one, two, three');
  });

  test('waits for the previous answer on the same connection', async () => {
    const { port, others } = await serve({ gzip });
    const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;
    const received = exchange(port, request('/other') + request('/stream'), (all) =>
      all.includes('\r\n0\r\n\r\n'),
    );
    while (others.length === 0) await new Promise(setImmediate);
    others[0]?.setHeader('Content-Length', 5).end('first');
    const text = (await received).toString('latin1');
    expect(text.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
    expect(text.indexOf('first')).toBeLessThan(text.indexOf('Transfer-Encoding: chunked'));
  });

  test('ends without an error if the client has just disconnected', async () => {
    const errors: Error[] = [];
    const ended = Promise.withResolvers<void>();
    const server = createServer(async (_, response) => {
      response.on('error', (error) => errors.push(error));
      response.socket?.on('error', (error) => errors.push(error));
      const output = await EventOutput.open(response, { gzip });
      response.socket?.once('end', () => {
        // Node has ended the socket, which is not closed yet.
        expect(response.socket?.closed).toBe(false);
        expect(output?.write(new SharedBytes(Buffer.from('one, ')))).toBe(false);
        output?.end();
        response.once('close', ended.resolve);
      });
      output?.writeText('hello');
    });
    const { port } = await listen(server);
    const client = connect(port, '127.0.0.1').once('data', () => client.end());
    client.write('GET /stream HTTP/1.1\r\nHost: test\r\n\r\n');
    await ended.promise;
    expect(errors).toEqual([]);
  });
});

test('INV-11: connections of one form are given the same bytes, made once', async () => {
  const bytes = new SharedBytes(Buffer.from('a delivery'));
  for (const form of [
    { gzip: false, chunked: false },
    { gzip: false, chunked: true },
    { gzip: true, chunked: false },
    { gzip: true, chunked: true },
  ]) {
    expect(bytes.in(form)).toBe(bytes.in({ ...form }));
  }
});

test('a connection that closes before its turn gets no output', async () => {
  const response = Object.assign(new EventEmitter(), { flushHeaders() {}, socket: null, closed: false });
  const opening = EventOutput.open(response as unknown as ServerResponse, { gzip: false });
  response.emit('close');
  expect(await opening).toBeNull();
  expect(response.eventNames()).toEqual([]);
  response.closed = true;
  expect(await EventOutput.open(response as unknown as ServerResponse, { gzip: false })).toBeNull();
});
