import { beforeEach, expect, test } from '@jest/globals';
import { checkRecord } from '../../administration/catalogue/check-record.ts';
import { createRefusalList } from '../../administration/catalogue/refusal-list.ts';
import type { CatalogueKind } from '../../schemas/catalogue-files.ts';
import { type CatalogueImport, importCatalogue } from '../../store/catalogue/import.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { category, choice, contest, election, endorser } from '../helpers/ballots/catalogue-records.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();

const OTHER = 'or-2026-05-19-primary';
const START: [CatalogueKind, object][] = [
  ['endorser-categories', category()],
  ['endorsers', endorser()],
  ['elections', election()],
  ['elections', election({ slug: OTHER })],
  ['contests', contest('mayor')],
  ['contests', contest('council')],
  ['contests', contest('mayor', { election: OTHER })],
];

async function load(
  records: [CatalogueKind, unknown][],
  maxRemovals = 100,
  keepMissing = false,
): Promise<CatalogueImport> {
  async function* lines(): AsyncGenerator<StagedLine> {
    for (const [index, [kind, record]] of records.entries()) {
      yield checkRecord(kind, 'test.ndjson', index + 1, record, createRefusalList());
    }
  }
  return importCatalogue(client, lines(), { skipRefused: true, dryRun: false, maxRemovals, keepMissing });
}

/** The endorser endorses the first choice of every contest. */
beforeEach(async () => {
  await client.query(
    'TRUNCATE elections, endorser_categories, endorsers, districts, contests, candidates, choices CASCADE',
  );
  await client.query('TRUNCATE change_log');
  await load(START);
  await client.query(`
    INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, updated_at)
    SELECT endorsers.id, contests.id, choices.id, election_id, now()
    FROM endorsers, contests JOIN choices ON contest_id = contests.id WHERE choices.key = 'ann'`);
});

async function keys(sql: string): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(sql);
  return rows.map(({ key }) => key).sort();
}
const present = () =>
  keys(`SELECT contests.key || '#' || choices.key AS key FROM contests JOIN choices ON contest_id = contests.id
    WHERE contests.removed_at IS NULL AND choices.removed_at IS NULL`);
const endorsed = () => keys('SELECT key FROM endorsements JOIN contests ON contests.id = contest_id');
const deleted = () =>
  keys(`SELECT type || ' ' || (body -> 'contest' ->> 'title') AS key FROM change_log ORDER BY sequence`);

const ALL = [
  `${OTHER}/mayor#ann`,
  `${OTHER}/mayor#bob`,
  'or-2026-11-03-general/council#ann',
  'or-2026-11-03-general/council#bob',
  'or-2026-11-03-general/mayor#ann',
  'or-2026-11-03-general/mayor#bob',
];

test('a contest that vanishes from its election is removed, and its endorsements are withdrawn with changes', async () => {
  const result = await load([['contests', contest('mayor')]]);
  expect(result.counts.contests).toEqual({ added: 0, changed: 0, unchanged: 1, removed: 1 });
  expect(result.announced).toEqual({ created: 0, updated: 0, deleted: 1 });
  expect(await present()).toEqual(ALL.filter((key) => !key.includes('council')));
  expect(await endorsed()).toEqual([`${OTHER}/mayor`, 'or-2026-11-03-general/mayor']);
  expect(await deleted()).toEqual(['deleted Title of council']);
});

test('a choice that vanishes from its contest is removed with its endorsements', async () => {
  const result = await load([
    ['contests', contest('mayor', { choices: [choice('bob')] })],
    ['contests', contest('council')],
  ]);
  expect(result.counts.choices).toMatchObject({ removed: 1 });
  expect(await present()).toEqual(ALL.filter((key) => key !== 'or-2026-11-03-general/mayor#ann'));
  expect(await deleted()).toEqual(['deleted Title of mayor']);
});

test('the key of a removed choice can become that of another person', async () => {
  const council: [CatalogueKind, unknown] = ['contests', contest('council')];
  await load([['contests', contest('mayor', { choices: [choice('bob')] })], council]);
  const other = choice('ann', { candidate: { full_name: 'Zoe Xu' } });
  const { refused } = await load([
    ['contests', contest('mayor', { choices: [other, choice('bob')] })],
    council,
  ]);
  expect(refused).toEqual({});
  expect(await present()).toEqual(ALL);
});

test('contests, choices and endorsements count together against the number that may be taken away', async () => {
  const lacking: [CatalogueKind, unknown][] = [['contests', contest('mayor', { choices: [choice('bob')] })]];
  const refused = await load(lacking, 5);
  expect(refused).toMatchObject({
    loaded: false,
    removalsRefused: [
      {
        records: [
          { kind: 'contests', removed: 1 },
          { kind: 'choices', removed: 3 },
          { kind: 'endorsements', removed: 2 },
        ],
      },
    ],
  });
  expect(await present()).toEqual(ALL);
  expect(await endorsed()).toHaveLength(3);

  const allowed = await load(lacking, 6);
  expect(allowed).toMatchObject({ loaded: true, removalsRefused: null });
  expect(await endorsed()).toEqual([`${OTHER}/mayor`]);
});

test('a choice that was removed before its contest does not count again', async () => {
  await load([
    ...START.slice(0, 4),
    ['contests', contest('mayor', { choices: [choice('bob')] })],
    ...START.slice(5),
  ]);
  const refused = await load([['contests', contest('council')]], 0);
  expect(refused.removalsRefused?.[0]?.records.map(({ removed }) => removed)).toEqual([1, 1, 0]);
});

test('a contest or choice that returns keeps its id, and its endorsements stay withdrawn', async () => {
  const ids = () => client.query('SELECT id, key FROM contests ORDER BY id').then(({ rows }) => rows);
  const choiceIds = () => client.query('SELECT id, key FROM choices ORDER BY id').then(({ rows }) => rows);
  const before = [await ids(), await choiceIds()];
  await load([['contests', contest('mayor', { choices: [choice('bob')] })]]);
  const result = await load(START);
  expect(result.counts.contests).toMatchObject({ added: 0, changed: 1, unchanged: 2 });
  expect(result.counts.choices).toMatchObject({ added: 0 });
  expect([await ids(), await choiceIds()]).toEqual(before);
  expect(await present()).toEqual(ALL);
  expect(await endorsed()).toEqual([`${OTHER}/mayor`]);
});

test('a contest that returns has the choices with which it returns, also when missing ones are kept', async () => {
  const returning: [CatalogueKind, unknown] = ['contests', contest('council', { choices: [choice('cleo')] })];
  for (const keepMissing of [false, true]) {
    await load([['contests', contest('mayor')]]);
    const result = await load([['contests', contest('mayor')], returning], 0, keepMissing);
    expect(result).toMatchObject({ loaded: true, removals: [] });
    expect(await present()).toEqual([
      ...ALL.filter((key) => !key.includes('council')).slice(0, 2),
      'or-2026-11-03-general/council#cleo',
      ...ALL.filter((key) => key.startsWith('or-2026-11-03-general/mayor')),
    ]);
  }
});

test('importing again without a removed contest changes nothing', async () => {
  await load([['contests', contest('mayor')]]);
  const result = await load([['contests', contest('mayor')]]);
  expect(result.counts.contests).toMatchObject({ unchanged: 1, removed: 0 });
  expect(result.announced).toEqual({ created: 0, updated: 0, deleted: 0 });
});

test('an elections file alone removes no contest', async () => {
  const result = await load([['elections', election({ name: 'Renamed' })]]);
  expect(result.counts.elections).toMatchObject({ changed: 1 });
  expect(await present()).toEqual(ALL);
});

test('a contest with a refused line does not count as vanished', async () => {
  const result = await load([
    ['contests', contest('mayor')],
    ['contests', contest('council', { title: 7 })],
  ]);
  expect(result.refused).toEqual({ contests: 1 });
  expect(await present()).toEqual(ALL);
});

test('a refused line without a key may be any contest, so no contest is removed', async () => {
  await load([
    ['contests', contest('mayor')],
    ['contests', 'no record'],
  ]);
  expect(await present()).toEqual(ALL);
  expect(await endorsed()).toHaveLength(3);
});
