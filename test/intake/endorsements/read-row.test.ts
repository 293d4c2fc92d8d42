import { describe, expect, test } from '@jest/globals';
import { ENDORSEMENT_FIELDS, usualFieldOf } from '../../../intake/endorsements/fields.ts';
import {
  type Constants,
  createPick,
  type EndorsementRow,
  findFormulaError,
  findLongName,
  type Meant,
  readColumns,
  readRow,
} from '../../../intake/endorsements/read-row.ts';
import { createReviewWriter } from '../../../intake/endorsements/review-file.ts';
import { readColumnMap } from '../../../intake/tables/columns.ts';
import { TableError } from '../../../intake/tables/table-error.ts';

const ALL = { endorser: 'coast-gazette', election: 'or-2026-11-03-general' };

/** The position that a row has in a table with this column. */
const readPosition = (column: string, cell: string) =>
  readRow(['Ann', cell], readColumns(['Candidate', column], new Map(), ALL)).position;

test.each([
  ['Endorsed', '1', 'Yes'],
  ['SUPPORT', '0', 'No'],
  ['Yes/No', ' 1 ', 'Yes'],
  ['YesNo', '0', 'No'],
  ['Endorsed', '2', '2'],
  ['Endorsed', 'x', 'x'],
  ['Endorsed', '', null],
  // Such a number can be a rank.
  ['Position', '1', '1'],
  ['Recommendation', '0', '0'],
])('in a column named %j, %j says %j', (column, cell, position) => {
  expect(readPosition(column, cell)).toBe(position);
});

test('a column that is mapped to the position has flags by its own name', () => {
  const columns = (name: string) =>
    readColumns(['Candidate', name], new Map([[name, 'position' as const]]), ALL);
  expect(readRow(['Ann', '1'], columns('Is endorsed?')).position).toBe('Yes');
  expect(readRow(['Ann', '1'], columns('Place')).position).toBe('1');
});

test('a column is known by the usual names of its field, and by the own name of the field', () => {
  const header = ['RaceName', ' STATEMENT_ES ', 'match_grade', 'Decision', 'Notes', ''];
  const fields = ['contest', 'statement_es', 'match_grade', 'decision', null, null];
  expect(header.map((name) => usualFieldOf(name, header))).toEqual(fields);
});

test('a decision is a position in a table without the other columns of a review', () => {
  const positions = (header: string[]) => {
    const { decision, position } = readRow(['Prop 51', 'No'], readColumns(header, new Map(), ALL));
    return [decision, position];
  };
  expect(positions(['Race', 'Decision'])).toEqual([null, 'No']);
  expect(usualFieldOf('Decision', ['Race', 'Decision'])).toBe('position');
  expect(positions(['Race', 'Decision', 'Candidate', 'proposed_choice'])).toEqual(['No', undefined]);
  expect(() => readColumns(['Race', 'Decision', 'Position'], new Map(), ALL)).toThrow(
    'both hold the position',
  );
  // The review file has both.
  const { head } = createReviewWriter(
    ['Race', 'Decision'],
    readColumns(['Race', 'Decision'], new Map(), ALL),
  );
  expect(readColumns(head.trim().split(','), new Map(), ALL).places.get('position')).toBe(1);
});

describe('the columns of a table', () => {
  const problemOf = (header: string[], constants: Constants, ...map: string[]) => {
    try {
      readColumns(header, readColumnMap(map, ENDORSEMENT_FIELDS), constants);
      return null;
    } catch (error) {
      expect(error).toBeInstanceOf(TableError);
      return (error as TableError).problem;
    }
  };
  const [{ endorser }, { election }] = [ALL, ALL];

  test.each<[string[], Constants]>([
    [['Organization', 'Race', 'Candidate'], { election }],
    [['Candidate'], ALL],
    [['Race', 'Position'], ALL],
    [['Candidate', 'Election'], { endorser }],
    [['Candidate', 'Election date'], { endorser }],
    [['Candidate', 'State'], { endorser }],
  ])('%j with %j say everything that is needed', (header, constants) => {
    expect(problemOf(header, constants)).toBeNull();
  });

  test.each<[string[], Constants, string]>([
    [['Race', 'Candidate'], { election }, 'The table has no column for the endorser. Its columns are "Race"'],
    [['Race', 'Party'], ALL, 'The table has no column for the choice.'],
    [['Position'], ALL, 'The table has no column for the contest.'],
    [['Race', 'Candidate'], { endorser }, 'The table has no column for the election.'],
    [
      ['Candidate', 'Newspaper'],
      ALL,
      'The endorser of all rows is chosen, and the column "Newspaper" has the endorser too.',
    ],
    [
      ['Candidate', 'Election'],
      ALL,
      'The election of all rows is chosen, and the column "Election" has the election too.',
    ],
  ])('%j with %j are refused', (header, constants, problem) => {
    expect(problemOf(header, constants)).toContain(problem);
  });

  test('may leave out the one that a value for all rows replaces', () => {
    expect(problemOf(['Candidate', 'Election', 'Union'], ALL, 'Election=', 'Union=')).toBeNull();
  });
});

describe('a row', () => {
  const HEADER = [
    'Candidate',
    'Position',
    'Race',
    'Statement',
    'Quote es',
    'Source',
    'decision',
    'match_grade',
  ];

  test('has its texts in their one form, statements with their lines, and nothing for empty cells', () => {
    const columns = readColumns(HEADER, new Map(), ALL);
    const cells = [' Ann\u00a0 Lee ', ' ', '', 'One.\n Two. ', '\n', ' x\ny ', 'no'];
    expect(readRow(cells, columns)).toMatchObject({
      ...{ choice: 'Ann Lee', position: null, contest: null, statement: 'One.\nTwo.', statement_es: null },
      ...{ source_url: 'x y', decision: 'no', party: null, rank: null },
      ...{ endorser: 'coast-gazette', election: 'or-2026-11-03-general' },
    });
    expect(readRow([], columns)).toMatchObject({ choice: null, position: null, statement: null });
    // Composing the letter would make it the address of another page.
    const address = 'https://example.org/cafe\u0301';
    const source_url = readRow(['', '', '', '', '', ` ${address}\u200b\n`], columns).source_url;
    expect(source_url).toBe(address);
  });

  test.each([
    ['www.example.org', 'https://www.example.org'],
    ['Example.org/cafe?page=1#top', 'https://Example.org/cafe?page=1#top'],
    ['http://example.org/a', 'http://example.org/a'],
    ['guide.pdf', 'guide.pdf'],
    ['see example.org/a', 'see example.org/a'],
    ['p.4/5', 'p.4/5'],
    ['ann@example.org/a', 'ann@example.org/a'],
  ])('with the source %j has the source %j', (written, source) => {
    const columns = readColumns(['Choice', 'Source'], new Map(), ALL);
    expect(readRow(['Ann Lee', written], columns).source_url).toBe(source);
  });

  test.each(['#REF!', ' #N/A ', '#name?', '#DIV/0!', '#VALUE!', 'Err:502'])(
    'cannot be used with %j in a column that is used',
    (error) => {
      const header = ['Candidate', 'Notes', 'Quote'];
      const columns = { header, places: readColumns(header, new Map(), ALL).places };
      expect(findFormulaError(['Ann', 'x', error], columns)).toEqual({
        fault: `has ${error.trim()} in the column "Quote", the result of a formula that fails: correct it in the spreadsheet, or empty the cell`,
      });
      const texts = ['N/A', error, `not ${error}`];
      expect(findFormulaError(texts, columns)).toBeNull();
    },
  );

  test('keeps the lines of its choice, which can be the names of several people', () => {
    const columns = readColumns(HEADER, new Map(), ALL);
    expect(readRow(['Ann  Lee\r\n Bob Roe '], columns).choice).toBe('Ann Lee\nBob Roe');
  });

  test('with an answer as its choice and no position says nothing by it, if no such row has a position', () => {
    const of = (marksAnswers: boolean) => ({ ...readColumns(HEADER, new Map(), ALL), marksAnswers });
    const positionOf = (choice: string, columns = of(false)) => readRow([choice, ''], columns).position;
    expect([positionOf('No'), positionOf('No', of(true)), positionOf('Ann')]).toEqual([
      undefined,
      null,
      null,
    ]);
  });

  test('with a choice and no position says nothing by it, if the positions are only about measures', () => {
    const columns = { ...readColumns(HEADER, new Map(), ALL), answersChoices: false };
    const positionOf = (choice: string, position: string) => readRow([choice, position], columns).position;
    expect([positionOf('Ann', ''), positionOf('Ann', 'No'), positionOf('', '')]).toEqual([
      undefined,
      'No',
      null,
    ]);
  });
});

test('a name may have a thousand characters', () => {
  const row = (length: number) => readRow(['x'.repeat(length)], readColumns(['Candidate'], new Map(), ALL));
  expect(findLongName(row(1_000))).toBeNull();
  expect(findLongName(row(1_001))).toEqual({ fault: 'has more than 1,000 characters in the choice' });
});

describe('the pick of a row', () => {
  const NOW = Date.parse('2026-10-20T12:00:00Z');
  const MEANT: Meant = {
    ...{ endorser: 'acme', contest: 'or-2026-11-03-general/mayor', choice: 'ann' },
    ...{ electionDate: '2026-11-03', isRanked: false },
  };
  const EMPTY = readRow([], readColumns(['Candidate'], new Map(), ALL));
  const pickOf = (row: Partial<EndorsementRow>, meant: Partial<Meant> = {}) =>
    createPick({ ...EMPTY, ...row }, { ...MEANT, ...meant }, NOW, (field) => `column ${field}`);
  const NONE = {
    ...{ choice: 'ann', rank: null, published_on: null, statement: null, statement_es: null },
    ...{ source_url: null, details: null },
  };

  test('has the values of the row, and no others', () => {
    expect(pickOf({})).toEqual(NONE);
    const row = { statement: 'A.\nB.', statement_es: 'C.', source_url: 'HTTPS://example.org/a' };
    expect(pickOf({ ...row, rank: '#2' }, { isRanked: true })).toEqual({ ...NONE, ...row, rank: 2 });
    // Names of one cell can have their ranks there.
    expect(pickOf({ rank: '2', lacksRank: true }, { isRanked: true })).toMatchObject({ rank: 2 });
    expect(pickOf({ lacksRank: true })).toMatchObject({ rank: null });
    const exported = { lacksRank: true, contest: 'or-2026-11-03-general/mayor' };
    expect(pickOf(exported, { isRanked: true })).toMatchObject({ rank: null });
  });

  test('keeps a source that is not an address beside it', () => {
    expect(pickOf({ source_url: 'Page 4' })).toEqual({ ...NONE, details: '{"source":"Page 4"}' });
  });

  test('has the last such day before the election, if the year is missing', () => {
    expect(pickOf({ published_on: 'Oct. 7' })).toEqual({ ...NONE, published_on: '2026-10-07' });
    expect(pickOf({ published_on: 'Dec. 24' })).toEqual({ ...NONE, published_on: '2025-12-24' });
  });

  test('needs a year for a day that the year of the election does not have', () => {
    expect(pickOf({ published_on: 'Feb. 29' })).toEqual({
      fault: 'has the date "Feb. 29"; it must be like 11/3/2026, Nov. 3, 2026 or 2026-11-03, with its year',
    });
    expect(pickOf({ published_on: 'Feb. 29, 2024' })).toEqual({ ...NONE, published_on: '2024-02-29' });
  });

  test('may be of tomorrow, and not of a later day', () => {
    expect(pickOf({ published_on: '10/21/2026' })).toMatchObject({ published_on: '2026-10-21' });
    expect(pickOf({ published_on: '10/22/2026' })).toEqual({
      fault: 'column published_on must not be later than tomorrow, 2026-10-21, is "2026-10-22"',
    });
  });

  test.each<[Partial<EndorsementRow>, Partial<Meant>, string]>([
    [{ rank: 'second' }, {}, 'has the rank 2, and the contest or-2026-11-03-general/mayor has no ranks'],
    [{ rank: 'high' }, { isRanked: true }, 'has the rank "high"; it must be 1, 2, 3…'],
    [{ lacksRank: true }, { isRanked: true }, 'has no rank, and other rows about the contest have one'],
    [{ rank: 'high' }, {}, 'has the rank "high"; it must be 1, 2, 3…'],
    [{ rank: '1' }, {}, 'has the rank 1, and the contest or-2026-11-03-general/mayor has no ranks'],
    [{ published_on: '31/10/2026' }, {}, 'has the date "31/10/2026"; it must be like 11/3/2026'],
    [{ source_url: 'http://' }, {}, 'column source_url must be'],
    [{ statement: 'x'.repeat(20_001) }, {}, 'column statement must'],
  ])('%j is refused', (row, meant, words) => {
    expect(pickOf(row, meant)).toEqual({ fault: expect.stringContaining(words) });
  });
});
