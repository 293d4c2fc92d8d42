import { createPredicate } from '../../domain/stream-filter.ts';
import {
  streamFilters,
  streamStart,
  subscription as subscriptionParameter,
} from '../../schemas/http/parameters.ts';
import { openStreams } from '../feed/metrics.ts';
import { streamFeed } from '../feed/sse.ts';
import { resolveStart } from '../feed/start-position.ts';
import { defineRoute } from '../route.ts';
import { readStreamFilter } from '../stream-filter.ts';

/** How long a client has to read the last frames, in milliseconds. */
const GOODBYE_MS = 10_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

export const streamRoute = defineRoute({
  method: 'GET',
  path: '/v1/stream',
  summary: 'Endorsement changes as Server-Sent Events. Every event has an id, which is a cursor.',
  scope: 'stream:read',
  query: { subscription: subscriptionParameter, ...streamFilters, ...streamStart },
  response: null,
  async handle({ query, header, key, closed }, context) {
    const { pool, feed, clock, draining, logger, config } = context;
    const { filter, subscription } = await readStreamFilter(query, key.accountId, pool);
    const matches = createPredicate(filter);
    const start = await resolveStart({ ...query, lastEventId: header('Last-Event-ID') }, context);
    return {
      headers: HEADERS,
      stream: async (response) => {
        // A stream is quiet for long, and its frames are small: neither may wait to be filled up.
        response.socket?.setNoDelay(true);
        response.socket?.setTimeout(0);
        response.flushHeaders();
        openStreams.inc();
        await streamFeed(response, feed, {
          start,
          matches,
          ready: subscription === null ? {} : { subscription: subscription.name },
          heartbeatMs: config.streamHeartbeatMs,
          lifetimeMs: config.streamLifetimeMs,
          retentionMs: config.retentionMs,
          closed,
          draining,
          clock,
          logger,
          random: Math.random,
        });
        openStreams.dec();
        // Who does not take the goodbye in time is cut off.
        response.socket?.setTimeout(GOODBYE_MS, () => response.destroy());
      },
    };
  },
});
