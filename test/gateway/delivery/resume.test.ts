import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cursorOf } from '../../../feed/cursor-of.ts';
import { resolveStart, type StartRequest } from '../../../gateway/delivery/resume.ts';
import { formatCursor, parseCursor } from '../../../schemas/cursor.ts';
import type { DatabasePool } from '../../../store/connection/read-pool.ts';
import { createSeverablePool, type SeverablePool } from '../../helpers/faults/severable-pool.ts';
import { useTestDatabase } from '../../helpers/postgres/database.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

const HOUR = 60 * 60_000;
const database = useTestDatabase();
const clock = new ManualClock();
const now = clock.now();
/** A feed whose newest change is two behind the database's. */
const feed = {
  epoch: 7,
  latest: { sequence: 10, time: now, offsets: [4] },
  ready: true,
  isInConflict: false,
};
let severable: SeverablePool;

beforeAll(async () => {
  severable = await createSeverablePool(database.url);
  await database.client.query('UPDATE stream_head SET last_sequence = 12');
});
afterAll(() => severable.close());

/** The start of a reader with a cursor after a sequence. */
async function resume(sequence: number) {
  const cursor = formatCursor({ epoch: 7, sequence, time: now - HOUR, offsets: [4] });
  return resolveStart({ cursor }, { feed, pool: severable.pool, clock, retentionMs: 24 * HOUR });
}

describe('a cursor of another gateway', () => {
  test('may be ahead of this gateway, as far as the database is', async () => {
    expect(await resume(12)).toEqual({ sequence: 12, time: now - HOUR, offsets: [4] });
    await expect(resume(13)).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  test('that is not ahead is accepted without a query', async () => {
    const before = severable.queries;
    expect(await resume(10)).toMatchObject({ sequence: 10 });
    expect(severable.queries).toBe(before);
  });
});

test('a reader since a time begins right before the first change at that time, which comes while it is looked up', async () => {
  const behind = { ...feed };
  const found = { sequence: 11, nextOccurredAt: now - HOUR, offsets: [5], epoch: 7 };
  const maybeOne = async () => {
    behind.latest = { sequence: 12, time: now, offsets: [6] };
    return found;
  };
  const services = { feed: behind, pool: { maybeOne } as unknown as DatabasePool, clock };
  const since = new Date(now - HOUR).toISOString();
  const start = await resolveStart({ since }, { ...services, retentionMs: 24 * HOUR });
  expect(start).toEqual({ sequence: 11, time: now - HOUR, offsets: [5] });
});

test.each<[string, StartRequest]>([
  ['from the earliest change', { from: 'earliest' }],
  ['since a time before the window', { since: new Date(now - 48 * HOUR).toISOString() }],
])('INV-5: a reader %s begins with the oldest change of the window', async (_, request) => {
  const asked: unknown[] = [];
  const maybeOne = async ({ values }: { values: readonly unknown[] }) => {
    asked.push(values[0]);
    return { sequence: 3, nextOccurredAt: now - 23 * HOUR, offsets: [1], epoch: 7 };
  };
  const services = { feed, pool: { maybeOne } as unknown as DatabasePool, clock };
  const start = await resolveStart(request, { ...services, retentionMs: 24 * HOUR });
  expect([asked, start.sequence]).toEqual([[new Date(now - 24 * HOUR).toISOString()], 3]);
});

describe('INV-5: the cursor of a reader', () => {
  const point = (sequence: number) => ({ sequence, time: now - HOUR, offsets: [4] });
  const timeOf = (sequence: number) => parseCursor(cursorOf(feed, point(sequence))).time;

  test('before the end has the time of its own place, so that it expires with the change after it', () => {
    expect(timeOf(9)).toBe(now - HOUR);
  });

  test('at the end has the time up to which no change has occurred', () => {
    expect(timeOf(10)).toBe(now);
  });

  test('ahead of this gateway, which does not know the end, has its own time', () => {
    expect(timeOf(11)).toBe(now - HOUR);
  });
});
