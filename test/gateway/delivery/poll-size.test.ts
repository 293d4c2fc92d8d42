import { expect, test } from '@jest/globals';
import type { Feed } from '../../../feed/feed.ts';
import type { RenderedEvent, ResumePoint } from '../../../feed/rendered-event.ts';
import { LongPoll, MAX_ANSWER_BYTES } from '../../../gateway/delivery/long-poll.ts';
import { systemClock } from '../../../service/clock.ts';

const point = (sequence: number): ResumePoint => ({ sequence, time: sequence, offsets: [] });

/**
 * Polls a stream of events of these sizes, in deliveries of two.
 *
 * @param held awaited before each read but the first
 * @returns the sequences, and the resume point's
 */
async function poll(
  sizes: readonly number[],
  { limit = 1000, accountId = 1, held = Promise.resolve() } = {},
): Promise<[number[], number]> {
  const events = sizes.map((jsonLength, index) => ({
    jsonLength,
    sequence: index + 1,
    resumePoint: point(index + 1),
    detach() {
      return this;
    },
  }));
  const reader = {
    async next({ sequence }: ResumePoint) {
      if (sequence > 0) await held;
      const read = events.slice(sequence, sequence + 2);
      return { events: read as unknown as RenderedEvent[], resumePoint: point(sequence + read.length) };
    },
    close() {},
  };
  const feed = { latest: point(sizes.length), openReader: () => reader } as unknown as Feed;
  const signal = new AbortController().signal;
  const options = {
    start: point(0),
    filter: {},
    accountId,
    limit,
    waitMs: 0,
    signal,
    confirm: async () => {},
  };
  const result = await new LongPoll(feed, { ...options, clock: systemClock }).run();
  return [result.events.map(({ sequence }) => sequence), result.resumePoint.sequence];
}

const HALF = MAX_ANSWER_BYTES / 2;

test.each<[string, number[], number[]]>([
  ['all events that fit exactly', [HALF, HALF], [1, 2]],
  ['no event that does not fit any more, in the middle of a delivery', [HALF, HALF + 1, 1], [1]],
  ['no event that does not fit any more, at the beginning of a delivery', [HALF, HALF, 1, 1], [1, 2]],
  ['one event at least, whatever its size', [2 * MAX_ANSWER_BYTES, 1], [1]],
])('INV-15: an answer has %s, and the next one continues there', async (_, sizes, expected) => {
  expect(await poll(sizes)).toEqual([expected, expected.at(-1)]);
});

test('an answer has as many events as asked for', async () => {
  expect(await poll([1, 1, 1, 1, 1], { limit: 3 })).toEqual([[1, 2, 3], 3]);
  expect(await poll([1, 1, 1, 1, 1])).toEqual([[1, 2, 3, 4, 5], 5]);
});

test('INV-15: while calls keep 16 MB of an account or 64 MB in all, others answer with less rather than read on', async () => {
  const more = Promise.withResolvers<void>();
  const start = (accountId: number) => poll([HALF, HALF - 1, 1], { accountId, held: more.promise });
  const less = [[1, 2], 2];
  const all = [[1, 2, 3], 3];
  const reading = [1, 1, 1, 1].map(start);
  expect(await start(1)).toEqual(less);
  for (const accountId of [2, 3, 4]) reading.push(...Array(4).fill(accountId).map(start));
  expect(await start(5)).toEqual(less);
  more.resolve();
  expect(await Promise.all(reading)).toEqual(Array(16).fill(all));
  expect(await start(1)).toEqual(all);
});
