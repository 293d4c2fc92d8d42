/** Long polls that pass changes outside of their filter before they wait. */
import { expect, jest, test } from '@jest/globals';
import type { Feed } from '../../../feed/feed.ts';
import { LongPoll } from '../../../gateway/delivery/long-poll.ts';
import { ApiError } from '../../../gateway/http/api-error.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';
import { FakeFeed, SECOND } from '../../helpers/stream/fed-stream.ts';

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
