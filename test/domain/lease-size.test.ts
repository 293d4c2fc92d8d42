import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nextLeaseSize } from '../../domain/lease-size.ts';

describe('a lease', () => {
  test.each([
    ['is 1 at first', { size: 0, lastedMs: Number.POSITIVE_INFINITY, remaining: 6000 }, 1],
    ['doubles when the previous lease was spent soon', { size: 16, lastedMs: 100, remaining: 6000 }, 32],
    [
      'keeps its size when the previous lease lasted about a second',
      { size: 16, lastedMs: 1000, remaining: 6000 },
      16,
    ],
    ['is halved when the previous lease lasted long', { size: 16, lastedMs: 5000, remaining: 6000 }, 8],
    ['keeps its size at the lower bound of a fitting time', { size: 16, lastedMs: 500, remaining: 6000 }, 16],
    [
      'keeps its size at the upper bound of a fitting time',
      { size: 16, lastedMs: 2000, remaining: 6000 },
      16,
    ],
    ['is at most a twentieth of the rest', { size: 300, lastedMs: 100, remaining: 1000 }, 50],
    ['is 1 towards the end', { size: 16, lastedMs: 100, remaining: 39 }, 1],
    ['is 1 when more is used than the limit allows', { size: 16, lastedMs: 100, remaining: -5 }, 1],
  ])('%s', (_, history, size) => {
    expect(nextLeaseSize(history)).toBe(size);
  });

  test('is never more than a twentieth of the rest and never 0', () => {
    const natural = fc.nat({ max: 10_000_000 });
    fc.assert(
      fc.property(natural, natural, natural, (size, lastedMs, remaining) => {
        const next = nextLeaseSize({ size, lastedMs, remaining });
        expect(next).toBeGreaterThanOrEqual(1);
        expect(next).toBeLessThanOrEqual(Math.max(1, remaining / 20));
      }),
    );
  });
});
