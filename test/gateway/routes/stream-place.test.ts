import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { GatewayContext } from '../../../gateway/context.ts';
import { OpenStreams } from '../../../gateway/delivery/open-streams.ts';
import type { WatchedStream } from '../../../gateway/delivery/vanished-clients.ts';
import type { RawRequest } from '../../../gateway/http/route.ts';
import { streamRoute } from '../../../gateway/routes/stream.ts';
import { createRequest } from '../../helpers/http/create-request.ts';
import { captureLog } from '../../helpers/service/captured-log.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';
import { FakeFeed, HOUR, SECOND } from '../../helpers/stream/fed-stream.ts';
import { until } from '../../helpers/until.ts';

let server: http.Server;
afterEach(() => {
  jest.restoreAllMocks();
  server.close();
});

interface Client {
  /** Lets the request have its place. */
  admitted?: Promise<void>;
  /** Whether the client takes the last frames. */
  takesEnd?: boolean;
}

/** Asks for a stream on a gateway that consists of this route. */
async function requestStream({ admitted, takesEnd = true }: Client = {}) {
  const clock = new ManualClock();
  const feed = Object.assign(new FakeFeed(clock), { ready: true, isInConflict: false });
  const watched = new Set<object>();
  const openStreams = new OpenStreams({
    accessWatch: {
      add: (reader: object) => watched.add(reader),
      remove: (reader: object) => watched.delete(reader),
    } as unknown as GatewayContext['accessWatch'],
    clock,
  });
  const held = new Set<string>();
  const taking = Promise.withResolvers<void>();
  const streamLeases = {
    async acquire(_: object, onClose: RawRequest['onClose']) {
      held.add('lease');
      await admitted;
      onClose(() => held.delete('lease'));
      return 'lease';
    },
    release: async (lease: string) => void held.delete(lease),
    async reclaim(lease: string) {
      await taking.promise;
      held.add(lease);
      return true;
    },
  };
  const vanishing = new Set<WatchedStream>();
  const vanishedClients: GatewayContext['vanishedClients'] = {
    add(stream) {
      vanishing.add(stream);
      return () => vanishing.delete(stream);
    },
  };
  const config = { streamHeartbeatMs: 20 * SECOND, streamLifetimeMs: HOUR, retentionMs: 24 * HOUR };
  const { log } = captureLog();
  const context = { ...{ clock, feed, openStreams, streamLeases, vanishedClients, config, log }, pool: {} };
  let closed = false;
  const done = Promise.withResolvers<void>();
  server = http.createServer(async (_, response) => {
    response.once('close', () => {
      closed = true;
    });
    if (!takesEnd) response.end = () => response;
    const request = createRequest('stream:read', {
      onClose: (listener) => void (closed ? listener() : response.once('close', listener)),
    });
    const reply = await streamRoute.answer(request, context as unknown as GatewayContext);
    if ('stream' in reply) await reply.stream(response);
    done.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = http.get({ port: (server.address() as AddressInfo).port });
  client.on('error', () => {});
  await until('the request', () => held.size === 1);
  const untilClosed = () => until('the end of the connection', () => closed);
  return {
    ...{ done: done.promise, held, taking, openStreams, watched, vanishing, feed },
    untilClosed,
    disconnect() {
      client.destroy();
      return untilClosed();
    },
  };
}

/** Opens a stream, and waits until it is watched. */
async function openStream(setting?: Client) {
  const requested = await requestStream(setting);
  const { vanishing } = requested;
  await until('the stream', () => vanishing.size === 1);
  const [stream] = [...vanishing] as [WatchedStream];
  return { ...requested, stream };
}

test('INV-15: a stream whose connection closes while it takes a place again gives the place back', async () => {
  const { stream, held, taking, disconnect } = await openStream();
  stream.yield();
  await settle();
  expect(held.size).toBe(0);
  stream.reclaim();
  await disconnect();
  taking.resolve();
  await settle();
  expect(held.size).toBe(0);
});

test('a stream whose client disconnects leaves nothing behind', async () => {
  const { done, held, openStreams, watched, vanishing, feed, disconnect } = await openStream();
  const left = () => [held.size, openStreams.count, watched.size, vanishing.size, feed.filters];
  expect(left()).toEqual([1, 1, 1, 1, 1]);
  await disconnect();
  await done;
  expect(left()).toEqual([0, 0, 0, 0, 0]);
});

test('a stream whose client disconnects before it begins ends at once', async () => {
  const { promise: admitted, resolve: admit } = Promise.withResolvers<void>();
  const { done, held, feed, disconnect } = await requestStream({ admitted });
  await disconnect();
  admit();
  await done;
  expect([held.size, feed.filters]).toEqual([0, 0]);
});

test('INV-15: a client that does not take the last frames in ten seconds is disconnected', async () => {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const { done, held, openStreams, untilClosed } = await openStream({ takesEnd: false });
  await openStreams.drain(0);
  await done;
  expect(held.size).toBe(1);
  const deadline = timers.mock.calls.find(([, ms]) => ms === 10_000)?.[0] as () => void;
  deadline();
  await untilClosed();
  expect(held.size).toBe(0);
});
