import diagnostics from 'node:diagnostics_channel';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, jest, test } from '@jest/globals';
import { EventOutput } from '../../../gateway/wire/event-output.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const STREAMS = 5;

const service = useTestService({ gatewayConfig: { streamLifetimeMs: 50 } });
afterEach(() => {
  jest.restoreAllMocks();
});

function readStream(agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${service.key}` };
    request(service.url('/v1/stream'), { agent, headers }, (response) => resolve(text(response)))
      .on('error', reject)
      .end();
  });
}

test('consecutive streams on one connection leave nothing behind on it', async () => {
  const sockets = new Set<Socket>();
  const note = (message: unknown) => sockets.add((message as { socket: Socket }).socket);
  diagnostics.subscribe('http.server.request.start', note);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let count = 0; count < STREAMS; count += 1) {
    expect(await readStream(agent)).toContain('"reason":"lifetime"');
  }
  agent.destroy();
  diagnostics.unsubscribe('http.server.request.start', note);
  const listeners = [...sockets].map((socket) => socket.listenerCount('timeout'));
  expect(listeners).toEqual([expect.any(Number)]);
  expect(listeners[0]).toBeLessThan(STREAMS);
});

test("a stream keeps neither the headers of its request nor Koa's listeners for its response", async () => {
  const open = jest.spyOn(EventOutput, 'open');
  const client = await service.stream();
  await client.wait('ready', 1);
  const [response] = open.mock.calls[0] ?? [];
  // Koa listens for this event, which responses do not have.
  expect(response?.listenerCount('end')).toBe(0);
  expect(response?.req.headers).toEqual({});
  expect(response?.req.rawHeaders).toEqual([]);
  client.close();
});

test('a stream requested on an old connection while the gateway stops is asked to reconnect', async () => {
  const ask = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
  const socket = connect(service.gateways[0]?.port ?? 0, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    received += part;
  });
  const { body } = await service.get('/v1/events');
  socket.write(ask(`/v1/events?wait=25&cursor=${body.next_cursor}`));
  // The gateway reads this before it answers the next request on another connection.
  await service.get('/v1/states');
  const stopped = service.gateways[0]?.stop();
  await until('the answer of the poll', () => received.includes('"next_cursor"'));
  received = '';
  socket.write(ask('/v1/stream'));
  await until('the end of the stream', () => received.includes('event: reconnect'));
  expect(received).toContain('"reason":"shutdown"');
  socket.destroy();
  await stopped;
  await service.startGateway(0);
});
