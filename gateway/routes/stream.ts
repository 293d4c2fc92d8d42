import { serverSentEvent } from '../../schemas/http/events.ts';
import {
  streamFilters,
  streamStart,
  subscription as subscriptionParameter,
} from '../../schemas/http/parameters.ts';
import { resolveStart } from '../delivery/resume.ts';
import { EventStream } from '../delivery/sse.ts';
import { WatchedStream } from '../delivery/vanished-clients.ts';
import { readStreamFilter } from '../selection/stream-filter.ts';
import { EventOutput } from '../wire/event-output.ts';
import { defineRoute } from './define-route.ts';

/** How long a client may take to read the last frames, in milliseconds. */
const GOODBYE_MS = 10_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  Vary: 'Accept-Encoding',
};

export const streamRoute = defineRoute({
  method: 'GET',
  path: '/v1/stream',
  operationId: 'streamEvents',
  tag: 'Changes',
  summary: 'Stream events',
  description:
    'Endorsement changes as Server-Sent Events. Every frame has an id, which is a cursor. To continue, connect again with the last id in `Last-Event-ID` or `cursor`. Without a position, it begins with the newest change.',
  scope: 'stream:read',
  query: { subscription: subscriptionParameter, ...streamFilters, ...streamStart },
  errors: ['subscription_not_found', 'cursor_expired', 'too_many_streams', 'warming_up'],
  response: null,
  frame: serverSentEvent,
  async handle({ query, header, acceptsGzip, id, caller, onClose }, context) {
    const { pool, feed, streamLeases, openStreams, vanishedClients, clock, log, config } = context;
    const { retentionMs } = config;
    const { filter, subscription } = await readStreamFilter(query, caller.accountId, pool);
    const start = await resolveStart(
      { ...query, lastEventIdHeader: header('Last-Event-ID') },
      { feed, pool, clock, retentionMs },
    );
    const { credential } = caller;
    const isOfConsole = 'session' in credential;
    if (isOfConsole) openStreams.ofSessions.requirePlace(credential);
    const lease = isOfConsole ? null : await streamLeases.acquire(caller, onClose);
    const gzip = acceptsGzip();
    return {
      headers: gzip ? { ...HEADERS, 'Content-Encoding': 'gzip' } : HEADERS,
      stream: async (response) => {
        const output = await EventOutput.open(response, { gzip });
        const { socket } = response;
        if (!output || !socket) return;
        const stream = new EventStream(output, feed, {
          start,
          filter,
          accountId: caller.accountId,
          ready: subscription === null ? {} : { subscription: subscription.name },
          heartbeatMs: config.streamHeartbeatMs,
          lifetimeMs: config.streamLifetimeMs,
          retentionMs,
          clock,
          openLog: () => log.child({ requestId: id, account: caller.account }),
          random: Math.random,
        });
        const remove = openStreams.add(stream, { credential, subscription, lease });
        const watched = new WatchedStream(stream, socket, {
          release: async () => (lease === null ? undefined : streamLeases.release(lease)),
          reclaim: async () => {
            const hasPlace = lease === null || (await streamLeases.reclaim(lease, caller));
            if (lease !== null && response.closed) await streamLeases.release(lease);
            return hasPlace;
          },
        });
        const unwatch = vanishedClients.add(watched);
        if (response.closed) stream.end({ gone: true });
        else response.once('close', () => stream.end({ gone: true }));
        return stream.run().then(() => {
          remove();
          unwatch();
          if (response.closed) return;
          // A client that does not read the last frames in time is disconnected.
          const deadline = setTimeout(() => response.destroy(), GOODBYE_MS);
          response.once('close', () => clearTimeout(deadline));
        });
      },
    };
  },
});
