import { beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type pg from 'pg';
import { createPredicate, facetsOf, type StreamFilter } from '../../../domain/stream-filter.ts';
import { type MatchCount, MatchCounts } from '../../../gateway/console/subscriptions/match-counts.ts';
import type { ChangeBody } from '../../../schemas/change.ts';
import { CHANGE_TYPES, type ChangeType, type FilterField } from '../../../schemas/vocabulary.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { appendChanges, lockStreamHead, type NewChange } from '../../../store/stream/change-log.ts';
import { usePool, useTestDatabase } from '../../helpers/postgres/database.ts';
import { rewriteAsEarlier } from '../../helpers/postgres/logged-changes.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';
import { CHANGE_BODY } from '../../helpers/stream/change-body.ts';

const HOUR_MS = 60 * 60_000;
const { url } = useTestDatabase();
const pool = usePool(url, { pipeline: true });

beforeEach(async () => {
  await pool.query('TRUNCATE change_log');
  await pool.query(
    `INSERT INTO elections (id, slug, name, date, state, type) OVERRIDING SYSTEM VALUE
     VALUES (1, 'or-1', 'Election', '2026-11-03', 'OR', 'general') ON CONFLICT DO NOTHING`,
  );
});

/** A change with values derived from its number. */
function change(number: number): NewChange {
  const pick = <T>(values: readonly T[]): T => values[number % values.length] as T;
  const { endorsement, endorser, contest, election, choice } = CHANGE_BODY;
  const body: ChangeBody = {
    endorsement: { ...endorsement, id: number },
    endorser: {
      ...endorser,
      slug: `e${number % 7}`,
      state: pick(['OR', 'CA', 'national']),
      category: { ...endorser.category, slug: `c${number % 2}` },
    },
    contest: {
      ...contest,
      kind: pick(['candidate', 'measure']),
      district: { ...contest.district, level: pick(['city', 'state', 'county']) },
    },
    election: { ...election, id: 1, slug: `l${number % 5}`, state: pick(['OR', 'CA', 'WY', 'TX']) },
    choice,
  };
  return { type: pick(CHANGE_TYPES), body };
}

async function append(changes: NewChange[]): Promise<void> {
  await inTransaction(pool, async (client) => appendChanges(client, await lockStreamHead(client), changes));
}

const facets = ({ type, body }: NewChange) => facetsOf(type as ChangeType, body);

/** Counts filters, and returns the counts. */
async function countAll(
  counts: MatchCounts,
  filters: readonly StreamFilter[],
): Promise<(MatchCount | undefined)[]> {
  await counts.count(filters);
  return filters.map((filter) => counts.find(filter));
}

/** A pool that notes the number of rows in a read. */
function watchRows(): { pool: pg.Pool; most: () => number; queries: () => number } {
  let most = 0;
  let queries = 0;
  const query = async (...args: Parameters<pg.Pool['query']>) => {
    const result = (await pool.query(...args)) as unknown as pg.QueryResult;
    most = Math.max(most, result.rows.length);
    queries += 1;
    return result;
  };
  return { pool: { query } as unknown as pg.Pool, most: () => most, queries: () => queries };
}

const CHANGES = Array.from({ length: 2300 }, (_, number) => change(number));
const some = (values: string[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }), { nil: undefined, freq: 2 });
const filters = fc.array(
  fc
    .record({
      endorsers: some(['e0', 'e1', 'e2', 'nobody']),
      elections: some(['l0', 'l1']),
      categories: some(['c0', 'c1']),
      states: some(['OR', 'WY']),
      endorser_states: some(['national', 'CA']),
      levels: some(['city']),
      contest_kinds: some(['measure', 'candidate']),
      types: some(['created', 'deleted']),
    } satisfies Record<FilterField, unknown>)
    .map((fields) => JSON.parse(JSON.stringify(fields)) as StreamFilter),
  { minLength: 1, maxLength: 50 },
);

test('each filter is counted as streams apply it, in one pass of small batches', async () => {
  await append(CHANGES);
  await fc.assert(
    fc.asyncProperty(filters, async (given) => {
      const watched = watchRows();
      const counts = new MatchCounts({ pool: watched.pool, clock: new ManualClock(Date.now()) });
      const expected = given.map((filter) => {
        const matches = createPredicate(filter);
        return { count: CHANGES.filter((each) => matches(facets(each))).length, isLeast: false };
      });
      expect(await countAll(counts, given)).toMatchObject(expected);
      expect(watched.most()).toBeLessThanOrEqual(500);
      expect(watched.queries()).toBeLessThanOrEqual(6);
    }),
    { numRuns: 15 },
  );
});

test('changes logged by an earlier version count too', async () => {
  const changes = CHANGES.slice(0, 100);
  await append(changes);
  await rewriteAsEarlier(pool);
  const filter = { states: ['OR'], levels: ['city'], types: ['created'] };
  const counts = new MatchCounts({ pool, clock: new ManualClock(Date.now()) });
  const matches = createPredicate(filter);
  const count = changes.filter((each) => matches(facets(each))).length;
  expect(count).toBeGreaterThan(0);
  expect(await countAll(counts, [filter])).toMatchObject([{ count }]);
});

test('beyond the bound, only the newest changes count, and the number is a minimum', async () => {
  await append(CHANGES);
  const counts = new MatchCounts({ pool, clock: new ManualClock(Date.now()), mostChanges: 700 });
  const [all, one] = await countAll(counts, [{}, { types: ['created'] }]);
  expect(all).toMatchObject({ count: 700, isLeast: true });
  const newest = CHANGES.slice(-700).filter(({ type }) => type === 'created').length;
  expect(one).toMatchObject({ count: newest, isLeast: true });
});

test('only the last day counts', async () => {
  await append(CHANGES.slice(0, 10));
  const clock = new ManualClock(Date.now());
  const counts = new MatchCounts({ pool, clock });
  await clock.advance(23 * HOUR_MS);
  expect(await countAll(counts, [{}])).toMatchObject([{ count: 10, isLeast: false }]);
  await clock.advance(2 * HOUR_MS);
  expect(await countAll(counts, [{}])).toMatchObject([{ count: 0, isLeast: false }]);
});

test("a count is kept for a minute, whatever the order of the filter's values", async () => {
  await append(CHANGES.slice(0, 10));
  const watched = watchRows();
  const clock = new ManualClock(Date.now());
  const counts = new MatchCounts({ pool: watched.pool, clock });
  const filter = { states: ['OR', 'CA'] };
  const [first] = await countAll(counts, [filter]);
  await append(CHANGES.slice(0, 10));
  const asked = watched.queries();
  expect(await countAll(counts, [{ states: ['CA', 'OR'] }])).toEqual([first]);
  expect(watched.queries()).toBe(asked);
  await clock.advance(61_000);
  await counts.count([{ states: ['WY'] }]);
  expect(counts.find(filter)).toBeUndefined();
  expect(await countAll(counts, [filter])).toMatchObject([{ count: 2 * (first?.count ?? 0) }]);
});

test('requests during a pass share it or the next one, which counts for all of them', async () => {
  await append(CHANGES);
  const watched = watchRows();
  const counts = new MatchCounts({ pool: watched.pool, clock: new ManualClock(Date.now()) });
  const first = countAll(counts, [{}]);
  await settle();
  const others = ['OR', 'CA', 'WY', 'TX'].map((state) => countAll(counts, [{}, { states: [state] }]));
  expect(await first).toMatchObject([{ count: CHANGES.length }]);
  const found = await Promise.all(others);
  expect(found.map(([all]) => all?.count)).toEqual(Array(4).fill(CHANGES.length));
  expect(found.reduce((sum, [, one]) => sum + (one?.count ?? 0), 0)).toBe(CHANGES.length);
  expect(watched.queries()).toBe(2 * 6);
});

test('a filter that is being counted is not counted again', async () => {
  await append(CHANGES);
  const watched = watchRows();
  const counts = new MatchCounts({ pool: watched.pool, clock: new ManualClock(Date.now()) });
  const first = countAll(counts, [{}]);
  await settle();
  expect(await countAll(counts, [{}])).toEqual(await first);
  expect(watched.queries()).toBe(6);
});

test('a database failure is reported, and the next request tries again', async () => {
  await append(CHANGES.slice(0, 3));
  let isAway = true;
  const query = (...args: Parameters<pg.Pool['query']>) =>
    isAway ? Promise.reject(new Error('away')) : pool.query(...args);
  const counts = new MatchCounts({
    pool: { query } as unknown as pg.Pool,
    clock: new ManualClock(Date.now()),
  });
  await expect(countAll(counts, [{}])).rejects.toThrow('away');
  isAway = false;
  expect(await countAll(counts, [{}])).toMatchObject([{ count: 3 }]);
});
