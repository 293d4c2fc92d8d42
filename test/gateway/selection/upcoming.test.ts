import { expect, test } from '@jest/globals';
import { upcomingFrom } from '../../../gateway/selection/upcoming.ts';

const clockAt = (time: string) => ({ now: () => Date.parse(time) });

test.each([
  ['2026-11-03T12:00:00Z', '2026-11-02'],
  ['2026-11-03T00:00:00.000Z', '2026-11-02'],
  ['2026-11-03T23:59:59.999Z', '2026-11-02'],
  ['2026-11-04T09:00:00Z', '2026-11-03'],
  ['2026-01-01T06:00:00Z', '2025-12-31'],
  ['2024-03-01T06:00:00Z', '2024-02-29'],
  ['2026-03-01T06:00:00Z', '2026-02-28'],
])('at %s, elections are upcoming from %s on', (now, expected) => {
  expect(upcomingFrom(clockAt(now), null)).toBe(expected);
});

test('a given date replaces the clock', () => {
  expect(upcomingFrom(clockAt('2026-11-03T12:00:00Z'), '2024-11-05')).toBe('2024-11-04');
});
