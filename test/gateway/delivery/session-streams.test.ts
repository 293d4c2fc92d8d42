import { expect, test } from '@jest/globals';
import { SessionStreams } from '../../../gateway/delivery/session-streams.ts';
import type { StreamEnding } from '../../../gateway/delivery/stream-ending.ts';

function createStream() {
  const endings: StreamEnding[] = [];
  return { endings, end: (ending: StreamEnding) => endings.push(ending) };
}

test('INV-15: a session has one stream, the last that it opened', () => {
  const streams = new SessionStreams();
  const [first, second] = [createStream(), createStream()];
  const leaveFirst = streams.enter({ session: 1, accountId: 1 }, first);
  streams.enter({ session: 1, accountId: 1 }, second);
  expect(first.endings).toEqual([expect.objectContaining({ error: 'too_many_streams' })]);
  leaveFirst();
  const third = createStream();
  streams.enter({ session: 1, accountId: 1 }, third);
  expect(second.endings).toHaveLength(1);
  expect(third.endings).toEqual([]);
});

test('INV-15: the sessions of an account have 50 streams, and another account has its own', () => {
  const streams = new SessionStreams();
  const leaves = Array.from({ length: 50 }, (_, session) => {
    streams.requirePlace({ session, accountId: 1 });
    return streams.enter({ session, accountId: 1 }, createStream());
  });
  expect(() => streams.requirePlace({ session: 50, accountId: 1 })).toThrow(
    expect.objectContaining({ code: 'too_many_streams', headers: { 'Retry-After': '10' } }),
  );
  streams.requirePlace({ session: 49, accountId: 1 });
  streams.requirePlace({ session: 51, accountId: 2 });
  leaves[0]?.();
  streams.requirePlace({ session: 50, accountId: 1 });
});
