import { expect, test } from '@jest/globals';
import { StallWatch } from '../../ops/submit/stall-watch.ts';

const offsets = (...of: number[]) => new Map(of.entries());

test('a stall is noticed after 10 seconds, and again every 10 seconds', () => {
  const watch = new StallWatch(0);
  const noticed = [0, 9999, 10_000, 10_001, 19_999, 20_000].map((now) => watch.notices(offsets(), now));
  expect(noticed).toEqual([false, false, true, false, false, true]);
});

test('whatever is applied in any partition ends it', () => {
  const watch = new StallWatch(0);
  expect(watch.notices(offsets(5, 7), 9999)).toBe(false);
  expect(watch.notices(offsets(5, 8), 19_998)).toBe(false);
  expect(watch.notices(offsets(5, 8), 29_997)).toBe(false);
  expect(watch.notices(offsets(5, 8), 29_998)).toBe(true);
});
