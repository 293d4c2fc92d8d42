import { cursorOf } from '../../feed/cursor-of.ts';
import type { RenderedEvent } from '../../feed/rendered-event.ts';
import { STREAM_GAP, StreamGapError } from '../../feed/stream-gap-error.ts';
import { eventPage } from '../../schemas/http/events.ts';
import {
  polling,
  streamFilters,
  streamStart,
  subscription as subscriptionParameter,
} from '../../schemas/http/parameters.ts';
import { BufferPool } from '../../service/buffer-pool.ts';
import type { WatchedReader } from '../delivery/access-watch.ts';
import { LongPoll } from '../delivery/long-poll.ts';
import { resolveStart } from '../delivery/resume.ts';
import { ApiError } from '../http/api-error.ts';
import type { Content } from '../http/content.ts';
import { createNoSubscriptionError, readStreamFilter } from '../selection/stream-filter.ts';
import { defineRoute } from './define-route.ts';

export const eventsRoute = defineRoute({
  method: 'GET',
  path: '/v1/events',
  operationId: 'listEvents',
  tag: 'Changes',
  summary: 'Poll for events',
  description:
    'Endorsement changes by polling: the client stores `next_cursor` and sends it as `cursor` in the next call. With `wait`, the request is held until a matching change arrives. Without a position, it begins with the newest change.',
  scope: 'stream:read',
  query: { subscription: subscriptionParameter, ...streamFilters, ...streamStart, ...polling },
  errors: ['subscription_not_found', 'cursor_expired', 'warming_up'],
  once: true,
  response: eventPage,
  async handle({ query, header, caller, closed }, context) {
    const { pool, feed, accessWatch, clock, config, draining } = context;
    const { filter, subscription } = await readStreamFilter(query, caller.accountId, pool);
    const start = await resolveStart(
      { ...query, lastEventIdHeader: header('Last-Event-ID') },
      { feed, pool, clock, retentionMs: config.retentionMs },
    );
    const { limit, wait } = query;
    const poll: LongPoll = new LongPoll(feed, {
      start,
      filter,
      accountId: caller.accountId,
      limit,
      waitMs: wait * 1000,
      signal: AbortSignal.any([closed, draining]),
      confirm: () => accessWatch.check(watched),
      clock,
    });
    const watched: WatchedReader = {
      credential: caller.credential,
      subscription,
      lease: null,
      refuse: (error) => poll.refuse(error),
      loseSubscription: () => poll.refuse(createNoSubscriptionError(query.subscription ?? '')),
      changeFilter: (changed) => poll.changeFilter(changed),
    };
    accessWatch.add(watched);
    try {
      const { events, resumePoint } = await poll.run();
      const has_more = resumePoint.sequence < feed.latest.sequence;
      return { json: renderAnswer(events, { next_cursor: cursorOf(feed, resumePoint), has_more }) };
    } catch (error) {
      throw error instanceof StreamGapError ? new ApiError('cursor_expired', STREAM_GAP) : error;
    } finally {
      accessWatch.remove(watched);
    }
  },
});

const BEGINNING = '{"data":[';
const COMMA = 0x2c;
/** Enough for the clients that read the past at the same time; a thousand events take about a megabyte. */
const buffers = new BufferPool({ maxIdle: 8, maxBytes: 2 * 1024 * 1024 });
/** Smaller answers would occupy large buffers. */
const MIN_POOLED_BYTES = 256 * 1024;

/** Renders `{"data": [...], ...rest}` (INV-11), without an ETag: clients request it only once. */
function renderAnswer(events: readonly RenderedEvent[], rest: object): Content {
  const end = `],${JSON.stringify(rest).slice(1)}`;
  const length = events.reduce((sum, { jsonLength }) => sum + jsonLength + 1, BEGINNING.length + end.length);
  const buffer = length < MIN_POOLED_BYTES ? undefined : buffers.take(length);
  const bytes = buffer ? Buffer.from(buffer) : Buffer.allocUnsafeSlow(length);
  let at = bytes.write(BEGINNING);
  for (const event of events) {
    at = event.copyJson(bytes, at);
    bytes[at++] = COMMA;
  }
  // The last comma is overwritten.
  if (events.length > 0) at -= 1;
  at += bytes.write(end, at);
  const content = { pieces: [bytes.subarray(0, at)], length: at, etag: null };
  return buffer ? { ...content, release: () => buffers.giveBack(buffer) } : content;
}
