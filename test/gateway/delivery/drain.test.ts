import { expect, test } from '@jest/globals';
import type { AccessWatch, WatchedReader } from '../../../gateway/delivery/access-watch.ts';
import { OpenStreams } from '../../../gateway/delivery/open-streams.ts';
import type { StreamEnding } from '../../../gateway/delivery/stream-ending.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';
import { metricValue } from '../../helpers/service/metrics.ts';

/** Opens streams of a gateway. @returns the endings of the streams so far, and what closes them */
function openStreams(count: number) {
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
  const closes = Array.from({ length: count }, open);
  const ended = () => endings.filter((ending) => ending !== undefined).length;
  return { clock, watched, streams, endings, open, closes, ended };
}

test('a draining gateway ends streams over a time, and at once those that begin meanwhile', async () => {
  const { clock, watched, streams, endings, open, closes, ended } = openStreams(4);
  const draining = streams.drain(200);
  expect(ended()).toBe(1);
  closes.push(open());
  expect([ended(), endings.at(-1)]).toEqual([2, { reconnect: 'shutdown' }]);
  await clock.advance(150);
  await draining;
  expect(ended()).toBe(5);
  expect(await metricValue('streams_open')).toBe(5);
  for (const close of closes) close();
  expect([streams.count, watched.size, await metricValue('streams_open')]).toEqual([0, 0, 0]);
});

test('a draining gateway has ended all streams in time, also if their number is uneven', async () => {
  const { clock, streams, ended } = openStreams(5);
  const draining = streams.drain(100);
  expect(ended()).toBe(3);
  await clock.advance(50);
  await draining;
  expect(ended()).toBe(5);
});
