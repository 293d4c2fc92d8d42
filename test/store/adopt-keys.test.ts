/** Stored keys in another form than the one of text, which programs other than imports can leave. */
import { beforeEach, expect, test } from '@jest/globals';
import { type CatalogueImport, importCatalogue } from '../../store/catalogue/import.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { type CatalogueLine, stageLines } from '../helpers/ballots/catalogue.ts';
import { category, choice, contest, election, endorser } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();
const OTHER = 'or-2026-05-19-primary';
const choices = [choice('ánn', { candidate: { full_name: 'Zoé Ann' } }), choice('bób')];
/** In the order of their ids, names with an accent before those that a test changes. */
const LINES: CatalogueLine[] = [
  ['endorser-categories', category()],
  ['endorsers', endorser()],
  ['elections', election()],
  ['contests', contest('cóuncil', { choices })],
  ['contests', contest('máyor', { choices })],
];

const load = (
  lines: CatalogueLine[],
  { keepMissing = false, skipRefused = false } = {},
): Promise<CatalogueImport> =>
  importCatalogue(client, stageLines(lines), {
    ...{ skipRefused, dryRun: false, maxRemovals: null, keepMissing },
  });

async function stored(): Promise<unknown[]> {
  const { rows } = await client.query(`
    SELECT 'district' AS kind, id, name AS key FROM districts UNION ALL SELECT 'contest', id, key FROM contests
    UNION ALL SELECT 'candidate', id, key FROM candidates UNION ALL SELECT 'choice', id, key FROM choices
    ORDER BY kind, id`);
  return rows;
}

beforeEach(async () => {
  await client.query('TRUNCATE elections, contests, choices, candidates, districts CASCADE');
  await load(LINES);
});

test('an import gives each of them its one form, also after keys that have it, and the rows keep their ids', async () => {
  const before = await stored();
  await client.query(`
    UPDATE candidates SET key = normalize(key, NFD)
    WHERE contest_id = (SELECT id FROM contests WHERE key LIKE '%/máyor');
    UPDATE choices SET key = key || ' ' WHERE contest_id = (SELECT id FROM contests WHERE key LIKE '%/máyor');
    UPDATE contests SET key = normalize(key, NFD) WHERE key LIKE '%/máyor';
    UPDATE districts SET name = name || ' '`);
  expect(await stored()).not.toEqual(before);
  const { counts } = await load(LINES);
  expect(await stored()).toEqual(before);
  expect([counts.contests, counts.choices]).toMatchObject([
    { added: 0, removed: 0 },
    { added: 0, removed: 0 },
  ]);
});

test('INV-13: the endorsements in a district whose name gets its form are announced again', async () => {
  await applySubmissions(client, endorse('bakers-local-1', 'máyor', 'bób'));
  await client.query(`UPDATE districts SET name = name || ' '`);
  const { announced } = await load(LINES);
  expect(announced).toEqual({ created: 0, updated: 1, deleted: 0 });
});

test('districts that only share their name get its form, all of them', async () => {
  const district = { name: 'Fern', level: 'city', type: 'place', state: 'OR' };
  const others = [{}, { level: 'county' }, { type: 'ward' }, { state: null }, { ocd_id: 'Fern' }];
  const contests = others.map(
    (values, at): CatalogueLine => ['contests', contest(`c${at}`, { district: { ...district, ...values } })],
  );
  const lines = [...LINES.slice(0, 3), ...contests];
  await load(lines);
  const before = await stored();
  await client.query(`UPDATE districts SET name = name || ' '`);
  await load(lines);
  expect(await stored()).toEqual(before);
});

test('an import does not write those that have their form', async () => {
  const times = async () => (await client.query('SELECT id, updated_at FROM contests ORDER BY id')).rows;
  const before = await times();
  await load(LINES);
  expect(await times()).toEqual(before);
});

test('a row whose form another row has is removed, even if missing rows are kept', async () => {
  // Of two choices without the form, the one with the lower id gets it.
  await client.query(`UPDATE choices SET key = key || '  ' WHERE key = 'bób'`);
  await client.query(`
    INSERT INTO choices (contest_id, key, label, ballot_order)
    SELECT id, 'bób ', 'bób', 3 FROM contests WHERE key LIKE '%/máyor'`);
  await client.query(`
    INSERT INTO contests (key, election_id, district_id, title, short_title, kind, vote_method, ballot_order)
    SELECT key || ' ', election_id, district_id, title, short_title, kind, vote_method, 3
    FROM contests WHERE key LIKE '%/cóuncil'`);
  const { counts } = await load(LINES, { keepMissing: true });
  expect([counts.contests, counts.choices]).toMatchObject([
    { added: 0, removed: 1 },
    { added: 0, removed: 1 },
  ]);
  const { rows } = await client.query(
    'SELECT key FROM choices WHERE removed_at IS NOT NULL UNION SELECT key FROM contests WHERE removed_at IS NOT NULL',
  );
  expect(rows.map(({ key }) => key).sort()).toEqual(['bób ', 'or-2026-11-03-general/cóuncil ']);
});

test.each(['OR', null])(
  'a district of the state %j whose form another one has stays as it is',
  async (state) => {
    const district = { name: 'Fern', level: 'city', type: 'place', state };
    const lines: CatalogueLine[] = [...LINES.slice(0, 3), ['contests', contest('clerk', { district })]];
    await load(lines);
    await client.query(
      `INSERT INTO districts (name, level, type, state) SELECT name || ' ', level, type, state FROM districts WHERE name = 'Fern'`,
    );
    const before = await stored();
    expect((await load(lines)).loaded).toBe(true);
    expect(await stored()).toEqual(before);
  },
);

test('an import leaves those of elections that only refused lines name, but not the names of districts', async () => {
  const district = { ocd_id: 'ocd-division/x', name: 'Elm', level: 'city', type: 'place', state: 'OR' };
  await load([
    ['elections', election({ slug: OTHER })],
    ['contests', contest('máyor', { election: OTHER, district, choices: [choice('ann')] })],
  ]);
  await client.query(`
    UPDATE contests SET key = key || ' ' WHERE key LIKE '${OTHER}%';
    UPDATE choices SET key = key || ' ' WHERE contest_id = (SELECT id FROM contests WHERE key LIKE '${OTHER}%');
    UPDATE districts SET name = name || ' '`);
  const foreign = contest('máyor', { election: OTHER, district: { ...district, state: 'CA' } });
  const { refused } = await load([...LINES, ['contests', foreign]], { skipRefused: true });
  expect(refused).toEqual({ contests: 1 });
  const { rows } = await client.query(
    `SELECT c.key, h.key AS choice, d.name FROM contests c JOIN choices h ON h.contest_id = c.id
     JOIN districts d ON d.id = c.district_id WHERE c.key LIKE '${OTHER}%'`,
  );
  expect(rows).toEqual([{ key: `${OTHER}/máyor `, choice: 'ann ', name: 'Elm' }]);
});
