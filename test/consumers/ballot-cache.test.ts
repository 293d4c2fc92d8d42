import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ClientBase } from 'pg';
import { applyRanges } from '../../consumers/apply/apply-ranges.ts';
import { BallotCache } from '../../consumers/apply/ballot-cache.ts';
import { loadHeld, type NamedPosition } from '../../consumers/apply/load-ballot.ts';
import type { BallotContest } from '../../domain/decide-batch.ts';
import type { Submission } from '../../schemas/submission.ts';
import { bodyOf, STORED_BODY, type StoredBody } from '../../store/stream/stored-body.ts';
import { createTestRange, SUBMISSIONS_TOPIC } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorser } from '../helpers/ballots/catalogue-records.ts';
import { endorse, pick, position, withdraw } from '../helpers/ballots/submissions.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { whileRefusing } from '../helpers/postgres/refusing.ts';

const { url } = useTestDatabase();
const pool = usePool(url, { pipeline: true });

beforeAll(() => loadCatalogue(url, SMALL_BALLOT));
beforeEach(clear);

async function clear(): Promise<void> {
  await pool.query('TRUNCATE endorsements, change_log, consumer_offsets, pending_rejections');
  await pool.query(`UPDATE stream_head SET last_sequence = 0, last_occurred_at = '-infinity'`);
}

/** Applies submissions at the next offsets. */
async function apply(cache: BallotCache, ...submissions: Submission[]) {
  const { rows } = await pool.query<{ next_offset: string }>('SELECT next_offset FROM consumer_offsets');
  const range = createTestRange(Number(rows[0]?.next_offset ?? 0), submissions);
  const client = await pool.connect();
  try {
    return await applyRanges(client, SUBMISSIONS_TOPIC, [range], { cache });
  } finally {
    client.release();
  }
}

/** The changes by submission. The deletions of one submission have no order. */
async function changes(): Promise<unknown[]> {
  const { rows } = await pool.query<StoredBody>(
    `SELECT type, endorser, submission_offset, ${STORED_BODY} FROM change_log`,
  );
  const shown = rows.map(({ packed, body, ...row }) => {
    const { endorser, choice, endorsement } = bodyOf({ packed, body });
    return { ...row, name: endorser.name, choice: choice.label, statement: endorsement.statement };
  });
  const keyed = shown.map((row) => [JSON.stringify(row), row] as const);
  return keyed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

async function endorsements(): Promise<unknown[]> {
  const { rows } = await pool.query(
    `SELECT e.slug, h.key, n.rank, n.statement, n.details FROM endorsements n JOIN endorsers e ON e.id = n.endorser_id
     JOIN choices h ON h.id = n.choice_id ORDER BY e.slug, n.contest_id, h.key`,
  );
  return rows;
}

const contest = fc.constantFrom('mayor', 'sheriff');
const by = fc.constantFrom('bakers-local-1', 'coast-gazette');
const key = fc.constantFrom('ann', 'bob', 'cyd', 'nobody');
const values = fc.record({
  statement: fc.constantFrom('Good.', 'Better.', null),
  details: fc.constantFrom('{"a":1}', '{"a": 1}', null),
});
const submission: fc.Arbitrary<Submission> = fc.oneof(
  fc.tuple(by, contest, key, values).map((args) => endorse(...args)),
  fc.tuple(by, contest, key).map((args) => withdraw(...args)),
  fc.tuple(by, fc.uniqueArray(key, { maxLength: 3 }), fc.boolean()).map(([who, keys, reversed]) =>
    position(
      who,
      'sheriff',
      (reversed ? keys.toReversed() : keys).map((each, index) => pick(each, { rank: index + 1 })),
    ),
  ),
);

test("INV-8: a leader's cache does not change its writes, even if others write in between", async () => {
  const batch = fc.record({
    submissions: fc.array(submission, { minLength: 1, maxLength: 6 }),
    isElsewhere: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 2, maxLength: 6 }), async (batches) => {
      await clear();
      for (const { submissions } of batches) await apply(new BallotCache(), ...submissions);
      const expected = [await changes(), await endorsements()];
      await clear();
      const cache = new BallotCache();
      for (const { submissions, isElsewhere } of batches) {
        await apply(isElsewhere ? new BallotCache() : cache, ...submissions);
      }
      expect([await changes(), await endorsements()]).toEqual(expected);
    }),
    { numRuns: 8, endOnFailure: true },
  );
});

test('INV-13: a leader that has cached the catalogue notices an edit of it', async () => {
  const cache = new BallotCache();
  await apply(cache, endorse('bakers-local-1', 'mayor', 'ann'));
  await loadCatalogue(url, [['endorsers', endorser({ name: 'Bakers of Portland' })]]);
  try {
    await apply(cache, endorse('bakers-local-1', 'mayor', 'bob'));
    expect(await changes()).toContainEqual(
      expect.objectContaining({ type: 'created', choice: 'bob', name: 'Bakers of Portland' }),
    );
  } finally {
    await loadCatalogue(url, [['endorsers', endorser()]]);
  }
});

test.each([
  // An import can give choices other keys.
  ['another version of the catalogue', 0, {}, 'second'],
  ['the beginning of another epoch', 0, { epoch: 2 }, 'first'],
  ['a change of another writer', 0, { lastSequence: 8 }, 'first'],
  ['an edit that is still to be announced', 0, { hasStale: true }, 'first'],
  ['its own commit', 1, {}, 'first'],
])('after %s, a cache of one position has %i', (_, left, values, version) => {
  const cache = new BallotCache();
  const head = { epoch: 1, lastSequence: 7, lastOccurredAt: 0, now: 0, hasStale: false };
  cache.invalidate(head, 'first');
  cache.positions.set('bakers mayor', { picks: new Map(), ids: new Map() });
  cache.noteCommitted(head);
  cache.invalidate({ ...head, ...values }, version);
  expect(cache.positions.size).toBe(left);
});

test('a rollback leaves an empty cache', async () => {
  const cache = new BallotCache();
  await apply(cache, endorse('bakers-local-1', 'mayor', 'ann'));
  await whileRefusing(pool, async () => {
    const bad = endorse('coast-gazette', 'mayor', 'ann', { statement: 'unstorable' });
    await expect(apply(cache, withdraw('bakers-local-1', 'mayor', 'ann'), bad)).rejects.toMatchObject({
      code: '23514',
    });
  });
  await apply(cache, endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Good.' }));
  expect((await changes()).map((change) => (change as { type: string }).type)).toEqual([
    'created',
    'updated',
  ]);
});

test('INV-15: contests are kept up to a bound of the size of their choices', () => {
  const { contests } = new BallotCache();
  const choice = { label: 'x'.repeat(1024 * 1024) };
  for (let key = 0; key < 40; key += 1) {
    const choices = new Map([1, 2].map((each) => [String(each), choice]));
    contests.set(String(key), { contest: {}, election: {}, choices } as unknown as BallotContest);
  }
  expect([contests.size, contests.has('8'), contests.has('9')]).toEqual([31, false, true]);
});

test.each(['statement', 'statement_es', 'source_url', 'details'])(
  'the %s of cached positions counts towards the most that is used together',
  async (field) => {
    const cache = new BallotCache();
    const named = ['mayor', 'sheriff'].map((key) => ({ key }) as NamedPosition);
    for (const { key } of named) {
      const picks = new Map([['ann', pick('ann', { [field]: 'x'.repeat(900) })]]);
      cache.positions.set(key, { picks, ids: new Map() });
    }
    // A client that asks would fail.
    const load = (maxBytes: number) => loadHeld({} as ClientBase, cache, named, maxBytes);
    expect(await load(3000)).toHaveProperty('size', 2);
    expect(await load(2000)).toBeNull();
  },
);
