import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from '@jest/globals';
import { boundPipelining } from '../../../gateway/http/pipelining.ts';
import { listen } from '../../helpers/servers/listen.ts';
import { until } from '../../helpers/until.ts';

const server = createServer();
let handled: { url: string; answer: () => void }[] = [];

afterEach(() => {
  server.closeAllConnections();
  server.close();
  server.removeAllListeners('request');
  handled = [];
});

/** Listens with a bounded listener that answers when told. */
async function open(listener: RequestListener) {
  server.on('request', boundPipelining(listener));
  const socket = connect(await listen(server), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

const hold: RequestListener = (request, response: ServerResponse) => {
  handled.push({ url: request.url ?? '', answer: () => response.end(`${request.url};`) });
};
const requests = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `GET /${from + index} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
const last = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

test('INV-15: the requests of a connection are handled one after the other, and answered in order', async () => {
  const socket = await open(hold);
  const received = text(socket);
  socket.write(requests(10) + last);
  for (let index = 0; index < 11; index += 1) {
    await until('the next request', () => handled.length > index);
    expect(handled).toHaveLength(index + 1);
    handled[index]?.answer();
  }
  const urls = (await received).match(/\/\w+;/g);
  expect(urls).toEqual([...Array.from({ length: 10 }, (_, index) => `/${index};`), '/last;']);
});

test('INV-15: a connection with 64 unanswered requests ends, and no more of them are handled', async () => {
  const socket = await open(hold);
  socket.resume();
  const closed = once(socket, 'close');
  socket.write(requests(1500));
  await closed;
  expect(handled.map(({ url }) => url)).toEqual(['/0']);
});

test('INV-15: a connection with 63 is served', async () => {
  const socket = await open((request, response) => response.end(`${request.url};`));
  const received = text(socket);
  socket.write(requests(62) + last);
  expect((await received).match(/\/\w+;/g)).toHaveLength(63);
});

test('INV-15: a connection is not read while 16 requests wait, and is read again afterwards', async () => {
  const connected = once(server, 'connection');
  const socket = await open(hold);
  const [connection] = (await connected) as [Socket];
  const received = text(socket);
  socket.write(requests(15));
  await until('the first is handled', () => handled.length === 1);
  expect(connection.isPaused()).toBe(false);
  socket.write(requests(1, 15));
  await until('the connection is paused', () => connection.isPaused());
  socket.write(requests(30, 16) + last);
  for (let index = 0; index < 47; index += 1) {
    await until(`request ${index}`, () => handled.length > index);
    handled[index]?.answer();
  }
  expect((await received).match(/\/\w+;/g)).toHaveLength(47);
});
