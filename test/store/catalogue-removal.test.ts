import { expect, test } from '@jest/globals';
import type { CatalogueLine } from '../helpers/ballots/catalogue.ts';
import { choice, contest, election } from '../helpers/ballots/catalogue-records.ts';
import { GENERAL, PRIMARY, START, useEndorsedCatalogue } from '../helpers/ballots/endorsed-catalogue.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();
const load = useEndorsedCatalogue(client);

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
  `${PRIMARY}/mayor#ann`,
  `${PRIMARY}/mayor#bob`,
  `${GENERAL}/council#ann`,
  `${GENERAL}/council#bob`,
  `${GENERAL}/mayor#ann`,
  `${GENERAL}/mayor#bob`,
];

test('a contest that vanishes from its election is removed, and its endorsements are withdrawn with changes', async () => {
  const result = await load([['contests', contest('mayor')]]);
  expect(result.counts.contests).toEqual({ added: 0, changed: 0, unchanged: 1, removed: 1 });
  expect(result.announced).toEqual({ created: 0, updated: 0, deleted: 1 });
  expect(await present()).toEqual(ALL.filter((key) => !key.includes('council')));
  expect(await endorsed()).toEqual([`${PRIMARY}/mayor`, 'or-2026-11-03-general/mayor']);
  expect(await deleted()).toEqual(['deleted Title of council']);
});

test('a choice that vanishes from its contest is removed with its endorsements', async () => {
  const result = await load([
    ['contests', contest('mayor', { choices: [choice('bob')] })],
    ['contests', contest('council')],
  ]);
  expect(result.counts.choices).toMatchObject({ removed: 1 });
  expect(await present()).toEqual(ALL.filter((key) => key !== `${GENERAL}/mayor#ann`));
  expect(await deleted()).toEqual(['deleted Title of mayor']);
});

test.each([
  ['choice', [contest('mayor', { choices: [choice('bob')] }), contest('council')]],
  ['contest', [contest('council')]],
])('the key of a removed %s can become that of another person', async (_, rest) => {
  const council: CatalogueLine = ['contests', contest('council')];
  await load(rest.map((record): CatalogueLine => ['contests', record]));
  const other = choice('ann', { candidate: { full_name: 'Zoe Xu' } });
  const { refused } = await load([
    ['contests', contest('mayor', { choices: [other, choice('bob')] })],
    council,
  ]);
  expect(refused).toEqual({});
  expect(await present()).toEqual(ALL);
});

test('contests, choices and endorsements count together against the number that may be taken away', async () => {
  const lacking: CatalogueLine[] = [['contests', contest('mayor', { choices: [choice('bob')] })]];
  const refused = await load(lacking, { maxRemovals: 5 });
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

  const allowed = await load(lacking, { maxRemovals: 6 });
  expect(allowed).toMatchObject({ loaded: true, removalsRefused: null });
  expect(await endorsed()).toEqual([`${PRIMARY}/mayor`]);
});

test('a choice that was removed before its contest does not count again', async () => {
  await load([
    ...START.slice(0, 4),
    ['contests', contest('mayor', { choices: [choice('bob')] })],
    ...START.slice(5),
  ]);
  const refused = await load([['contests', contest('council')]], { maxRemovals: 0 });
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
  expect(await endorsed()).toEqual([`${PRIMARY}/mayor`]);
});

test('a contest that returns has the choices with which it returns, also when missing ones are kept', async () => {
  const returning: CatalogueLine = ['contests', contest('council', { choices: [choice('cleo')] })];
  for (const keepMissing of [false, true]) {
    await load([['contests', contest('mayor')]]);
    const result = await load([['contests', contest('mayor')], returning], { maxRemovals: 0, keepMissing });
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
  const lines: CatalogueLine[] = [
    ['contests', contest('mayor')],
    ['contests', contest('council', { title: 7 })],
  ];
  const result = await load(lines, { skipRefused: true });
  expect(result.refused).toEqual({ contests: 1 });
  expect(await present()).toEqual(ALL);
});

test('an election whose only line is refused for its district keeps its other contests', async () => {
  const abroad = { name: 'Fernville', level: 'city', type: 'place', state: 'CA' };
  const lines: CatalogueLine[] = [
    ['contests', contest('mayor', { district: abroad })],
    ['contests', contest('mayor', { election: PRIMARY })],
  ];
  const { refused } = await load(lines, { skipRefused: true });
  expect([refused, await present()]).toEqual([{ contests: 1 }, ALL]);
});

test.each([
  ['contests', ALL],
  ['endorsers', ALL.filter((key) => !key.includes('council'))],
] as const)('a refused line without a key may be any contest if it is one of %s', async (kind, left) => {
  const lines = [
    ['contests', contest('mayor')],
    [kind, 'no record'],
  ] as const;
  await load(lines, { skipRefused: true });
  expect(await present()).toEqual(left);
  expect(await endorsed()).toHaveLength(left.length / 2);
});
