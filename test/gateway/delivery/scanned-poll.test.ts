/** Long polls that pass changes outside of their filter before they wait. */
import { expect, jest, test } from '@jest/globals';
import type { Feed } from '../../../feed/feed.ts';
import type { Chunk, RenderedEvent } from '../../../feed/rendered-event.ts';
import { LongPoll } from '../../../gateway/delivery/long-poll.ts';
import { ApiError } from '../../../gateway/http/api-error.ts';
import { collectGarbage } from '../../helpers/collect-garbage.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';
import { createChange, eventsOf } from '../../helpers/stream/create-event.ts';
import { FakeFeed, SECOND } from '../../helpers/stream/fed-stream.ts';
import { renderEvent } from '../../helpers/stream/render-event.ts';

/** A poll for changes in Oregon, behind changes in California. */
function startPoll(passed = 3) {
  const clock = new ManualClock();
  const feed = new FakeFeed(clock);
  const start = feed.latest;
  feed.append('CA', passed);
  const confirm = jest.fn(async () => {});
  const wait = jest.spyOn(clock, 'wait');
  const leaving = new AbortController();
  const poll = new LongPoll(feed as unknown as Feed, {
    ...{ start, filter: { states: ['OR'] }, accountId: 1, limit: 10, waitMs: 25 * SECOND, confirm, clock },
    signal: leaving.signal,
  });
  const answer = poll.run();
  return { clock, feed, confirm, poll, answer, leaving, timer: wait.mock.calls[0]?.[1] };
}

test('a poll that waits after changes outside of its filter is confirmed before it gets an event', async () => {
  const { feed, confirm, answer, timer } = startPoll();
  await settle();
  expect([confirm.mock.calls.length, timer?.aborted]).toEqual([0, false]);
  feed.append('OR');
  const { events, resumePoint } = await answer;
  expect([events.map(({ sequence }) => sequence), resumePoint.sequence]).toEqual([[4], 4]);
  // Its timer would run for many seconds more.
  expect([confirm.mock.calls.length, timer?.aborted]).toEqual([1, true]);
});

test('a poll that is refused while it is confirmed gets the error and no event', async () => {
  const { feed, confirm, poll, answer } = startPoll();
  confirm.mockImplementation(async () => poll.refuse(new ApiError('revoked_api_key', 'It was revoked.')));
  await settle();
  feed.append('OR');
  await expect(answer).rejects.toMatchObject({ code: 'revoked_api_key' });
});

test('a poll whose client disconnects ends at once, without an event', async () => {
  const { feed, answer, leaving, confirm } = startPoll();
  await settle();
  leaving.abort();
  const { events, resumePoint } = await answer;
  feed.append('OR');
  expect([events, resumePoint.sequence, confirm.mock.calls.length]).toEqual([[], 3, 0]);
});

test('a poll that is refused twice gets the first error', async () => {
  const { poll, answer } = startPoll();
  poll.refuse(new ApiError('revoked_api_key', 'It was revoked.'));
  poll.refuse(new ApiError('subscription_not_found', 'It was deleted.'));
  await expect(answer).rejects.toMatchObject({ code: 'revoked_api_key' });
});

test('a poll without an event needs no confirmation, and has the position after all changes', async () => {
  const { clock, confirm, answer } = startPoll();
  await clock.advance(25 * SECOND);
  const { events, resumePoint } = await answer;
  expect([events, resumePoint.sequence]).toEqual([[], 3]);
  expect(confirm).not.toHaveBeenCalled();
});

test('INV-15: a poll that passes very many changes is answered before the end, and the next one continues there', async () => {
  const { clock, answer } = startPoll(21_000);
  await settle();
  await clock.advance(25 * SECOND);
  const { events, resumePoint } = await answer;
  expect([events, resumePoint.sequence]).toEqual([[], 20_000]);
});

test('INV-15: a poll whose client disconnects reads no further', async () => {
  const { feed, answer, leaving } = startPoll(5000);
  const read = jest.spyOn(feed, 'read');
  leaving.abort();
  await answer;
  expect(read.mock.calls.length).toBeLessThan(2);
});

test('INV-15: a poll that reads on keeps the events that it has found, and nothing that was rendered with them', async () => {
  const clock = new ManualClock();
  const feed = new FakeFeed(clock);
  const start = feed.latest;
  feed.append('CA', 2);
  const changes = [1, 2].map((sequence) => createChange({ sequence }));
  const texts = changes.map(renderEvent);
  let memory: WeakRef<Buffer> | undefined;
  const readOn = Promise.withResolvers<Chunk>();
  feed.read = async ({ sequence }) => {
    if (sequence === 1) return readOn.promise;
    if (sequence === 2) return { events: [], resumePoint: feed.latest };
    const [first] = eventsOf(changes);
    memory = new WeakRef(first?.memory as Buffer);
    return { events: [first as RenderedEvent], resumePoint: { sequence: 1, time: 0, offsets: [] } };
  };
  const { signal } = new AbortController();
  const options = { start, filter: {}, accountId: 1, limit: 10, waitMs: 0, signal, clock };
  const answer = new LongPoll(feed as unknown as Feed, { ...options, confirm: async () => {} }).run();
  await settle();
  await collectGarbage();
  expect(memory?.deref()).toBeUndefined();
  readOn.resolve({ events: eventsOf(changes).slice(1), resumePoint: feed.latest });
  const { events } = await answer;
  expect(events.map(({ json }) => json.toString())).toEqual(texts);
  expect(events.map(({ id }) => id)).toEqual(changes.map(({ id }) => id));
});
