import { beforeAll, expect, test } from '@jest/globals';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { contest } from '../helpers/ballots/catalogue-records.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const OREGON = 'or-2026-11-03-general';

const database = useTestDatabase();
const { client } = database;

beforeAll(async () => {
  await loadCatalogue(database.url, SMALL_BALLOT);
});

/** The counts as counted from the tables, and as stored. */
const COUNTED = `
  SELECT l.slug, count(DISTINCT c.id)::int AS contests, count(DISTINCT c.id) FILTER (WHERE c.kind = 'measure')::int AS measures,
    count(n.id)::int AS endorsements, count(DISTINCT n.contest_id)::int AS endorsed
  FROM elections l LEFT JOIN contests c ON c.election_id = l.id AND c.removed_at IS NULL
    LEFT JOIN endorsements n ON n.contest_id = c.id
  GROUP BY l.slug ORDER BY l.slug`;
const KEPT = `
  SELECT l.slug, COALESCE(b.contests, 0) AS contests, COALESCE(b.measures, 0) AS measures,
    COALESCE(a.endorsements, 0) AS endorsements, COALESCE(a.endorsed_contests, 0) AS endorsed
  FROM elections l LEFT JOIN ballot_sizes b ON b.election_id = l.id
    LEFT JOIN endorsement_activity a ON a.election_id = l.id
  ORDER BY l.slug`;

async function expectTrueCounts(oregon: number[]): Promise<void> {
  const { rows: kept } = await client.query(KEPT);
  const { rows: counted } = await client.query(COUNTED);
  expect(kept).toEqual(counted);
  const { contests, measures, endorsements, endorsed } = kept.find(({ slug }) => slug === OREGON);
  expect([contests, measures, endorsements, endorsed]).toEqual(oregon);
}

/** Every endorser endorses the choices that match a condition, in one statement. */
const endorseWhere = (condition: string) =>
  client.query(`
    INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, updated_at)
    SELECT e.id, c.id, h.id, c.election_id, now()
    FROM endorsers e, contests c JOIN choices h ON h.contest_id = c.id WHERE ${condition}`);
const withdrawWhere = (condition: string) => client.query(`DELETE FROM endorsements WHERE ${condition}`);
const contestId = (slug: string) => `(SELECT id FROM contests WHERE key = '${OREGON}/${slug}')`;

test('the counts of an election stay correct for all additions and removals', async () => {
  await expectTrueCounts([3, 0, 0, 0]);
  await endorseWhere(`c.id = ${contestId('mayor')} AND h.key = 'ann'`);
  await expectTrueCounts([3, 0, 3, 1]);
  await endorseWhere(`c.id IN (${contestId('mayor')}, ${contestId('council')}) AND h.key = 'bob'`);
  await expectTrueCounts([3, 0, 9, 2]);
  await endorseWhere(`c.id <> ${contestId('mayor')} AND h.key <> 'bob'`);
  const { rows } = await client.query(KEPT);
  expect(rows.every(({ endorsements }) => endorsements > 0)).toBe(true);
  await withdrawWhere(`contest_id = ${contestId('mayor')} AND endorser_id = 1`);
  await withdrawWhere(`contest_id = ${contestId('sheriff')}`);
  await expectTrueCounts([3, 0, 16, 2]);
  await withdrawWhere('endorser_id < 3');
  await withdrawWhere('true');
  await expectTrueCounts([3, 0, 0, 0]);
  await endorseWhere(`c.id = ${contestId('sheriff')} AND h.key = 'ann'`);
  await expectTrueCounts([3, 0, 3, 1]);
  await client.query('TRUNCATE endorsements');
  await expectTrueCounts([3, 0, 0, 0]);
});

test('a repeated import counts new contests, changed kinds, and contests that vanish with their endorsements', async () => {
  await endorseWhere(`c.id = ${contestId('mayor')} AND h.key = 'ann'`);
  const mayor = contest('mayor', { election: OREGON });
  const load = (...records: object[]) =>
    loadCatalogue(
      database.url,
      records.map((record) => ['contests', record]),
    );
  await load(mayor, contest('clerk', { election: OREGON, kind: 'measure' }));
  await expectTrueCounts([2, 1, 3, 1]);
  await load(mayor, contest('clerk', { election: OREGON }));
  await expectTrueCounts([2, 0, 3, 1]);
  await load(contest('clerk', { election: OREGON }));
  await expectTrueCounts([1, 0, 0, 0]);
});
