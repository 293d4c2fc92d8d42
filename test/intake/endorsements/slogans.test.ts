import { expect, test } from '@jest/globals';
import { readColumns, readRow } from '../../../intake/endorsements/read-row.ts';

const ALL = { endorser: 'coast-gazette', election: 'or-2026-11-03-general' };

/** The names of a row in a table with these columns, as cells of one row. */
function read(header: string[], cells: string[]) {
  const { contest, choice, position } = readRow(cells, readColumns(header, new Map(), ALL));
  return [contest, choice, position];
}

test.each([
  ['Prop 51', 'No on 51', 'Prop 51', 'No'],
  ['Proposition B: A tax', 'Yes on Prop. B!', 'Proposition B: A tax', 'Yes'],
  ['b', 'vote yes on Measure B', 'b', 'yes'],
  ['Harbor bonds', 'No on harbor bonds!!', 'Harbor bonds', 'No'],
  ['', 'YES on 52', '52', 'YES'],
  ['Ballot measures', 'Yes on Prop 1A', 'Prop 1A', 'Yes'],
  ['Proposition', 'No on RR', 'RR', 'No'],
  ['Vote No on Prop Q', '', 'Prop Q', 'No'],
  ['Prop 51', 'Oppose Prop 51', 'Prop 51', 'Oppose'],
  ['Propositions', 'Against Prop 51', 'Prop 51', 'Against'],
  ['Propositions', 'Prop 51 - NO', 'Prop 51', 'NO'],
  ['Prop 51', 'Prop 51: No', 'Prop 51', 'No'],
  ['', 'Measure N (oppose)', 'Measure N', 'oppose'],
  ['', 'Measure N No', 'Measure N', 'No'],
  ['', 'No – Prop 51', 'Prop 51', 'No'],
  ['', 'No a la Prop 51', 'Prop 51', 'No'],
  ['', 'Sí a la Prop 51', 'Prop 51', 'Sí'],
  ['Propositions', 'Prop 51: Harbor bonds - No', 'Prop 51: Harbor bonds', 'No'],
  ['Harbor bonds', 'Harbor bonds (No)', 'Harbor bonds', 'No'],
])('a slogan says its answer about its measure: %j, %j', (race, pick, contest, answer) => {
  expect(read(['Race', 'Our pick'], [race, pick])).toEqual([contest, null, answer]);
  expect(read(['Race', 'Position'], [race, pick])).toEqual([contest, null, answer]);
});

test.each([
  // It is about another measure, or may be.
  ['Prop A', 'Yes on B'],
  ['Proposition B: a tax', 'Yes on A'],
  ['Prop 51', 'No on 5'],
  ['Harbor bonds', 'Yes on school bonds'],
  ['City Council', 'No on 51'],
  // These are not slogans.
  ['Governor', 'Ann Lee'],
  ['Prop 51', 'Yes'],
  ['Prop 51', 'No on !'],
  ['Prop 51', 'They say yes on 51'],
  ['Governor', 'Ann Lee - No'],
  ['Governor', 'No: Ann Lee'],
  ['Prop 51', 'Child-support'],
])('another text stays as it is: %j, %j', (race, pick) => {
  expect(read(['Race', 'Our pick'], [race, pick])).toEqual([race, pick, undefined]);
});

test('beside the other column, neither a choice nor a position is a slogan', () => {
  const header = ['Race', 'Our pick', 'Position'];
  expect(read(header, ['Prop 2', 'Yes on 2', 'Open'])).toEqual(['Prop 2', 'Yes on 2', 'Open']);
  expect(read(header, ['Yes on 2', 'Ann Lee', ''])).toEqual(['Yes on 2', 'Ann Lee', null]);
  expect(read(header, ['Prop 2', '', 'Yes on 2'])).toEqual(['Prop 2', null, 'Yes']);
  expect(read(header, ['el/child-support', 'Yes', ''])).toEqual(['el/child-support', 'Yes', null]);
});

test.each([
  ['NO on Prop 51', '', 'x', 'Prop 51', 'NO', 'x'],
  ['Vote No on Prop 51', 'Bonds', '1', 'Prop 51', 'No', 'Yes'],
  ['Prop 51 - NO', '', 'Yes', 'Prop 51', 'NO', 'Yes'],
  ['Prop 51 (No)', '', '✓', 'Prop 51', 'No', '✓'],
  ['Retain Judge Lee: No', '', 'x', 'Retain Judge Lee', 'No', 'x'],
  ['Oppose Prop 51', 'Yes', '', 'Prop 51', 'Oppose', 'Yes'],
  ['Yes on 2', '', 'No', '2', 'Yes', 'No'],
  ['Yes on 2', 'No', 'Yes', '2', 'Yes', 'No'],
  ['Yes on Prop 51', '', 'x', 'Prop 51', null, 'Yes'],
])(
  'a slogan in the column of contests is an answer beside the others: %j, %j, %j',
  (race, pick, endorsed, ...names) => {
    expect(read(['Race', 'Our pick', 'Endorsed'], [race, pick, endorsed])).toEqual(names);
  },
);

test.each([
  [
    ['Prop 1A', 'No on 1A', '1'],
    ['Prop 1A', 'No', 'Yes'],
  ],
  [
    ['', 'Vote No on Prop 1A', '✓'],
    ['Prop 1A', 'No', '✓'],
  ],
  [
    ['Prop 1A', 'Oppose Prop 1A', 'Yes'],
    ['Prop 1A', 'Oppose', 'Yes'],
  ],
  [
    ['Prop 1A', 'No on 1A', 'No'],
    ['Prop 1A', 'No', 'No'],
  ],
  [
    ['Prop 2', 'Yes on 2', 'No'],
    ['Prop 2', 'Yes', 'No'],
  ],
  [
    ['', 'Yes on Prop 1A', '1'],
    ['Prop 1A', null, 'Yes'],
  ],
  // It is about another measure: the position says nothing about that of the row.
  [
    ['Proposition 1', 'No on 1A', '1'],
    ['Proposition 1', 'No on 1A', undefined],
  ],
  [
    ['Prop 1A', 'Ann Lee', '1'],
    ['Prop 1A', 'Ann Lee', 'Yes'],
  ],
])('a slogan beside a position is an answer too: %j', (cells, names) => {
  expect(read(['Race', 'Our pick', 'Endorsed'], cells)).toEqual(names);
});
