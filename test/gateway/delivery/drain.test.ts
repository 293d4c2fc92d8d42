import { expect, test } from '@jest/globals';
import type { AccessWatch, WatchedReader } from '../../../gateway/delivery/access-watch.ts';
import { OpenStreams } from '../../../gateway/delivery/open-streams.ts';
import type { StreamEnding } from '../../../gateway/delivery/stream-ending.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

test('a draining gateway ends streams over a time, and at once those that begin meanwhile', async () => {
  const clock = new ManualClock();
  const watched = new Set<WatchedReader>();
  const accessWatch = {
    add: (reader: WatchedReader) => watched.add(reader),
    remove: (reader: WatchedReader) => watched.delete(reader),
  } as unknown as AccessWatch;
  const streams = new OpenStreams({ accessWatch, clock });
  const endings: (StreamEnding | undefined)[] = [];
  const open = () => {
    const index = endings.push(undefined) - 1;
    const end = (ending: StreamEnding) => {
      endings[index] = ending;
    };
    return streams.add(
      { end, changeFilter: () => {} },
      { credential: { key: 1 }, subscription: null, lease: null },
    );
  };
  const closes = Array.from({ length: 4 }, open);
  const draining = streams.drain(200);
  const ended = () => endings.filter((ending) => ending !== undefined).length;
  expect(ended()).toBe(1);
  closes.push(open());
  expect([ended(), endings.at(-1)]).toEqual([2, { reconnect: 'shutdown' }]);
  await clock.advance(150);
  await draining;
  expect(ended()).toBe(5);
  for (const close of closes) close();
  expect([streams.count, watched.size]).toEqual([0, 0]);
});
