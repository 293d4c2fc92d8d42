import { expect, test } from '@jest/globals';
import { type ResumeServices, resolveStart, type StartRequest } from '../../../gateway/delivery/resume.ts';
import { formatCursor } from '../../../schemas/cursor.ts';
import { systemClock } from '../../../service/clock.ts';

const time = Date.now();
const cursor = (sequence: number) => formatCursor({ epoch: 1, sequence, time, offsets: [0] });
const services = {
  feed: { epoch: 1, ready: true, isInConflict: false, latest: { sequence: 9, time, offsets: [0] } },
  clock: systemClock,
  retentionMs: 60_000,
} as unknown as ResumeServices;

test.each<[string, StartRequest, number]>([
  [
    'the header is stronger than all parameters',
    { lastEventIdHeader: cursor(1), lastEventId: cursor(2), cursor: cursor(3) },
    1,
  ],
  ['lastEventId is stronger than cursor', { lastEventId: cursor(2), cursor: cursor(3) }, 2],
  [
    'lastEventId is stronger than since and from together',
    { lastEventId: cursor(2), since: 'x', from: 'latest' },
    2,
  ],
  ['an empty lastEventId counts as missing', { lastEventId: '', cursor: cursor(3) }, 3],
  ['an empty lastEventId alone begins with the newest change', { lastEventId: '' }, 9],
])('%s', async (_, start, sequence) => {
  expect((await resolveStart(start, services)).sequence).toBe(sequence);
});

test.each<[string, StartRequest, string]>([
  [
    'an empty lastEventId does not hide two others',
    { lastEventId: '', cursor: cursor(3), from: 'latest' },
    'cursor and from exclude each other',
  ],
  ['a malformed lastEventId is named', { lastEventId: 'x' }, 'lastEventId is not a cursor of this service'],
  [
    'a malformed header is named',
    { lastEventIdHeader: 'x', lastEventId: cursor(2) },
    'Last-Event-ID is not a cursor',
  ],
  [
    'an offset without minutes is explained',
    { since: '2026-11-03T00:00:00-05' },
    'since must be a time with its offset from UTC, such as',
  ],
])('%s', async (_, start, message) => {
  await expect(resolveStart(start, services)).rejects.toThrow(message);
});

test.each([
  ['60 seconds', 60_000],
  ['1 day', 24 * 60 * 60 * 1000],
  ['7 days', 7 * 24 * 60 * 60 * 1000],
])('a cursor older than the retention of %s is told so', async (duration, retentionMs) => {
  const old = formatCursor({ epoch: 1, sequence: 1, time: time - retentionMs - 1000, offsets: [0] });
  await expect(resolveStart({ cursor: old }, { ...services, retentionMs })).rejects.toThrow(
    `The cursor is older than the retention of ${duration}. Catch up`,
  );
});
