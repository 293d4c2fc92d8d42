import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  MAX_RETRY_AFTER_MS,
  RETRY_DELAYS_MS,
  RETRY_JITTER,
  readRetryAfter,
  retryDelayMs,
} from '../../../domain/webhooks/retries.ts';

const random = fc.double({ min: 0, max: 1, noNaN: true });

describe('the wait before the next attempt', () => {
  test('is 5 s, 30 s, 2 min, 10 min, 30 min, and then an hour each time', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 100].map((failures) => retryDelayMs(failures, null, 0) / 1000);
    expect(waits).toEqual([5, 30, 120, 600, 1800, 3600, 3600, 3600]);
  });

  test('is longer by chance, by at most a fifth, and no shorter than the receiver asks, up to a day', () => {
    const asked = fc.option(fc.nat({ max: 2 * MAX_RETRY_AFTER_MS }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), asked, random, (failures, retryAfterMs, chance) => {
        const wait = retryDelayMs(failures, retryAfterMs, chance);
        const scheduled = RETRY_DELAYS_MS[Math.min(failures, RETRY_DELAYS_MS.length) - 1] as number;
        const floor = Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
        expect(wait).toBeGreaterThanOrEqual(Math.max(scheduled, floor));
        expect(wait).toBeLessThanOrEqual(Math.max(scheduled * (1 + RETRY_JITTER), floor));
      }),
    );
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-03T08:00:00Z');
  test.each([
    [undefined, null],
    ['0', 0],
    ['120', 120_000],
    ['Tue, 03 Nov 2026 08:01:00 GMT', 60_000],
    ['Tue, 03 Nov 2026 07:00:00 GMT', 0],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['99999999999', null],
    ['2026-11-03T08:01:00Z', null],
    ['Tue, 99 Nov 2026 99:01:00 GMT', null],
    ['', null],
  ])('%s is read as %s ms', (header, ms) => {
    expect(readRetryAfter({ 'retry-after': header }, now)).toBe(ms);
  });

  test.each([
    ['Tue, 03 Nov 2026 11:00:00 GMT', 60_000],
    ['soon', 3 * 60 * 60_000 + 60_000],
  ])("is a date of the receiver's clock, which says %s", (date, ms) => {
    expect(readRetryAfter({ 'retry-after': 'Tue, 03 Nov 2026 11:01:00 GMT', date }, now)).toBe(ms);
  });
});
