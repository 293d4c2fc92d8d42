import { expect, test } from '@jest/globals';
import { formatLimitHeaders } from '../../../gateway/limits/headers.ts';

const minute = { limit: 60, remaining: 59, resetMs: 30_001 };
const day = { limit: 5000, remaining: 4321, resetMs: 3_600_000 };

test('both limits appear in both kinds of headers', () => {
  expect(formatLimitHeaders({ minute, day })).toEqual({
    'RateLimit-Limit': '60',
    'RateLimit-Remaining': '59',
    'RateLimit-Reset': '31',
    'X-Daily-Limit': '5000',
    'X-Daily-Remaining': '4321',
    'RateLimit-Policy': '"minute";q=60;w=60, "day";q=5000;w=86400',
    RateLimit: '"minute";r=59;t=31, "day";r=4321;t=3600',
  });
});

test('limits that the plan does not have are left out', () => {
  expect(Object.keys(formatLimitHeaders({ minute, day: null }))).toEqual([
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
    'RateLimit-Policy',
    'RateLimit',
  ]);
  expect(formatLimitHeaders({ minute: null, day })).toEqual({
    'X-Daily-Limit': '5000',
    'X-Daily-Remaining': '4321',
    'RateLimit-Policy': '"day";q=5000;w=86400',
    RateLimit: '"day";r=4321;t=3600',
  });
  expect(formatLimitHeaders({ minute: null, day: null })).toEqual({});
});

test('a reset within the second is a second away, so that no client asks too early', () => {
  const headers = formatLimitHeaders({ minute: { ...minute, resetMs: 0 }, day: null });
  expect(headers['RateLimit-Reset']).toBe('1');
});
