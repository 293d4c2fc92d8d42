import { beforeEach, expect, test } from '@jest/globals';
import { StreamGapError } from '../../../feed/stream-gap-error.ts';
import type { GatewayContext } from '../../../gateway/context.ts';
import { eventsRoute } from '../../../gateway/routes/events.ts';
import { formatCursor } from '../../../schemas/cursor.ts';
import { createRequest } from '../../helpers/http/create-request.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';
import { FakeFeed, HOUR } from '../../helpers/stream/fed-stream.ts';

let feed: FakeFeed;
let draining: AbortController;
let watched: Set<object>;
let cursor: string;

beforeEach(() => {
  feed = new FakeFeed(new ManualClock());
  draining = new AbortController();
  watched = new Set();
  cursor = formatCursor({ epoch: feed.epoch, ...feed.latest });
});

/** Asks a gateway that consists of this route. @returns the answer's body */
async function poll(query: string) {
  const context = {
    ...{ clock: new ManualClock(), config: { retentionMs: 24 * HOUR }, draining: draining.signal, pool: {} },
    feed: Object.assign(feed, { ready: true, isInConflict: false }),
    accessWatch: {
      add: (reader: object) => watched.add(reader),
      remove: (reader: object) => watched.delete(reader),
    },
  } as unknown as GatewayContext;
  const reply = await eventsRoute.answer(createRequest('stream:read', { query }), context);
  if (!('json' in reply) || !(typeof reply.json === 'object' && 'pieces' in reply.json)) throw new Error();
  return JSON.parse(Buffer.concat(reply.json.pieces).toString());
}

test('a poll that waits is answered when the gateway drains, and leaves nothing behind', async () => {
  const answer = poll(`cursor=${cursor}&wait=25`);
  await settle();
  expect([watched.size, feed.filters]).toEqual([1, 1]);
  draining.abort();
  expect(await answer).toMatchObject({ data: [], has_more: false });
  expect([watched.size, feed.filters]).toEqual([0, 0]);
});

test('has_more tells whether changes follow the answer', async () => {
  feed.append('CA', 2);
  for (const [limit, has_more] of [
    [1, true],
    [2, false],
    [3, false],
  ] as const) {
    expect(await poll(`cursor=${cursor}&limit=${limit}`)).toMatchObject({ has_more });
  }
});

test('INV-7: a poll from before a lost change is refused, and leaves nothing behind', async () => {
  feed.append();
  feed.failure = new StreamGapError(1);
  await expect(poll(`cursor=${cursor}`)).rejects.toMatchObject({ code: 'cursor_expired' });
  expect([watched.size, feed.filters]).toEqual([0, 0]);
});
