import { beforeAll, expect, test } from '@jest/globals';
import type { SubmittedPick } from '../../schemas/submission.ts';
import {
  type EndorsementRow,
  insertEndorsements,
  loadPicks,
  updateEndorsements,
} from '../../store/endorsements/endorsement-rows.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { pick } from '../helpers/ballots/submissions.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const database = useTestDatabase();
const { client } = database;
const NOW = new Date('2026-10-01T00:00:00Z');

beforeAll(async () => {
  await loadCatalogue(database.url, SMALL_BALLOT);
});

/** An endorsement of the ballot's first choice by its first endorser. */
async function makeRow(values: Partial<SubmittedPick>, contentHash: bigint): Promise<EndorsementRow> {
  const { rows } = await client.query(`
    SELECT e.id AS "endorserId", c.id AS "contestId", h.id AS "choiceId", c.election_id AS "electionId", h.key AS choice
    FROM endorsers e, contests c JOIN choices h ON h.contest_id = c.id ORDER BY 1, 3 LIMIT 1`);
  const { choice, ...ids } = rows[0];
  return { id: 1, ...ids, pick: pick(choice, values), contentHash } as EndorsementRow;
}

test('updating an endorsement adds no entry to an index', async () => {
  await client.query('BEGIN');
  await insertEndorsements(client, [await makeRow({ statement: 'Good.' }, 2n ** 255n)], NOW);
  await updateEndorsements(client, [await makeRow({ statement: 'Better.' }, 7n)], NOW);
  const { rows } = await client.query(
    `SELECT n_tup_upd::int AS updated, n_tup_hot_upd::int AS in_place FROM pg_stat_xact_user_tables
     WHERE relname = 'endorsements'`,
  );
  expect(rows).toEqual([{ updated: 1, in_place: 1 }]);
  const { rows: stored } = await client.query(
    'SELECT statement, content_hash, without_hash FROM endorsements',
  );
  expect(stored).toEqual([{ statement: 'Better.', content_hash: '7', without_hash: false }]);
  await client.query('ROLLBACK');
});

test.each([
  ['rank', 2, true],
  ['statement', 'Good.', true],
  ['statement_es', 'Bueno.', true],
  ['source_url', 'https://a.example', true],
  ['published_on', '2026-09-01', true],
  ['details', '{"a": 1}', false],
])(
  'an update gives the only value, %s, and takes it away; its time is new if clients see it',
  async (field, value, isSeen) => {
    await client.query('BEGIN');
    await insertEndorsements(client, [await makeRow({}, 1n)], NOW);
    const held = async () => {
      const { rows } = await client.query(
        `SELECT ${field}::text AS value, updated_at AS at FROM endorsements`,
      );
      return rows[0];
    };
    const { value: none } = await held();
    for (const [given, at] of [
      [{ [field]: value }, new Date('2026-10-02T00:00:00Z')],
      [{}, new Date('2026-10-03T00:00:00Z')],
    ] as const) {
      await updateEndorsements(client, [await makeRow(given, 1n)], at);
      expect(await held()).toEqual({ value: field in given ? String(value) : none, at: isSeen ? at : NOW });
    }
    await client.query('ROLLBACK');
  },
);

test.each(['statement', 'statement_es', 'source_url'])(
  'the %s of a pick counts towards the most bytes to load',
  async (field) => {
    await client.query('BEGIN');
    const row = await makeRow({ [field]: 'x'.repeat(1000) }, 1n);
    await insertEndorsements(client, [row], NOW);
    const load = (maxBytes: number) => loadPicks(client, [[row.endorserId, row.contestId]], maxBytes);
    expect([await load(1000), (await load(1100))?.length]).toEqual([null, 1]);
    await client.query('ROLLBACK');
  },
);
