import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Draft } from '../../../intake/catalogue/draft.ts';
import { type MapOptions, mapTable } from '../../../intake/catalogue/map-table.ts';
import { Notes } from '../../../intake/catalogue/notes.ts';
import { formatRow } from '../../../intake/tables/cells.ts';
import { readTable } from '../../../intake/tables/read-table.ts';
import { TableError } from '../../../intake/tables/table-error.ts';
import { parseCatalogueRecord } from '../../../schemas/catalogue-files.ts';
import { pieces } from '../../helpers/feeds/map-text.ts';
import { processorTimeOf } from '../../helpers/processor-time.ts';
import { text } from '../../helpers/properties/arbitraries.ts';

/** How often the last table was read. */
let readings = 0;

/** The records of a table of these rows, and the reasons why some cannot be used. */
async function mapRows(rows: readonly (readonly string[])[], options: MapOptions = {}, notes = new Notes()) {
  const open = () => {
    readings += 1;
    return readTable(pieces(rows.map((row) => formatRow(row)).join('')));
  };
  readings = 0;
  const drafts: Draft[] = [];
  for await (const draft of (await mapTable(open, options, notes)).drafts) drafts.push(draft);
  return drafts.map((draft) => {
    const parsed = parseCatalogueRecord(draft.kind, draft.record);
    return { ...draft, problems: draft.problems.length > 0 || parsed.ok ? draft.problems : parsed.problems };
  });
}

const HEAD = ['state', 'date', 'type', 'office', 'district', 'level', 'seats', 'candidate', 'party'];
const ELECTION = ['VA', '11/3/2026', 'General'];
const row = (office: string, district: string, seats: string, candidate: string, party = '') => [
  ...ELECTION,
  office,
  district,
  'county',
  seats,
  candidate,
  party,
];

describe('the rows of a table', () => {
  const rows = fc.array(
    fc
      .tuple(
        fc.constantFrom('Sheriff', 'SHERIFF', 'Clerk', 'Juez José', 'Juez Jose'),
        fc.constantFrom('Rio', 'Fern County'),
        fc.constantFrom('', '2'),
        fc.constantFrom('Ann', 'ann', 'Bo', 'Cy'),
        fc.constantFrom('', 'Alder'),
      )
      .map((cells) => row(...cells)),
    { minLength: 1, maxLength: 10 },
  );

  test('give the same keys in any order', async () => {
    /** The usable contests by key, with their choices in the order of the keys. */
    const keysOf = async (given: string[][]) => {
      const drafts = await mapRows([HEAD, ...given]);
      return drafts
        .map(({ record }) =>
          'choices' in record ? [record.key, ...record.choices.map(({ key }) => key).sort()] : [record.slug],
        )
        .map(String)
        .sort();
    };
    const cases = rows.chain((all) =>
      fc.record({ all: fc.constant(all), order: fc.shuffledSubarray(all, { minLength: all.length }) }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ all, order }) => {
        expect(await keysOf(order)).toEqual(await keysOf(all));
      }),
    );
  });

  test('never give two contests one key', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const keys = (await mapRows([HEAD, ...all])).flatMap(({ kind, record }) =>
          kind === 'contests' ? [record.slug] : [],
        );
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  test('of several elections become several elections', async () => {
    const other = ['OR', '2026-05-19', 'Primary', ...row('Clerk', 'Rio', '', 'Ann').slice(3)];
    const drafts = await mapRows([
      HEAD,
      row('Clerk', 'Rio', '', 'Ann'),
      other,
      row('Sheriff', 'Rio', '', 'Bo'),
    ]);
    expect(drafts.map(({ record }) => record.slug)).toEqual([
      'va-2026-11-03-general',
      'clerk-county-rio',
      'sheriff-county-rio',
      'or-2026-05-19-primary',
      'clerk-county-rio',
    ]);
  });

  test('of two counties are not one contest of a county, unless both have the same choices', async () => {
    const inCounty = (county: string, ...cells: Parameters<typeof row>) => [...row(...cells), county];
    const problemsOf = async (rows: string[][], map: string[] = []) =>
      (await mapRows([[...HEAD, 'County'], ...rows], { map })).flatMap(({ problems }) => problems);
    const two = [
      inCounty('Adams', 'Commissioner', 'District 1', '', 'Ann'),
      inCounty('', 'Commissioner', 'District 1', '', 'Bo'),
      inCounty('Fern', 'Commissioner', 'District 1', '', 'Cy'),
    ];
    const message =
      'must tell the counties "Adams" and "Fern" apart, which have other choices: write the county into it';
    expect(await problemsOf(two)).toEqual([{ line: 2, field: 'district', message }]);
    expect(await problemsOf(two, ['County='])).toEqual([]);
    expect(await problemsOf(two.slice(0, 2))).toEqual([]);
    const listed = ['Adams', 'Fern'].flatMap((county) =>
      ['Ann', 'Bo'].map((name) => inCounty(county, 'Judge', 'District 25', '', name)),
    );
    expect(await problemsOf(listed)).toEqual([]);
    // A state's district can have candidates from several counties.
    const wide = two.map((cells) => cells.map((cell) => (cell === 'county' ? 'state' : cell)));
    expect(await problemsOf(wide)).toEqual([]);
  });

  test('take a bounded memory', async () => {
    const many = Array.from({ length: 100 }, (_, at) => row('Clerk', 'Rio', '', `Ann ${at}`));
    await expect(mapRows([HEAD, ...many], { maxHeldBytes: 30_000 })).rejects.toThrow(
      /^The election of line \d+ has more than 30,000 bytes: import it in parts, with --keep-missing/,
    );
    expect(await mapRows([HEAD, ...many], { maxHeldBytes: 200_000 })).toHaveLength(2);
  });

  test('let others have their turns after each row, each contest and each of two looks at its key', async () => {
    let turns = 0;
    const pause = async () => {
      turns += 1;
    };
    const many = Array.from({ length: 40 }, (_, at) => row(`Clerk ${at % 5}`, 'Rio', '', `Ann ${at}`));
    expect(await mapRows([HEAD, ...many], { pause })).toHaveLength(6);
    expect(turns).toBe(40 + 5 + 2 * 5);
  });

  test('of elections that do not fit into memory together are read again, and give the same records', async () => {
    const days = ['11/3/2026', '6/2/2026', '9/8/2026', '3/1/2026'];
    // The elections take turns, and each needs about 15,000 bytes.
    const many = Array.from({ length: 40 }, (_, at) => {
      const [state = '', , ...rest] = row(`Clerk ${at % 3}`, 'Rio', '', `Ann ${at}`);
      return [state, days[at % 4] ?? '', ...rest];
    });
    const byKey = (drafts: Awaited<ReturnType<typeof mapRows>>) =>
      new Map(drafts.map((draft) => [JSON.stringify(draft.record), draft]));
    const whole = await mapRows([HEAD, ...many]);
    expect(readings).toBe(1);
    const parts = await mapRows([HEAD, ...many], { maxHeldBytes: 25_000 });
    expect(readings).toBe(2);
    expect(parts).toHaveLength(whole.length);
    expect(byKey(parts)).toEqual(byKey(whole));
    await mapRows([HEAD, ...many], { maxHeldBytes: 13_000 });
    expect(readings).toBe(4);
  });
});

describe('the level of a contest is', () => {
  const levelOf = async (office: string, district: string, ocdId = '') => {
    const head = ['state', 'date', 'type', 'office', 'district', 'ocd id', 'candidate'];
    const [, contest] = await mapRows([head, [...ELECTION, office, district, ocdId, 'Ann']]);
    return (
      contest?.problems[0]?.field ??
      (contest && 'district' in contest.record ? contest.record.district.level : null)
    );
  };
  test.each([
    ['Governor', '', '', 'state'],
    ['U.S. Senator', '', '', 'federal'],
    ['Member', 'Fifth', 'ocd-division/country:us/state:va/cd:5', 'federal'],
    ['Member', 'Fifth', 'ocd-division/country:us/state:va/sldu:5', 'state'],
    ['Member', 'Two', 'ocd-division/country:us/state:va/place:rio/council_district:2', 'city'],
    ['Board Member', 'Rio Unified School District', '', 'school'],
    ['Director', 'Rio Water District', '', 'special'],
    ['Supervisor', 'Rio County', '', 'county'],
    ['Mayor', 'Rio', '', 'city'],
    ['U.S. House', 'District 5', '', 'federal'],
    ['Governor', 'Governor of Virginia', '', 'state'],
    ['Senator', 'U.S. Senate Virginia', '', 'federal'],
    ['Clerk', 'Virginia', '', 'level'],
    ['Clerk', 'Rio', '', 'level'],
    ['Clerk', '', '', 'district'],
    // Such an office is never that of the whole state.
    ['Supreme Court District 5', '', '', 'district'],
    ['U.S. House District 5', '', '', 'federal'],
    ['Member, State House District 5', '', 'ocd-division/country:us/state:va/county:rio', 'county'],
    ['District Attorney General, 5th District', '', '', 'district'],
    ['Justice', 'Supreme Court District No. 3', '', 'level'],
    ['County Treasurer', '', '', 'district'],
    ['City Auditor', '', '', 'district'],
    ['State Auditor', '', '', 'state'],
    ['Proposition 5: City parks of the 3rd District', '', '', 'state'],
    ['Delegate to Congress', 'Virginia', '', 'federal'],
  ])('for %s of %j (%s) %s', async (office, district, ocdId, expected) => {
    expect(await levelOf(office, district, ocdId)).toBe(expected);
  });

  test('at once not found in a cell full of words that could begin a name', async () => {
    const look = async () => expect(await levelOf('water '.repeat(16_000), 'Rio')).toBe('level');
    expect(await processorTimeOf(look)).toBeLessThan(1_000);
  });
});

test('a contest whose level alone is given is for the whole state, unless its title has the number of a district', async () => {
  const head = ['state', 'date', 'type', 'office', 'level', 'candidate'];
  const [, labor, court] = await mapRows([
    head,
    [...ELECTION, 'Labor Commissioner', 'state', 'Ann'],
    [...ELECTION, 'Supreme Court, District 5', 'state', 'Ann'],
  ]);
  expect(labor).toMatchObject({
    problems: [],
    record: { district: { name: 'Virginia', type: 'statewide' } },
  });
  expect(court?.problems).toEqual([
    {
      field: 'district',
      message:
        'is missing, and "Supreme Court, District 5" is not an office of the whole state; name the district',
    },
  ]);
});

test('if a contest has each choice as often, its equal rows are one choice, and the notes count the others', async () => {
  const notes = new Notes();
  const ballot = [
    row('Clerk', 'Rio County', '', 'Ann', 'Alder'),
    row('Clerk', 'Rio County', '', 'Bo', 'Alder'),
    row('Clerk', 'Rio County', '', 'Ann', 'Birch'),
  ];
  const spaced = row('Clerk', 'Rio County', '', ' Ann', 'Alder ');
  const other = row('Clerk', 'Fern County', '', 'Ann', 'Alder');
  const drafts = await mapRows([HEAD, ...ballot, other, ...ballot, spaced, ...ballot.slice(1)], {}, notes);
  const choices = drafts.flatMap(({ record, problems }) =>
    'choices' in record && problems.length === 0
      ? [record.choices.map(({ label, party }) => `${label} ${party}`)]
      : [],
  );
  expect(choices).toEqual([['Ann Alder', 'Bo Alder', 'Ann Birch'], ['Ann Alder']]);
  expect(notes.all).toContainEqual({
    ...{ kind: 'assumed', message: 'equal rows of a contest are one choice', count: 6, examples: ['Clerk'] },
  });
});

test('INV-16: two equal rows of a contest whose other choices come once may be two people, and are refused', async () => {
  const rows = ['Ann', 'Bo', 'Ann', 'Ann'].map((name) => row('Clerk', 'Rio County', '', name));
  const [, clerk] = await mapRows([HEAD, ...rows]);
  expect(clerk?.problems).toEqual([
    {
      ...{ line: 4, field: 'choice' },
      message:
        'is the same row as line 2, and other choices of the contest do not come as often: remove it, or tell the two apart',
    },
  ]);
});

test('the type of a district tells its level, if its name does not', async () => {
  const head = ['state', 'date', 'type', 'office', 'district', 'district type', 'candidate'];
  const drafts = await mapRows([
    head,
    [...ELECTION, 'Prosecuting Attorney', 'Rio', 'County', 'Ann'],
    [...ELECTION, 'Commissioner', 'Fern', 'Fire', 'Ann'],
    [...ELECTION, 'Director', 'Rio School District', 'County', 'Ann'],
  ]);
  const levels = drafts.flatMap(({ record }) => ('district' in record ? [record.district.level] : []));
  expect(levels).toEqual(['county', 'special', 'school']);
});

test('a measure is not of the district of a legislature that its title names', async () => {
  const head = ['state', 'date', 'type', 'measure', 'level'];
  const [, question] = await mapRows([head, [...ELECTION, 'Borders of State House District 5', 'state']]);
  expect(question?.problems).toMatchObject([{ field: 'district' }]);
});

test('a city or a county with the name of its state is not the whole state', async () => {
  const head = ['state', 'date', 'type', 'office', 'district', 'level', 'candidate'];
  const drafts = await mapRows([
    head,
    ['NY', '11/3/2026', 'General', 'Mayor', 'New York', 'city', 'Ann'],
    ['HI', '11/3/2026', 'General', 'Mayor', 'Hawaii', 'county', 'Bo'],
    ['HI', '11/3/2026', 'General', 'Governor', 'Hawaii', 'state', 'Cy'],
  ]);
  const districts = drafts.flatMap(({ record }) => ('district' in record ? [record.district] : []));
  expect(districts).toMatchObject([
    { name: 'New York', level: 'city', type: 'place', ocd_id: null },
    { name: 'Hawaii', level: 'county', type: 'county', ocd_id: null },
    { name: 'Hawaii', level: 'state', type: 'statewide', ocd_id: 'ocd-division/country:us/state:hi' },
  ]);
});

test('an office in the place of the district stands for the whole state', async () => {
  const head = ['state', 'date', 'type', 'office', 'district', 'candidate'];
  const [, contest] = await mapRows([head, [...ELECTION, 'Senator', 'U.S. Senate Virginia', 'Ann']]);
  expect(contest?.record).toMatchObject({
    slug: 'senator',
    district: { ocd_id: 'ocd-division/country:us/state:va', name: 'Virginia', type: 'statewide' },
  });
});

describe('rows that are put together', () => {
  test('and contradict each other are problems with their lines, and blank cells are none', async () => {
    const head = ['election', 'state', 'date', 'type', 'office', 'district', 'level', 'seats', 'candidate'];
    const of = (state: string, office: string, seats: string, candidate: string) => [
      ...['or-2026', state, '2026-11-03', 'general', office, 'Rio', 'city', seats, candidate],
    ];
    const drafts = await mapRows([
      head,
      of('OR', 'Mayor', '1', 'Ann'),
      of('', 'Mayor', '', 'Bob'),
      of('WA', 'Mayor', '2', 'Cy'),
      of('OR', 'MAYOR', '1', 'Di'),
    ]);
    expect(drafts.map(({ line, problems }) => [line, problems])).toEqual([
      [2, [{ line: 4, field: 'state', message: 'must be "OR", as in line 2 for the election, is "WA"' }]],
      [
        2,
        [
          { line: 4, field: 'seats', message: 'must be 1, as in line 2 for Mayor, is 2' },
          { line: 5, field: 'contest', message: 'must be "Mayor", as in line 2 for MAYOR, is "MAYOR"' },
        ],
      ],
    ]);
    expect(drafts[1]).toMatchObject({ choiceLines: [2, 3, 4, 5] });
  });

  test('and have a day that cannot be read are problems of their contest, or of the election without one', async () => {
    const head = ['election', 'state', 'date', 'type', 'office', 'district', 'level', 'candidate'];
    const of = (date: string, ...contest: string[]) => ['or-2026', 'OR', date, 'general', ...contest];
    const contest = ['Mayor', 'Rio', 'city', 'Ann'];
    const problem = { line: 3, field: 'election_date' };
    const inContest = await mapRows([
      head,
      of('2026-11-03', ...contest),
      of('2026-11-31', ...contest.with(3, 'Bob')),
    ]);
    expect(inContest).toMatchObject([
      { kind: 'elections', record: { date: '2026-11-03' }, problems: [] },
      { kind: 'contests', problems: [problem] },
    ]);
    const alone = await mapRows([
      head,
      of('2026-11-03', ...contest),
      of('2026-11-31', ...Array<string>(4).fill('')),
    ]);
    expect(alone).toMatchObject([
      { kind: 'elections', problems: [problem] },
      { kind: 'contests', problems: [] },
    ]);
  });

  test('keep given keys and details beside those that are made', async () => {
    const [, drafted] = await mapRows([
      [...HEAD, 'choice key', 'contest details', 'primary party'],
      [...row('Clerk', 'Rio County', '', 'Ann Lee', 'Green'), 'ann-lee', '{"page":3}', 'Green'],
      [...row('Clerk', 'Rio County', '', 'Ann Lee', 'Green'), '', '', 'Green'],
    ]);
    expect(drafted).toMatchObject({
      problems: [],
      record: {
        details: { page: 3, primary_party: 'Green' },
        choices: [{ key: 'ann-lee' }, { key: 'ann-lee-green' }],
      },
    });
  });

  test('do not contradict each other in spaces, invisible characters and the composition of letters', async () => {
    const head = ['election', 'office', 'district', 'level', 'candidate'];
    const drafts = await mapRows([
      head,
      ['ca-2026-11-03-general', 'Mayor of  Rio', 'San José', 'city', 'Ann'],
      ['ca-2026-11-03-general\u200b', 'Mayor\u00a0of Rio', 'San Jose\u0301', 'city', 'Bob'],
    ]);
    expect(drafts).toMatchObject([{ problems: [], record: { choices: [{ key: 'ann' }, { key: 'bob' }] } }]);
  });

  test.each([
    ['Council (Vote for 3)', 'multi_seat', 3],
    ['COUNCIL, VOTE FOR NOT MORE THAN TWO', 'multi_seat', 2],
    ['Council: 2 to be elected', 'multi_seat', 2],
    ['Elect 10 Directors', 'multi_seat', 10],
    ['Council (vote for one)', 'plurality', 1],
    ['Council, Office 3', 'plurality', undefined],
    ['Seat 3 to fill', 'plurality', undefined],
  ])('without seats, %j is %s with the seats %j', async (title, vote_method, votes_allowed) => {
    const notes = new Notes();
    const [, draft] = await mapRows([HEAD, row(title, 'Rio', '', 'Ann')], {}, notes);
    expect({ votes_allowed: undefined, ...draft?.record }).toMatchObject({ vote_method, votes_allowed });
    const seats = expect.objectContaining({ message: 'the number of seats is that in the title' });
    if (votes_allowed === undefined) expect(notes.all).not.toContainEqual(seats);
    else expect(notes.all).toContainEqual(seats);
  });

  test('have the seats and the method that they say, whatever the title says', async () => {
    const [, seats] = await mapRows([HEAD, row('Council (Vote for 3)', 'Rio', '5', 'Ann')]);
    expect(seats?.record).toMatchObject({ vote_method: 'multi_seat', votes_allowed: 5 });
    const [head, cells] = [
      [...HEAD, 'method'],
      [...row('Council (Vote for 3)', 'Rio', '', 'Ann'), 'plurality'],
    ];
    const [, method] = await mapRows([head, cells]);
    expect(method?.record).toMatchObject({ vote_method: 'plurality' });
    expect(method?.record).not.toHaveProperty('votes_allowed');
    const question = ['Yes', 'No'].map((answer) => row('Shall voters elect 3 directors?', 'Rio', '', answer));
    const [, measure] = await mapRows([HEAD, ...question]);
    expect(measure?.record).toMatchObject({ vote_method: 'yes_no' });
    expect(measure?.record).not.toHaveProperty('votes_allowed');
  });

  test('need their contest in each row', async () => {
    const rows = [row('Mayor', 'Rio', '', 'Ann'), row('', 'Rio', '', 'Bo'), row('', 'Rio', '', 'Cy')];
    const drafts = await mapRows([HEAD, ...rows]);
    expect(drafts.map(({ problems }) => problems)).toMatchObject([
      ...[[], []],
      [{ line: 3, field: 'contest', message: 'is empty: name the contest in each of its rows' }],
    ]);
    const keyed = ['', 'Mayor'].map((title) => [...row(title, 'Rio', '', `Ann ${title}`), 'mayor']);
    const [, contest] = await mapRows([[...HEAD, 'contest_key'], ...keyed]);
    expect(contest).toMatchObject({ problems: [], record: { title: 'Mayor' } });
  });

  test('with two places on the ballot say that the column may order candidates', async () => {
    const cells = ['1', '2'].map((place) => [...row('Mayor', 'Rio', '', `Ann ${place}`), place]);
    const [, draft] = await mapRows([[...HEAD, 'ballot order'], ...cells]);
    expect(draft?.problems).toMatchObject([
      {
        field: 'ballot_order',
        message: expect.stringMatching('is 2; leave the column out if it orders candidates$'),
      },
    ]);
  });

  test('and contradict a cell that came after a blank one name the line of that cell', async () => {
    const drafts = await mapRows([
      ['state', 'date', 'type', 'office', 'district', 'level', 'seats', 'candidate'],
      ...['', '1', '2'].map((seats) => [
        ...['OR', '2026-11-03', 'general', 'Mayor', 'Rio', 'city', seats, `Ann ${seats}`],
      ]),
    ]);
    expect(drafts[1]?.problems).toMatchObject([
      { line: 4, field: 'seats', message: 'must be 1, as in line 3 for Mayor, is 2' },
    ]);
  });

  test('have the election and its type that the person gives, if they name none', async () => {
    const head = ['election', 'state', 'date', 'type', 'office', 'level', 'candidate'];
    const rows = [
      ['', '', '', '', 'Governor', 'state', 'Ann'],
      ['or-2026-05-19-primary', 'OR', '5/19/2026', '', 'Governor', 'state', 'Bob'],
      ['or-2026-03-03-special', 'OR', '3/3/2026', 'Special', 'Governor', 'state', 'Cy'],
    ];
    const options = { election: 'or-2026-11-03-general', electionType: 'primary' as const };
    const drafts = await mapRows([head, ...rows], options);
    // The first election is only named: its record stays as it is.
    expect(drafts.map(({ kind, record }) => [kind, 'type' in record ? record.type : record.key])).toEqual([
      ['contests', 'or-2026-11-03-general/governor'],
      ['elections', 'primary'],
      ['contests', 'or-2026-05-19-primary/governor'],
      ['elections', 'special'],
      ['contests', 'or-2026-03-03-special/governor'],
    ]);
  });

  test('are one contest by the end of their key, whatever else they say', async () => {
    const head = ['election', 'contest_key', 'office', 'district', 'level', 'candidate'];
    const drafts = await mapRows([
      head,
      ['or-2026-11-03-general', 'or-2026-11-03-general/mayor', 'Mayor', 'Rio', 'city', 'Ann'],
      ['or-2026-11-03-general', 'mayor', '', '', '', 'Bob'],
      ['or-2026-11-03-general', 'clerk', 'Mayor', 'Rio', 'city', 'Cy'],
    ]);
    const shown = drafts.map(({ record }) =>
      'choices' in record ? [record.key, record.choices.map(({ key }) => key)] : [],
    );
    expect(shown).toEqual([
      ['or-2026-11-03-general/mayor', ['ann', 'bob']],
      ['or-2026-11-03-general/clerk', ['cy']],
    ]);
  });

  test('cannot be used if one of them cannot be read, and the first five are named', async () => {
    const long = (at: number) => [...row('Clerk', 'Rio', '', `Ann ${at}`), 'x'];
    const rows = [HEAD, row('Clerk', 'Rio', '', 'Ann'), ...Array.from({ length: 7 }, (_, at) => long(at))];
    await expect(mapRows(rows)).rejects.toThrow(
      /^Correct or remove the rows that cannot be read: line 3 has 10 cells.*line 7 has[^;]*, and 2 more$/,
    );
    await expect(mapRows(rows.slice(0, 7))).rejects.toThrow(/; line 7 has(?!.*more)/);
  });
});

describe('an office that is on the ballot for a whole term and for the rest of one', () => {
  const head = [...HEAD, 'is_unexpired'];
  const ofTerm = (unexpired: string, candidate: string, office = 'Judge', seats = '') => [
    ...row(office, 'Rio', seats, candidate),
    unexpired,
  ];
  const contestsOf = async (...rows: string[][]) => {
    const [, ...contests] = await mapRows([head, ...rows]);
    expect(contests.flatMap(({ problems }) => problems)).toEqual([]);
    return contests.map(({ record }) => {
      if (!('choices' in record)) throw new Error('no contest');
      return [record.slug, record.title, record.details, record.choices.map(({ label }) => label)];
    });
  };

  test('is two contests, whichever comes first, and also if their rows are mixed', async () => {
    const whole = ['judge-county-rio', 'Judge', undefined, ['Ann', 'Bo']];
    const rest = [
      'judge-unexpired-term-county-rio',
      'Judge (unexpired term)',
      { short_term: true },
      ['Cy', 'Di'],
    ];
    const rows = [ofTerm('', 'Ann'), ofTerm('TRUE', 'Cy'), ofTerm('FALSE', 'Bo'), ofTerm('true', 'Di')];
    expect(await contestsOf(...rows)).toEqual([whole, rest]);
    const [ann, cy, ...others] = rows;
    expect(await contestsOf(cy ?? [], ann ?? [], ...others)).toEqual([rest, whole]);
  });

  test('can have other seats', async () => {
    const rows = [ofTerm('', 'Ann', 'Council', '3'), ofTerm('Unexpired term', 'Bo', 'Council', '1')];
    expect((await contestsOf(...rows)).map(([slug]) => slug)).toEqual([
      'council-county-rio',
      'council-unexpired-term-county-rio',
    ]);
  });

  test('keeps a title that says so', async () => {
    const titles = ['Judge - Unexpired', 'Clerk (short term)', 'Constable, PARTIAL TERM'];
    const contests = await contestsOf(...titles.map((title) => ofTerm('x', 'Ann', title)));
    expect(contests.map(([, title]) => title)).toEqual(titles);
  });
});

describe('the choices of a contest', () => {
  test('end with the first that is too many, as in a table of voters', async () => {
    const [, contest] = await mapRows([
      HEAD,
      ...Array.from({ length: 2_003 }, (_, at) => row('Sheriff', 'Rio', '', `${at}`)),
    ]);
    const message = 'is one more than the 2,000 choices that a contest can have';
    expect(contest?.problems).toEqual([{ line: 2_002, field: null, message }]);
  });

  const head = ['state', 'date', 'type', 'measure', 'office', 'level', 'choice', 'party', 'incumbent'];
  const of = (measure: string, office: string, choice: string, party = '', incumbent = '') => [
    ...ELECTION,
    ...[measure, office, 'state', choice, party, incumbent],
  ];
  const choicesOf = async (...rows: string[][]) => {
    const [, contest] = await mapRows([head, ...rows]);
    return contest && 'choices' in contest.record
      ? [contest.record.kind, contest.record.vote_method, contest.record.choices]
      : null;
  };

  test('are answers, and not people, if the column of candidates has Yes and No', async () => {
    const inCandidates = async (measure: string, office: string, ...names: string[]) => {
      const rows = names.map((name) => [...ELECTION, measure, office, 'state', name]);
      const [, contest] = await mapRows([
        ['state', 'date', 'type', 'measure', 'office', 'level', 'candidate'],
        ...rows,
      ]);
      return contest && 'choices' in contest.record
        ? [contest.record.kind, contest.record.vote_method, contest.record.choices]
        : null;
    };
    const yesNo = [
      { key: 'yes', label: 'Yes', measure_answer: 'yes' },
      { key: 'no', label: 'No', measure_answer: 'no' },
    ];
    expect(await inCandidates('', 'Proposition 5', 'Yes', 'No')).toEqual(['measure', 'yes_no', yesNo]);
    expect(await inCandidates('', 'Shall Judge Lee be retained?', 'Yes', 'No')).toEqual([
      'measure',
      'yes_no',
      yesNo,
    ]);
    expect(await inCandidates('Parks', '', 'Yes', 'No')).toEqual(['measure', 'yes_no', yesNo]);
    expect(await inCandidates('', 'Sheriff', 'Si')).toEqual([
      'candidate',
      'plurality',
      [{ key: 'si', label: 'Si', candidate: { full_name: 'Si' } }],
    ]);
  });

  test('of a question are its answers, or Yes and No', async () => {
    const yesNo = [
      { key: 'yes', label: 'Yes', measure_answer: 'yes' },
      { key: 'no', label: 'No', measure_answer: 'no' },
    ];
    expect(await choicesOf(of('Proposition 1', '', ''))).toMatchObject(['measure', 'yes_no', yesNo]);
    expect(await choicesOf(of('', 'Parks', 'For the parks'), of('', 'Parks', 'Against'))).toMatchObject([
      'measure',
      'yes_no',
      [
        { key: 'yes', label: 'For the parks', measure_answer: 'yes' },
        { key: 'no', label: 'Against', measure_answer: 'no' },
      ],
    ]);
    for (const [yes, no] of [
      ['Approve', 'Reject'],
      ['Accepted', 'Rejected'],
      // The accent is a character of its own, as in text from a PDF.
      ['Si\u0301', 'No'],
    ] as const) {
      expect(await choicesOf(of('', 'Parks', yes), of('', 'Parks', no))).toMatchObject([
        'measure',
        'yes_no',
        [
          { key: 'yes', label: yes, measure_answer: 'yes' },
          { key: 'no', label: no, measure_answer: 'no' },
        ],
      ]);
    }
    expect(await choicesOf(of('Flag', '', 'Red'), of('Flag', '', 'Blue'))).toMatchObject([
      'measure',
      'plurality',
      [{ key: 'red' }, { key: 'blue' }],
    ]);
  });

  test('keep their details beside the mark of an incumbent', async () => {
    const [, made] = await mapRows([
      [...head, 'choice_details'],
      [...of('', 'Governor', 'Ann Lee', '', 'yes'), '{"id": 7}'],
    ]);
    expect(made?.record).toMatchObject({ choices: [{ details: { id: 7, incumbent: true } }] });
  });

  test('of an office without candidates are not an answer', async () => {
    for (const nobody of ['No Candidate Filed', 'NO NOMINATION']) {
      expect(await choicesOf(of('', 'Coroner', nobody))).toMatchObject([
        'candidate',
        'plurality',
        [{ label: nobody, candidate: { full_name: nobody } }],
      ]);
    }
  });

  test.each([
    'None of the above',
    // With spaces that do not break, as in text from a page.
    'None of\u00a0these\u00a0candidates',
  ])('of an office are people, but for %j; those of one name differ by their party', async (none) => {
    const [kind, method, choices] =
      (await choicesOf(
        of('', 'Governor', 'Ann Lee', 'Alder', 'yes'),
        of('', 'Governor', 'Ann Lee', 'Birch'),
        of('', 'Governor', none),
      )) ?? [];
    expect([kind, method]).toEqual(['candidate', 'plurality']);
    expect(choices).toEqual([
      {
        ...{ key: 'ann-lee-alder', label: 'Ann Lee', party: 'Alder', candidate: { full_name: 'Ann Lee' } },
        details: { incumbent: true },
      },
      { key: 'ann-lee-birch', label: 'Ann Lee', party: 'Birch', candidate: { full_name: 'Ann Lee' } },
      expect.objectContaining({ label: none, option: 'none_of_these' }),
    ]);
  });
});

test('a contest that nothing tells apart from another one says so, and both need a key', async () => {
  const head = ['state', 'date', 'type', 'office', 'district', 'ocd id', 'level', 'candidate'];
  const va = 'ocd-division/country:us/state:va';
  const drafts = await mapRows([
    head,
    [...ELECTION, 'Clerk', 'A', `${va}/place:rio`, '', 'Ann'],
    [...ELECTION, 'Clerk', 'B', `${va}/place:rio`, '', 'Bob'],
    [...ELECTION, 'Clerk', 'C', `${va}/place:fern`, '', 'Cy'],
  ]);
  const fields = drafts
    .slice(1)
    .map(({ record, problems }) => [record.slug, problems.map(({ field }) => field)]);
  expect(fields).toEqual([
    ['', ['contest']],
    ['', ['contest']],
    ['clerk-place-fern', []],
  ]);
});

test.each([
  [['office', 'candidate', 'state'], 'does not say its election: it needs the columns state, election_date'],
  [['office', 'candidate', 'date'], 'does not say its election'],
  [['candidate', 'state', 'date'], 'has no column for the contests'],
])('a table with the columns %j is refused', async (head, words) => {
  await expect(mapRows([head, head.map(() => 'x')])).rejects.toThrow(words);
});

test('a primary of a party has its own contest', async () => {
  const head = ['state', 'date', 'type', 'office', 'ballot party', 'candidate'];
  const drafts = await mapRows([
    head,
    ['VA', '6/9/2026', 'Primary', 'Governor', 'Alder', 'Ann'],
    ['VA', '6/9/2026', 'Primary', 'Governor', 'Birch', 'Bo'],
  ]);
  expect(drafts.slice(1).map(({ record }) => record.slug)).toEqual(['governor-alder', 'governor-birch']);
});

test('any table ends in records, or in a sentence', async () => {
  const names = fc.constantFrom(
    ...HEAD,
    'measure',
    'contest_key',
    'choice',
    'contest_details',
    'withdrawn',
    'x',
  );
  const table = fc.uniqueArray(names, { maxLength: 12 }).chain((head) =>
    fc
      .array(
        fc.array(fc.oneof(text, fc.constantFrom('VA', '2026-11-03', 'general', '1', '{}', 'yes')), {
          maxLength: head.length,
        }),
        { maxLength: 5 },
      )
      .map((rows) => [head, ...rows]),
  );
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const error = await mapRows(rows).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error !== null) expect(error).toBeInstanceOf(TableError);
    }),
  );
});
