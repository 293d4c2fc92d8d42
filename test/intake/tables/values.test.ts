import { describe, expect, test } from '@jest/globals';
import { readAnswer, readRank } from '../../../intake/tables/answers.ts';
import { mapColumns, readColumnMap } from '../../../intake/tables/columns.ts';
import { readBothWays, readDate, readDayFirst } from '../../../intake/tables/dates.ts';
import { processorTimeOf } from '../../helpers/processor-time.ts';

describe('dates', () => {
  test.each([
    ['11/3/26', '2026-11-03'],
    ['11-03-2026', '2026-11-03'],
    ['11.3.2026', '2026-11-03'],
    [' 1/2/99 ', '1999-01-02'],
    ['1/2/69', '2069-01-02'],
    ['1/2/70', '1970-01-02'],
    ['2026-11-03', '2026-11-03'],
    ['2026/11/3', '2026-11-03'],
    ['2026-11-03T10:00:00Z', '2026-11-03'],
    ['11/3/2026 0:00', '2026-11-03'],
    ['Nov. 3, 2026', '2026-11-03'],
    ['November 3rd, 2026', '2026-11-03'],
    ['Sept 9 2026', '2026-09-09'],
    ['Tuesday, November 3, 2026', '2026-11-03'],
    ['3 November 2026', '2026-11-03'],
    ['3-Nov-26', '2026-11-03'],
    ['November 3', '2026-11-03'],
    ['December 1', '2025-12-01'],
  ])('%j is %s', (text, date) => {
    expect(readDate(text, '2026-11-03')).toBe(date);
  });

  test.each([
    '',
    'yesterday',
    '2/30/2026',
    '13/1/2026',
    '2026-13-01',
    'Nov. 31, 2026',
    'Foo 3, 2026',
    '11/3',
    '11/3-2026',
    '11/3/026',
    '46329',
  ])('%j is not a date', (text) => {
    expect(readDate(text, '2026-11-03')).toBeNull();
  });

  test('a date without a year needs a later day', () => {
    expect(readDate('November 3')).toBeNull();
  });

  test.each(['T', ' '])('a cell full of %j is refused as a date at once', async (letter) => {
    const text = `x${letter.repeat(90_000)}x`;
    const look = () => expect([readDate(text, '2026-11-03'), readDayFirst(text)]).toEqual([null, null]);
    expect(await processorTimeOf(look)).toBeLessThan(1_000);
  });

  test.each([
    ['25/12/2026', '2026-12-25', null],
    ['13.01.26', '2026-01-13', null],
    ['Tue 13/1/2026 10:00', '2026-01-13', null],
    ['11/3/26', null, ['2026-11-03', '2026-03-11']],
    ['03-11-2026 0:00', null, ['2026-03-11', '2026-11-03']],
    ['12/12/26', null, null],
    ['11/25/26', null, null],
    ['13/13/26', null, null],
    ['31/2/26', null, null],
    ['32/1/26', null, null],
    ['2026-11-03', null, null],
    ['Nov. 3, 2026', null, null],
  ])('%j with its day first alone is %j, and with either first %j', (text, dayFirst, both) => {
    expect([readDayFirst(text), readBothWays(text)]).toEqual([dayFirst, both]);
  });
});

describe('answers and ranks', () => {
  test.each([
    [
      'yes',
      [
        'Yes',
        'Y',
        'SUPPORT',
        'For',
        'in favor',
        'Sí',
        'x',
        'Endorsed',
        '✓',
        ' ✔️ ',
        'Yes Yes YES!',
        'Co-Endorsed',
      ],
    ],
    [
      'no',
      ['no', 'N', 'Oppose', 'Against', 'Vote No', 'no, no, no', 'Don’t retain', 'Not retain', 'Vote against'],
    ],
    ['nothing', ['', '-', 'No endorsement', 'Neutral', 'N/A', 'Abstain', '—', '*']],
    [null, ['Yes (runoff only)', 'Lean yes', 'No. 1', 'Ann Lee', 'yes and no', 'yes no yes', '1', '✗', '?']],
  ] as const)('%j', (answer, texts) => {
    expect(texts.map((text) => readAnswer(text))).toEqual(texts.map(() => answer));
  });

  test.each([
    'Yes?',
    'Y?',
    '☐ Yes',
    '[ ] yes',
    '❌ Yes',
    'Y\u0336e\u0336s\u0336',
    '~~Yes~~',
    '👎 endorsed',
    '?',
  ])('the sign in %j leaves no answer', (text) => {
    expect(readAnswer(text)).toBeNull();
  });

  test.each([
    ['1', 1],
    ['#2', 2],
    ['3rd', 3],
    ['First choice', 1],
    ['tenth pick', 10],
    ['rank 10', 10],
    ['01', null],
    ['eleventh', null],
    ['No. 4', 4],
    ['0', null],
    ['x', null],
    ['1.5', null],
    ['99999', null],
  ])('the rank %j is %j', (text, rank) => {
    expect(readRank(text)).toBe(rank);
  });
});

describe('columns', () => {
  const FIELDS = { contest: ['race', 'office'], choice: ['candidate', 'name'], own_word: [] } as const;
  const map = (header: string[], ...options: string[]) => {
    const { places, unused } = mapColumns(header, FIELDS, readColumnMap(options, FIELDS));
    return [Object.fromEntries(places), unused];
  };

  test('are found by the usual names in any order, and others are named', () => {
    expect(map(['NAME', 'x', ' Race ', ''])).toEqual([
      { choice: 0, contest: 2 },
      ['x', '(column 4, without a name)'],
    ]);
  });

  test('are found by names that are written as one word', () => {
    expect(map(['ownWord', 'RACE', 'candidateID'])).toEqual([{ own_word: 0, contest: 1 }, ['candidateID']]);
    expect(map(['MyRace', 'Name'], 'my race=contest')).toEqual([{ contest: 0, choice: 1 }, []]);
  });

  test('a mapped column takes the field from a usual one, and a column can be left out', () => {
    expect(map(['Race', 'Office', 'Name'], 'Office=contest')).toEqual([{ contest: 1, choice: 2 }, ['Race']]);
    expect(map(['Race', 'Office', 'Name'], 'race=')).toEqual([{ contest: 1, choice: 2 }, ['Race']]);
    expect(map(['a=b', 'Name'], 'a=b=contest')).toEqual([{ contest: 0, choice: 1 }, []]);
  });

  test('a map means the column of exactly its name, if one of the same words comes before it', () => {
    expect(map(['X', 'x', 'Name'], 'x=contest')).toEqual([{ contest: 1, choice: 2 }, ['X']]);
    expect(map(['X', 'x', 'Name'], 'x!=contest')).toEqual([{ contest: 0, choice: 2 }, ['x']]);
  });

  test('the own name of a field counts before the usual names of another one', () => {
    const { places } = mapColumns(['Seat', 'Race'], { seat: [], contest: ['race', 'seat'] });
    expect(Object.fromEntries(places)).toEqual({ seat: 0, contest: 1 });
    const others = mapColumns(['Seat', 'Race'], { contest: ['race', 'seat'], seat: [] });
    expect(Object.fromEntries(others.places)).toEqual({ seat: 0, contest: 1 });
  });

  test('a map takes the usual names of a field too', () => {
    expect(map(['a', 'b'], 'a=Office', 'b=Candidate')).toEqual([{ contest: 0, choice: 1 }, []]);
  });

  test('a field that the service writes itself is known by its own name', () => {
    expect(map(['Race', 'Name', 'own_word'])).toEqual([{ contest: 0, choice: 1, own_word: 2 }, []]);
  });

  test.each([
    [
      ['Race', 'Office'],
      [],
      'The columns "Race" and "Office" both hold the contest: choose one with --map "Race=contest"',
    ],
    [['Race', 'x', 'y'], ['x=choice', 'y=choice'], 'The columns "x" and "y" both hold the choice'],
    [['Race'], ['x=contest'], '--map names the column "x", and the table has "Race".'],
    [['Race'], ['Race=seat'], 'names the unknown field "seat"; the fields are contest, choice.'],
    [['', 'Race'], ['=choice'], '--map is "=choice"; it must be like --map "Race=contest".'],
    [['', '  '], ['Race='], '--map names the column "Race", and the table has "" or "  ".'],
    [['Race'], ['Race'], '--map is "Race"; it must be like --map "Race=contest".'],
  ])('%j with %j is refused', (header, options, words) => {
    expect(() => map(header, ...options)).toThrow(words);
  });
});
