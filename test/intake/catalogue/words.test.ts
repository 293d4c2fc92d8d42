/** The words of people for the values of the catalogue. */
import { describe, expect, test } from '@jest/globals';
import { readCellOf } from '../../../intake/catalogue/cell-values.ts';
import {
  divisionName,
  isFederalOffice,
  kindOfDivision,
  readDivision,
} from '../../../intake/catalogue/divisions.ts';
import { defaultElectionType, readElectionType } from '../../../intake/catalogue/election-types.ts';
import { Notes } from '../../../intake/catalogue/notes.ts';
import { readState } from '../../../intake/catalogue/read-state.ts';
import type { CatalogueField } from '../../../intake/catalogue/table-fields.ts';

describe('a cell', () => {
  test.each<[CatalogueField, string, unknown]>([
    ['seats', '3', 3],
    ['seats', '1,000', 1000],
    ['seats', '2.0', 2],
    ['withdrawn', 'Disqualified', true],
    ['withdrawn', 'Deceased', true],
    ['withdrawn', 'Rejected', true],
    ['withdrawn', 'on the ballot', false],
    ['withdrawn', 'Write-In', false],
    ['incumbent', 'SÍ', true],
    ['incumbent', 'N', false],
    ['incumbent', 'Incumbent', true],
    ['contest_details', '{"a":[1]}', { a: [1] }],
    ['state', 'new york', 'NY'],
    ['district_state', 'us', 'US'],
    ['election_type', 'Special primary', 'special_primary'],
    ['kind', 'Ballot Measure', 'measure'],
    ['kind', 'measure', 'measure'],
    ['level', 'Town', 'city'],
    ['vote_method', 'Ranked-choice voting', 'ranked_choice'],
    ['vote_method', 'ranked_choice', 'ranked_choice'],
    ['vote_method', 'Multi-Seat', 'multi_seat'],
    // The check of every record names the words that are right.
    ['vote_method', 'Borda', 'Borda'],
    ['election_type', 'Rerun', 'Rerun'],
    ['election_date', '2026-11-03', '2026-11-03'],
    ['election_date', 'Nov. 3, 2026', '2026-11-03'],
    ['contest', '1,000', '1,000'],
  ])('of %s with %j is %j', (field, text, value) => {
    expect(readCellOf(field, text)).toEqual({ value });
  });

  test.each<[CatalogueField, string, string]>([
    ['seats', '1.5', 'must be a whole number from 1, is "1.5"'],
    ['candidate', '#REF!', 'must not be the result of a formula that fails, is "#REF!"'],
    ['seats', '-1', 'must be a whole number from 1, is "-1"'],
    ['withdrawn', 'maybe', 'must be yes or no, is "maybe"'],
    // A column "Status" can say either.
    ['withdrawn', 'Incumbent', 'must be yes or no, is "Incumbent"'],
    ['incumbent', 'Withdrawn', 'must be yes or no, is "Withdrawn"'],
    ['contest_details', '[1]', 'must be a JSON object, is "[1]"'],
    ['contest_details', 'null', 'must be a JSON object, is "null"'],
    ['contest_details', '{', 'must be a JSON object, is "{"'],
    ['election_date', '2026-02-30', 'must be a real date such as 11/3/2026 or 2026-11-03, is "2026-02-30"'],
    ['election_date', '25/12/2026', 'must have its month first: write 2026-12-25, is "25/12/2026"'],
    ['election_date', 'Nov. 3', 'or 2026-11-03, with its year, is "Nov. 3"'],
  ])('of %s with %j is refused', (field, text, fault) => {
    expect(readCellOf(field, text)).toEqual({ fault: expect.stringContaining(fault) });
  });
});

test.each([
  ['or', 'OR'],
  ['OREGON', 'OR'],
  [' new  york ', 'NY'],
  ['DISTRICT OF COLUMBIA', 'DC'],
  ['Avalon', 'Avalon'],
])('the state %j is %s', (text, state) => {
  expect(readState(text)).toBe(state);
});

describe('the type of an election', () => {
  test.each([
    ['2026 Statewide General Election', 'general'],
    ['special_primary', 'special_primary'],
    ['Primary for the special election', 'special_primary'],
    ['Special Runoff', 'runoff'],
    ['Recall', 'special'],
    ['Republican caucus', 'primary'],
    ['Elección general', 'general'],
    ['Segunda vuelta', 'runoff'],
    ['Specialists of generality', null],
    ['2026 November General and Special Elections', 'general'],
    ['General/Special Election', 'general'],
    ['Special and General Election', 'general'],
    ['Elección general y especial', 'general'],
    ['General and Special Election Runoff', 'runoff'],
    ['Special Election for Governor and Attorney General', 'special'],
    ['General Primary Election / Nonpartisan Election / Special Election', 'primary'],
    ['Special General Election', 'special'],
    ['Special Primary and Special General Election', 'special_primary'],
  ])('%j is %s', (text, type) => {
    expect(readElectionType(text)).toBe(type);
  });

  test.each([
    ['2026-11-03', 'general'],
    ['2022-11-08', 'general'],
    ['2027-11-02', 'general'],
    // A Tuesday, but before the first Monday.
    ['2022-11-01', null],
    ['2026-11-10', null],
    ['2026-11-04', null],
    ['2026-12-08', null],
  ])('on %s is %s', (date, type) => {
    expect(defaultElectionType(date)).toBe(type);
  });
});

describe('a division', () => {
  const VA = 'ocd-division/country:us/state:va';

  test.each([
    [` ${VA.toUpperCase()}/CD:5 `, `${VA}/cd:5`],
    ['ocd-division/country:us', 'ocd-division/country:us'],
    ['ocd-division/country:ca/province:on', null],
    [`${VA}/`, null],
  ])('%j is read as %j', (text, id) => {
    expect(readDivision(text)).toBe(id);
  });

  test.each([
    [VA, '', null],
    ['ocd-division/country:us', 'us', null],
    [`${VA}/county:fern`, 'county:fern', { level: 'county', type: 'county' }],
    [`${VA}/place:rio/ward:2`, 'place:rio ward:2', { level: 'city', type: 'ward' }],
    ['ocd-division/country:us/district:dc/ward:2', 'ward:2', null],
    [`${VA}/toString:2`, 'toString:2', null],
    [`${VA}/constructor:1/ward:2`, 'constructor:1 ward:2', null],
  ])('%s has the key %j and the kind %j', (id, key, kind) => {
    expect([divisionName(id), kindOfDivision(id)]).toEqual([key, kind]);
  });

  test.each([
    ['President', true],
    ['Delegate to Congress', true],
    ['Delegate to the convention', false],
    ['Representative in Congress', true],
    ['City Council President', false],
    ['State Representative', false],
    ['U.S. Senator', true],
    ['Resident Commissioner', true],
  ])('elects %s to a federal office: %s', (office, isFederal) => {
    expect(isFederalOffice(office)).toBe(isFederal);
  });
});

describe('notes', () => {
  test('are counted by kind and message, the most frequent of each kind first, with a few examples once', () => {
    const notes = new Notes();
    notes.add('to check', 'b', 'one');
    notes.add('assumed', 'rare', 'x'.repeat(121));
    for (const example of ['a', 'a', 'b', 'c', 'd', 'e', 'f']) notes.add('assumed', 'usual', example);
    notes.add('left out', 'rare', undefined, 5);
    notes.add('left out', 'z');
    notes.add('left out', 'y');
    expect(notes.all).toEqual([
      { kind: 'assumed', message: 'usual', count: 7, examples: ['a', 'b', 'c', 'd', 'e'] },
      { kind: 'assumed', message: 'rare', count: 1, examples: [expect.stringMatching(/^x{100,120}…$/)] },
      { kind: 'left out', message: 'rare', count: 5, examples: [] },
      { kind: 'left out', message: 'y', count: 1, examples: [] },
      { kind: 'left out', message: 'z', count: 1, examples: [] },
      { kind: 'to check', message: 'b', count: 1, examples: ['one'] },
    ]);
  });

  test('name every record that a person looks at, and are bounded', () => {
    const notes = new Notes();
    for (let index = 0; index < 201; index += 1) notes.add('to check', 'namesakes', `person ${index}`);
    for (let index = 0; index < 600; index += 1) notes.add('left out', `column ${index}`);
    notes.add('left out', 'column 0');
    const { all } = notes;
    expect(all).toHaveLength(500);
    expect(all[0]).toMatchObject({ message: 'column 0', count: 2 });
    expect(all.at(-1)?.examples).toHaveLength(200);
  });
});
