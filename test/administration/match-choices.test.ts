import { expect, test } from '@jest/globals';
import { matchChoices } from '../../administration/intake/match-names.ts';
import type { Sources } from '../../administration/intake/sources.ts';
import { ENDORSEMENT_FIELDS } from '../../intake/endorsements/fields.ts';
import { readColumns, readRow } from '../../intake/endorsements/read-row.ts';
import { indexElection } from '../../intake/matching/catalogue-index.ts';
import { createContestFinder } from '../../intake/matching/row-contests.ts';
import { readColumnMap } from '../../intake/tables/columns.ts';
import { choice, contest, election } from '../helpers/ballots/matcher-entries.ts';

const people = [
  choice('ann', 'Ann Lee'),
  choice('bo', 'Bo Díaz'),
  choice('cy', 'Catherine Ng', { party: 'Democratic' }),
];
const index = indexElection(election, [
  contest('board', 'School Board', people, { vote_method: 'multi_seat' }),
  contest('mayor', 'Mayor', people, { vote_method: 'ranked_choice' }),
  contest('ward-1', 'City Council', [choice('di', 'Di Roe')], { district: { ocd_id: null, name: 'Ward 1' } }),
  contest('ward-2', 'City Council', [choice('ed', 'Ed Sun')], { district: { ocd_id: null, name: 'Ward 2' } }),
]);
const sources = {
  findAlias: () => null,
  matchEndorser: () => ({ grade: 'exact', value: { slug: 'gazette', name: 'Gazette' }, reason: null }),
  matchElection: () => ({ grade: 'exact', value: election, reason: null, candidates: [], doubt: null }),
  loadElection: async () => ({ index, find: createContestFinder(index) }),
} as unknown as Sources;
const columns = readColumns(
  ['endorser', 'election', 'contest', 'choice', 'decision', 'match_grade'],
  readColumnMap([], ENDORSEMENT_FIELDS),
  {},
);

/** The choices of a row, or the grade of the whole. */
async function match(office: string, cell: string, decision = '') {
  const rows = await matchChoices(readRow(['gazette', 'el', office, cell, decision], columns), sources);
  const { grade } = rows[0].matched;
  if (grade !== 'exact') return grade;
  return rows.map(
    ({ row: { rank }, matched: { choice } }) => `${rank === null ? '' : `${rank} `}${choice?.key}`,
  );
}

test.each([
  ['Ann Lee', 'ann'],
  ['Ann Lee, Bo Diaz', 'ann', 'bo'],
  ['Bo Diaz; LEE, ANN', 'bo', 'ann'],
  ['Ann Lee\nCatherine Ng (D)\nBo Díaz', 'ann', 'cy', 'bo'],
  ['Ann Lee & Bo Diaz and Catherine Ng', 'ann', 'bo', 'cy'],
  ['1. Ann Lee, 2. Bo Diaz', 'ann', 'bo'],
])('a cell with %j names each of its choices', async (cell, ...keys) => {
  expect(await match('School Board', cell)).toEqual(keys);
});

test('the numbers of the choices are their ranks if the contest has ranks', async () => {
  expect(await match('Mayor', '#2 Bo Diaz\n#1: Ann Lee')).toEqual(['2 bo', '1 ann']);
  expect(await match('Mayor', '2. Bo Diaz; 1) Ann Lee')).toEqual(['2 bo', '1 ann']);
});

test.each([
  ['a name is only close', 'School Board', 'Ann Lee, Cathy Ng'],
  ['a name is unknown', 'School Board', 'Ann Lee, Nobody Else'],
  ['a name comes twice', 'School Board', 'Ann Lee; Bo Diaz; ann lee'],
  ['the contest has ranks, and the choices no numbers', 'Mayor', 'Ann Lee, Bo Diaz'],
  ['the contest has ranks, and a choice no number', 'Mayor', '1. Ann Lee, Bo Diaz'],
  ['two choices have one rank', 'Mayor', '1. Ann Lee, 1. Bo Diaz'],
  ['the choices are of several contests', 'City Council', 'Di Roe, Ed Sun'],
])('nothing is split if %s', async (_, office, cell) => {
  expect(await match(office, cell)).toBe('ambiguous');
});

test('a decision is about the whole cell', async () => {
  expect(await match('School Board', 'Ann Lee, Bo Diaz', 'no')).toBe('ambiguous');
});

test('the names of a cell are looked for up to a bound', async () => {
  let looks = 0;
  const matchElection: Sources['matchElection'] = (text) => {
    looks += 1;
    return sources.matchElection(text);
  };
  const look = async (count: number) => {
    looks = 0;
    const cell = Array.from({ length: count }, () => 'Ann Lee').join(';');
    await matchChoices(readRow(['gazette', 'el', 'School Board', cell], columns), {
      ...sources,
      matchElection,
    });
    return looks;
  };
  expect([await look(50), await look(51)]).toEqual([51, 1]);
});
