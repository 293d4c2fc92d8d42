import { expect, test } from '@jest/globals';
import type { AccessWatch } from '../../../gateway/delivery/access-watch.ts';
import { OpenStreams } from '../../../gateway/delivery/open-streams.ts';
import { SessionStreams } from '../../../gateway/delivery/session-streams.ts';
import type { StreamEnding } from '../../../gateway/delivery/stream-ending.ts';
import { systemClock } from '../../../service/clock.ts';

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

test('INV-15: a stream that leaves the gateway gives back the place of its session', () => {
  const accessWatch = { add: () => {}, remove: () => {} } as unknown as AccessWatch;
  const streams = new OpenStreams({ accessWatch, clock: systemClock });
  const open = (session: number) =>
    streams.add(
      { ...createStream(), changeFilter: () => {} },
      { credential: { session, accountId: 1 }, subscription: null, lease: null },
    );
  const leaves = Array.from({ length: 50 }, (_, session) => open(session));
  expect(() => streams.ofSessions.requirePlace({ session: 50, accountId: 1 })).toThrow();
  leaves[0]?.();
  streams.ofSessions.requirePlace({ session: 50, accountId: 1 });
});
