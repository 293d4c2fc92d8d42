/**
 * The baseline of the fan-out: the plainest server of streams. It holds responses of `node:http`, and writes the
 * received bytes to each of them, in one write a turn.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const responses = new Set<ServerResponse>();
const server = createServer((_, response) => {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  response.socket?.setNoDelay(true);
  response.write('retry: 1000\n\nevent: ready\nid: 1\ndata: {}\n\n');
  responses.add(response);
  response.on('close', () => responses.delete(response));
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', (text: string) => {
  const bytes = Buffer.from(text);
  for (const response of responses) response.write(bytes);
});
