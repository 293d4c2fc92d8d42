import { expect, test } from '@jest/globals';
import { decideNext, type Ending, readRefusal } from '../../../../gateway/console/browser/reconnect.ts';

const FIRST = { retryMs: 3000, failures: 0 };

const refusal = (status: number | null, code: string, retryAfter: string | null = null): Ending =>
  readRefusal(status, retryAfter, JSON.stringify({ error: { code, message: `About ${code}.` } }));

test.each<[string, Ending, number]>([
  ['a lost connection waits as the stream said', { kind: 'lost' }, 3000],
  ['a closed one, too', { kind: 'closed', retryMs: null }, 3000],
  ['a reconnect event names its own time', { kind: 'closed', retryMs: 1234 }, 1234],
  ['too many streams: as Retry-After says', refusal(429, 'too_many_streams', '10'), 10_000],
  ['a service that warms up: as Retry-After says', refusal(503, 'warming_up', '2'), 2000],
  ["a proxy's error", readRefusal(502, null, '<html>'), 3000],
  ['an error of the service', refusal(500, 'internal_error'), 3000],
  ['an error within the stream', refusal(null, 'internal_error'), 3000],
])('%s', (_what, ending, waitMs) => {
  expect(decideNext(ending, FIRST)).toMatchObject({ kind: 'wait', waitMs });
});

test.each<[Ending, string]>([
  [refusal(410, 'cursor_expired'), 'expired'],
  [refusal(null, 'cursor_expired'), 'expired'],
  [refusal(401, 'missing_api_key'), 'signed-out'],
  [refusal(null, 'missing_api_key'), 'signed-out'],
  [refusal(400, 'invalid_parameter'), 'refused'],
  [refusal(403, 'account_suspended'), 'refused'],
  [refusal(null, 'account_suspended'), 'refused'],
  [refusal(404, 'subscription_not_found'), 'refused'],
  [refusal(null, 'subscription_not_found'), 'refused'],
  [refusal(null, 'too_many_streams'), 'refused'],
])('%j stops as %s', (ending, why) => {
  expect(decideNext(ending, FIRST)).toMatchObject({
    kind: 'stop',
    why,
    reason: expect.stringContaining('About'),
  });
});

test('connections that keep failing wait longer, up to half a minute', () => {
  const waits = [0, 1, 2, 3, 4, 100].map((failures) =>
    decideNext({ kind: 'lost' }, { retryMs: 3000, failures }),
  );
  expect(waits.map((next) => next.kind === 'wait' && next.waitMs)).toEqual([
    3000, 6000, 12_000, 24_000, 30_000, 30_000,
  ]);
});

test('an answer of another server is described by its status', () => {
  expect(readRefusal(502, 'Wed, 21 Oct 2026 07:28:00 GMT', '<html>')).toEqual({
    kind: 'refused',
    status: 502,
    code: '',
    message: 'The service answered with the status 502.',
    retryAfterMs: null,
  });
  expect(readRefusal(500, null, 'null').code).toBe('');
});
