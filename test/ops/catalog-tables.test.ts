import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createDemo, DEMO_DEFAULT_SIZE } from '../../ops/demo/generate.ts';
import { choice, contest, election, ndjson } from '../helpers/ballots/catalogue-records.ts';
import { hasRealData, realPath, titleOnRealData } from '../helpers/ballots/real-data.ts';
import { counts, useCatalogueCommand } from '../helpers/commands/catalogue-command.ts';
import { createIo } from '../helpers/commands/command-io.ts';

const { databaseUrl, client, run, contents, writeFiles, file, importFiles, importPaths } =
  useCatalogueCommand();

const HEAD = 'State,Election Date,Election Type,Office,District,Seats,Candidate Name,Party,Status';
/** Imports a table of these lines. */
const importTable = async (lines: string[], ...options: string[]) => {
  await writeFiles({ 'table.csv': lines.join('\n') });
  return importPaths([file('table.csv'), ...options]);
};
const contestRows = async () =>
  (
    await client.query(
      `SELECT c.key, c.kind, c.vote_method, c.votes_allowed, d.level, d.type, d.ocd_id,
        (SELECT string_agg(h.key, ' ' ORDER BY h.ballot_order) FROM choices h WHERE h.contest_id = c.id AND h.removed_at IS NULL) AS choices
      FROM contests c JOIN districts d ON d.id = district_id WHERE removed_at IS NULL ORDER BY c.ballot_order`,
    )
  ).rows;
const VALUE = {
  key: 'va-2026-11-03-general/governor',
  kind: 'candidate',
  vote_method: 'plurality',
  votes_allowed: 1,
  level: 'state',
  type: 'statewide',
  ocd_id: 'ocd-division/country:us/state:va',
  choices: 'ann-lee bob-diaz',
};

describe('a table of endorsers', () => {
  const importEndorsers = async (lines: string[], ...options: string[]) => {
    await writeFiles({ 'our-endorsers.csv': lines.join('\n') });
    return importPaths([file('our-endorsers.csv'), ...options]);
  };
  const endorsers = async () =>
    (
      await client.query(
        `SELECT e.slug, e.name, c.name AS category, e.state, e.website_url
         FROM endorsers e JOIN endorser_categories c ON c.slug = e.category ORDER BY e.slug`,
      )
    ).rows;

  test('loads them and the categories that it names, and again without a change', async () => {
    const lines = [
      'Our friends,,,,',
      'Organization,Category,Category name,State,Website,Phone',
      '"St. Mark’s Club, Inc.",club,Clubs,Oregon,https://club.example,1',
      'Bakers Local 1,,Labor unions,or,,2',
      'Café Workers,Labor Unions,Labor unions,National,,3',
    ];
    const { printed } = await importEndorsers(lines);
    const labor = { category: 'Labor unions', website_url: null };
    expect(await endorsers()).toEqual([
      { slug: 'bakers-local-1', name: 'Bakers Local 1', state: 'OR', ...labor },
      { slug: 'cafe-workers', name: 'Café Workers', state: null, ...labor },
      {
        slug: 'st-marks-club-inc',
        name: 'St. Mark’s Club, Inc.',
        category: 'Clubs',
        state: 'OR',
        website_url: 'https://club.example',
      },
    ]);
    const text = printed.join('\n');
    expect(text).toContain('a table of endorsers in UTF-8, with commas, below a title');
    expect(text).toContain('columns of a table that hold no field | count 1 | such as Phone');
    expect((await importEndorsers(lines)).printed.join('\n')).toMatch(/endorsers +0 +0 +3 +0 +0/);
  });

  test('refuses a row with its line, and loads nothing', async () => {
    await importEndorsers(['name,category name,state', 'Kept,Clubs,OR']);
    const { status, told } = await importEndorsers([
      'name,category,state',
      'New,clubs,OR',
      'Nowhere,clubs,',
      '"Kept",clubs,OR,,one,two',
      '!!!,clubs,OR',
      'New,clubs,WA',
    ]);
    expect(status).toBe(1);
    const text = told.join('\n');
    expect(text).toContain('our-endorsers.csv:3: field state: is missing');
    expect(text).toContain('our-endorsers.csv:4: has 6 cells, and the header 3');
    expect(text).toContain('our-endorsers.csv:5: field slug:');
    expect(text).toContain('our-endorsers.csv:6:');
    expect((await endorsers()).map(({ slug }) => slug)).toEqual(['kept']);
  });

  test.each([
    [['state', 'OR'], [], 'The table has no column for the names of the endorsers'],
    [
      ['Club', 'Ann'],
      ['--map', 'Club=candidate'],
      'names the unknown field "candidate"; the fields are name, slug, category',
    ],
  ])('%j with %j is refused in a sentence', async (lines, options, words) => {
    const { status, told } = await importEndorsers(lines, ...options);
    expect(status).toBe(1);
    expect(told.join('\n')).toContain(words);
  });

  test('takes the fields that a person maps', async () => {
    const { status } = await importEndorsers(
      ['Club,Where,Kind', 'Map Club,WA,maps'],
      ...['--map', 'Club=name', '--map', 'Where=state', '--map', 'Kind=category name'],
    );
    expect(status).toBe(0);
    expect(await endorsers()).toMatchObject([{ slug: 'map-club', state: 'WA', category: 'maps' }]);
  });
});

describe('a table', () => {
  const LINES = [
    HEAD,
    'VA,11/3/2026,General,Governor,,1,Ann Lee,Democratic,Qualified',
    'VA,11/3/2026,General,City Council,City of Fern,3,Cy Ng,,',
    'Virginia,"Nov. 3, 2026",general,Governor,,,Bob Diaz,Green,Withdrawn',
    'VA,2026-11-03,General,City Council,City of Fern,,"O\'Roe, Di",,',
  ];

  test('can have the names of candidates in several columns', async () => {
    const head = HEAD.replace('Candidate Name', 'Candidate First Name,Candidate Last Name');
    const lines = LINES.slice(1).map((line) =>
      line.replace(/(Ann|Bob|Cy) /, '$1,').replace('"O\'Roe, Di"', "Di,O'Roe"),
    );
    const { printed, told } = await importTable([head, ...lines]);
    expect(told).toEqual([]);
    const { rows } = await client.query(
      "SELECT string_agg(label, ', ' ORDER BY label) AS names FROM choices",
    );
    expect(rows).toEqual([{ names: "Ann Lee, Bob Diaz, Cy Ng, Di O'Roe" }]);
    expect(printed.join('\n')).toContain(
      'joined from "Candidate First Name", "Candidate Last Name" (9 known',
    );
  });

  test('of candidates loads an election, and says what it assumed', async () => {
    const { status, printed, told } = await importTable(LINES);
    expect([status, told]).toEqual([0, []]);
    expect(await contestRows()).toEqual([
      VALUE,
      {
        key: 'va-2026-11-03-general/city-council-place-city-of-fern',
        kind: 'candidate',
        vote_method: 'multi_seat',
        votes_allowed: 3,
        level: 'city',
        type: 'place',
        ocd_id: null,
        choices: 'cy-ng oroe-di',
      },
    ]);
    const { rows } = await client.query('SELECT key FROM choices WHERE withdrawn');
    expect(rows).toEqual([{ key: 'bob-diaz' }]);
    const text = printed.join('\n');
    expect(text).toContain('table.csv: a table in UTF-8, with commas (9 known columns)');
    expect(text).toContain('what the district is the whole state | count 1 | such as Governor');
    expect(text).toContain('what the vote method is multi_seat | count 1 | such as City Council');
  });

  test('gives the same keys and ids in another order of rows and columns, with semicolons', async () => {
    await importTable(LINES);
    const before = await contents();
    await importTable([
      'Party;Status;Candidate Name;Seats;District;Office;Election Type;Election Date;State',
      ';;Cy Ng;3;City of Fern;CITY COUNCIL;General;11/3/2026;VA',
      'Democratic;Qualified;Ann Lee;1;;GOVERNOR;General;11/3/2026;VA',
      'Green;Withdrawn;Bob Diaz;1;;GOVERNOR;General;11/3/2026;VA',
      ';;"O\'Roe, Di";3;City of Fern;CITY COUNCIL;General;11/3/2026;VA',
    ]);
    const ids = (all: Record<string, unknown[]>) => all.choices?.map((row) => (row as { id: number }).id);
    expect(ids(await contents())).toEqual(ids(before));
  });

  test('of measures makes their choices and reads Spanish', async () => {
    const { status } = await importTable(
      [
        'measure,measure title es,measure text,measure text es,district,ocd id',
        'Measure A,Medida A,Shall we?,¿Debemos?,Rio County,ocd-division/country:us/state:va/county:rio',
        'Proposition 2,,,,,',
      ],
      '--election',
      'va-2026-11-03-general',
    );
    expect(status).toBe(1);
    await importFiles({
      'elections.ndjson': ndjson([election({ slug: 'va-2026-11-03-general', state: 'VA' })]),
    });
    await importTable(
      [
        'measure,measure title es,district,ocd id',
        'Measure A,Medida A,Rio County,ocd-division/country:us/state:va/county:rio',
        'Proposition 2,,,',
      ],
      '--election',
      'va-2026-11-03-general',
    );
    expect(await contestRows()).toMatchObject([
      {
        key: 'va-2026-11-03-general/measure-a-county-rio',
        kind: 'measure',
        vote_method: 'yes_no',
        level: 'county',
        choices: 'yes no',
      },
      { key: 'va-2026-11-03-general/proposition-2', kind: 'measure', level: 'state', choices: 'yes no' },
    ]);
  });

  test('leaves an election that it only names as it is, also beside the file that describes it', async () => {
    const slug = 'va-2026-11-03-general';
    const record = election({
      ...{ slug, name: 'Fall election', name_es: 'Elección de otoño', date: '2026-11-03', state: 'VA' },
      ...{ type: 'general', details: { fusion_voting: true } },
    });
    const lines = [...LINES, 'VA,11/3/2026,General,Governor,,,Ann Lee,Green,Qualified'];
    const moved = lines.map((line) => line.replace(/11\/3\/2026|2026-11-03|"Nov. 3, 2026"/, '11/10/2026'));
    await writeFiles({
      'elections.ndjson': ndjson([record]),
      'a.csv': lines.join('\n'),
      'b.csv': moved.join('\n'),
    });
    const both = await importPaths([file('a.csv'), file('b.csv'), '--election', slug]);
    expect(both.told.join('\n')).toContain('b.csv:2: field slug: must be unique');
    expect((await importPaths([file('a.csv'), file('elections.ndjson')])).told).toEqual([]);
    const elections = () => client.query('SELECT *, xmin FROM elections').then(({ rows }) => rows);
    const before = await elections();
    expect(before).toMatchObject([{ slug, name: 'Fall election', details: { fusion_voting: true } }]);
    for (const options of [[], ['--election', slug]])
      expect((await importTable(lines, ...options)).status).toBe(0);
    expect(await elections()).toEqual(before);
    // Another date changes that value alone.
    expect((await importTable(moved, '--election', slug)).told).toEqual([]);
    const { rows } = await client.query('SELECT name, name_es, details, date::text FROM elections');
    const { name, name_es, details } = record;
    expect(rows).toEqual([{ name, name_es, details, date: '2026-11-10' }]);
    // The former one is a part of the slug: it only names the election.
    const after = await elections();
    expect((await importTable(lines)).told).toEqual([]);
    expect(await elections()).toEqual(after);
  });

  test('gets the type of its election from the option if it does not say it', async () => {
    const lines = ['State,Date,Office,Candidate', 'VA,6/9/2026,Governor,Ann Lee'];
    expect((await importTable(lines)).told.join()).toMatch(/field type: must be one of general, primary/);
    expect((await importTable(lines, '--election-type', 'primary')).status).toBe(0);
    expect(await contestRows()).toMatchObject([
      { key: 'va-2026-06-09-primary/governor', choices: 'ann-lee' },
    ]);
  });

  test('has columns under other names with --map', async () => {
    const lines = [HEAD.replace('Office', 'Puesto').replace('Status', 'Notes'), ...LINES.slice(1)];
    expect((await importTable(lines)).told.join()).toMatch(
      /The table has no column for the contests: name it contest/,
    );
    const { status, printed } = await importTable(lines, '--map', 'Puesto=contest', '--map', 'Party=');
    expect(status).toBe(0);
    expect(printed.join('\n')).toContain(
      'what columns of a table that hold no field | count 2 | such as Party; Notes',
    );
    expect((await importTable(lines, '--map', 'Puesto=chair')).told.join()).toMatch(
      /names the unknown field "chair"/,
    );
  });
});

describe('a table is refused by line', () => {
  const row = (office: string, district: string, seats: string, name: string, status = '') =>
    `VA,11/3/2026,General,${office},${district},${seats},${name},,${status}`;
  test.each([
    [
      'two numbers of seats for one contest',
      [row('Board', 'Rio County', '2', 'A'), row('Board', 'Rio County', '3', 'B')],
      /table\.csv:3: field seats: must be 2, as in line 2 for Board, is 3/,
    ],
    [
      'a number that cannot be read',
      [row('Board', 'Rio County', 'two', 'A')],
      /table\.csv:2: field seats: must be a whole number from 1, is "two"/,
    ],
    [
      'an unknown status',
      [row('Governor', '', '', 'A', 'maybe')],
      /table\.csv:2: field withdrawn: must be yes or no, is "maybe"/,
    ],
    [
      'an office without a district',
      [row('Clerk', '', '', 'A')],
      /table\.csv:2: field district: is missing, and "Clerk" is not an office of the whole state/,
    ],
    [
      'a district without a level',
      [row('Clerk', 'Rio', '', 'A')],
      /table\.csv:2: field level: is missing, and neither the district nor the title tells it/,
    ],
    [
      'two choices of one name, a withdrawn one among them',
      [row('Governor', '', '', 'A'), row('Governor', '', '', 'A', 'Withdrawn')],
      /table\.csv:3: field choices\[1\]\.key: must be unique/,
    ],
    [
      'an election without a type, once for itself and once for its contest',
      [row('Governor', '', '', 'A').replace('General', '')],
      /:2: field type: must be one of .*\n.*:2: field election: names "va-2026-11-03", whose own row was refused .*\nRefusals/,
    ],
    [
      'a day that does not exist',
      [row('Governor', '', '', 'A').replace('11/3', '13/11')],
      /^table\.csv:2: field election_date: must have its month first: write 2026-11-13, is "13\/11\/2026" \(Governor\)\nNothing was loaded: 1 record is refused/,
    ],
  ])('for %s', async (_name, rows, message) => {
    const { status, told } = await importTable([HEAD, ...rows]);
    expect([status, told.join('\n')]).toEqual([1, expect.stringMatching(message)]);
    expect(await contestRows()).toEqual([]);
  });

  test('and --skip-refused loads the other contests, and keeps the refused one as it was', async () => {
    await importTable([
      HEAD,
      row('Governor', '', '1', 'Ann Lee'),
      row('Governor', '', '1', 'Bob Diaz'),
      row('Sheriff', 'Rio County', '', 'Eve'),
    ]);
    const { status } = await importTable(
      [
        HEAD,
        row('Governor', '', '1', 'Ann Lee'),
        row('Governor', '', '2', 'Cy'),
        row('Mayor', 'City of Rio', '', 'Di'),
      ],
      '--skip-refused',
    );
    expect(status).toBe(0);
    expect(await contestRows()).toMatchObject([VALUE, { choices: 'di' }]);
  });

  test('and --skip-refused reads no date with its month first in a column that has one with its day first', async () => {
    const on = (state: string, day: string) => `${state},${day},General,Governor,,,Ann Lee,,`;
    const rows = [on('VA', '3/11/2026'), on('OR', '2026-11-03'), on('WA', '11/25/2026')];
    const days = async () => (await client.query('SELECT slug FROM elections ORDER BY slug')).rows;
    const { told } = await importTable([HEAD, ...rows, on('CA', '31/12/2026')], '--skip-refused');
    expect(told).toContain(
      'table.csv:2: field election_date: must be YYYY-MM-DD, because line 5 has "31/12/2026", with the day ' +
        'first: write 2026-03-11 or 2026-11-03, is "3/11/2026" (va-2026-03-11-general)',
    );
    // The election and the contest of VA, and the contest of CA.
    expect(told.at(-1)).toMatch(/^3 refused records were left out/);
    expect(await days()).toEqual([{ slug: 'or-2026-11-03-general' }, { slug: 'wa-2026-11-25-general' }]);
  });

  test.each([
    ['without a level', ''],
    ['of an unknown level', 'Countty'],
  ])('of a district %s keeps the contest with --skip-refused', async (_, level) => {
    const head = 'State,Date,Type,Office,District,Level,Candidate';
    const governor = 'VA,11/3/2026,General,Governor,Virginia,state,Ann Lee';
    const clerk = (text: string) => `VA,11/3/2026,General,Clerk,Rio,${text},Bob Diaz`;
    await importTable([head, governor, clerk('county')]);
    const before = await contestRows();
    const { status } = await importTable([head, governor, clerk(level)], '--skip-refused');
    expect(status).toBe(0);
    expect(await contestRows()).toEqual(before);
  });

  test('that cannot be read, also with --skip-refused', async () => {
    const { status, told } = await importTable(
      [HEAD, row('Governor', '', '1', 'A,B,C,D,E')],
      '--skip-refused',
    );
    expect([status, told]).toEqual([
      1,
      [
        expect.stringMatching(
          /^table\.csv: Correct or remove the rows that cannot be read: line 2 has 11 cells, and the header 9/,
        ),
      ],
    ]);
  });
});

const demo = createDemo({ ...DEMO_DEFAULT_SIZE, seed: 1, today: '2026-09-15' });

/** Exports every election in a form, imports it again, and expects no change. */
async function expectRoundTrip(extension: string): Promise<void> {
  const before = await contents();
  const dir = await writeFiles({});
  const { rows } = await client.query<{ slug: string }>('SELECT slug FROM elections ORDER BY slug');
  expect(rows.length).toBeGreaterThan(0);
  const written: string[] = [];
  for (const { slug } of rows) {
    const to = extension === '' ? dir : path.join(dir, `${slug}${extension}`);
    await run(['export', slug, '--to', to], createIo({ DATABASE_URL: databaseUrl }));
    if (extension !== '') written.push(to);
    else {
      const { status, told } = await importPaths([dir]);
      expect([status, told]).toEqual([0, []]);
    }
  }
  if (written.length > 0) {
    const { status, told } = await importPaths(written);
    expect([status, told]).toEqual([0, []]);
  }
  expect(await contents()).toEqual(before);
}

const AWKWARD = {
  'elections.ndjson': ndjson([
    election({
      name_es: 'Elección',
      info_url: 'https://example.org',
      details: { fusion_voting: true, n: 1e20 },
    }),
    election({
      slug: 'or-2026-05-19-primary',
      date: '2026-05-19',
      type: 'primary',
      primary_system: 'closed',
      source: null,
    }),
  ]),
  'contests.ndjson': ndjson([
    contest('=cmd', {
      title: '=HYPERLINK("x")',
      short_title: "'+1",
      description: 'One, "two"\n\nthree; four\tfive',
      district: { name: 'The nation', level: 'federal', type: 'nation', state: null },
      votes_allowed: null,
      choices: [
        choice('-a', {
          label: '@Ann',
          candidate: { full_name: '-Ann', key: 'p' },
          party: 'Alder',
          withdrawn: true,
        }),
        choice('b', { label: '-Ann', candidate: { full_name: '-Ann', key: 'p' }, party: 'Birch' }),
        choice('c', { label: 'None of these', candidate: null }),
        choice('d', {
          label: "''",
          candidate: { full_name: 'Di', key: 'q' },
          details: { a: [1, { b: null }] },
        }),
      ],
    }),
    contest('empty', {
      choices: [],
      kind: 'measure',
      vote_method: 'plurality',
      district: { name: 'Oregon', level: 'state', type: 'statewide', state: 'OR' },
    }),
    contest('question', {
      kind: 'measure',
      vote_method: 'yes_no',
      choices: [
        choice('y', { label: 'Adopt', candidate: null, measure_answer: 'yes' }),
        choice('n', { label: 'Yes to no', candidate: null, measure_answer: 'no' }),
      ],
    }),
    contest('lines', {
      election: 'or-2026-05-19-primary',
      choices: ['Alder', 'Birch'].map((party) =>
        choice(party, { label: 'Ann Lee', candidate: { full_name: 'Ann Lee', key: 'Ann Lee' }, party }),
      ),
    }),
    contest('words', {
      kind: 'measure',
      choices: [
        choice('yes', { label: 'Yes', candidate: null }),
        choice('no', { label: 'No', candidate: null }),
      ],
    }),
  ]),
};

describe.each(['.csv', '.tsv', ''])('an export to %s', (extension) => {
  test('changes nothing when it is imported', async () => {
    await importFiles(AWKWARD);
    await expectRoundTrip(extension);
  });
});

describe('an export', () => {
  test('of the demo changes nothing when it is imported', async () => {
    // States with fusion voting, ranked choice and Nevada's choice of none.
    const elections = [...demo.elections()].filter(({ state }) => ['AK', 'NV', 'NY'].includes(state));
    const contests = [...demo.contests()].filter(({ election: of }) =>
      elections.some(({ slug }) => slug === of),
    );
    expect(contests.length).toBeGreaterThan(50);
    await importFiles({ 'elections.ndjson': ndjson(elections), 'contests.ndjson': ndjson(contests) });
    await expectRoundTrip('.csv');
  });

  (hasRealData ? test : test.skip)(
    titleOnRealData('of real data changes nothing when it is imported'),
    async () => {
      await importPaths(
        ['2018-primaries', 'sf-2016', 'rcv-contests'].flatMap((name) =>
          ['elections', 'contests'].map((kind) => realPath(`${name}/${kind}.ndjson`)),
        ),
      );
      await expectRoundTrip('.csv');
    },
  );

  test('has no removed contest or choice', async () => {
    await importFiles(AWKWARD);
    const lines = AWKWARD['contests.ndjson']
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [first, , ...rest] = lines;
    first.choices.pop();
    await importFiles({ 'contests.ndjson': ndjson([first, ...rest]) });
    expect((await client.query('SELECT FROM contests WHERE removed_at IS NOT NULL')).rowCount).toBe(1);
    await expectRoundTrip('.csv');
  });

  test('with a corrected cell changes exactly that', async () => {
    await importFiles(AWKWARD);
    const before = await contents();
    const dir = await writeFiles({});
    const table = path.join(dir, 'a.csv');
    await run(['export', 'or-2026-11-03-general', '--to', table], createIo({ DATABASE_URL: databaseUrl }));
    const text = await readFile(table, 'utf8');
    await writeFile(table, text.replace('Title of question', 'A better title'));
    const { printed } = await importPaths([table]);
    expect(counts(printed, 'contests')).toEqual([0, 1, 3, 0, 0]);
    expect(counts(printed, 'choices')).toEqual([0, 0, 8, 0, 0]);
    const after = await contents();
    const plain = (rows: unknown[] | undefined) =>
      rows?.map((row) => ({ ...(row as object), xmin: null, updated_at: null }));
    expect(plain(after.contests)).toEqual(
      plain(before.contests)?.map((row) =>
        'key' in row && String(row.key).endsWith('/question') ? { ...row, title: 'A better title' } : row,
      ),
    );
  });

  test('that fails leaves an existing file as it is', async () => {
    await importFiles(AWKWARD);
    const dir = await writeFiles({ 'kept.csv': 'kept' });
    const table = path.join(dir, 'kept.csv');
    await expect(
      run(['export', 'nowhere', '--to', table], createIo({ DATABASE_URL: databaseUrl })),
    ).rejects.toThrow();
    expect(await readFile(table, 'utf8')).toBe('kept');
    await run(['export', 'or-2026-11-03-general', '--to', table], createIo({ DATABASE_URL: databaseUrl }));
    expect(await readFile(table, 'utf8')).toContain('Title of question');
    expect(await readdir(dir)).toEqual(['kept.csv']);
    // A folder in the place of the file fails at the end.
    await mkdir(path.join(dir, 'taken.csv'));
    const taken = run(
      ['export', 'or-2026-11-03-general', '--to', path.join(dir, 'taken.csv')],
      createIo({ DATABASE_URL: databaseUrl }),
    );
    await expect(taken).rejects.toThrow(/The export cannot be written to/);
    expect(await readdir(dir)).toEqual(['kept.csv', 'taken.csv']);
  });

  test('gives a spreadsheet no formula', async () => {
    await importFiles(AWKWARD);
    const io = createIo({ DATABASE_URL: databaseUrl });
    await run(['export', 'or-2026-11-03-general'], io);
    const cells = io.printed.join('\n').split(/[,\r\n]/);
    expect(cells.filter((cell) => /^"?[=+\-@]/.test(cell))).toEqual([]);
    expect(cells).toContain("'-a");
  });

  test('to a table names the cell that a table cannot have, and leaves the file as it is; a folder takes it', async () => {
    const details = { note: 'x'.repeat(100_000) };
    await importFiles({
      'elections.ndjson': ndjson([election()]),
      'contests.ndjson': ndjson([contest('mayor'), contest('sheriff', { details })]),
    });
    const dir = await writeFiles({ 'kept.csv': 'kept' });
    const slug = 'or-2026-11-03-general';
    const exportTo = (to: string) =>
      run(['export', slug, '--to', to], createIo({ DATABASE_URL: databaseUrl }));
    await expect(exportTo(path.join(dir, 'kept.csv'))).rejects.toThrow(
      `The contest_details of ${slug}/sheriff has 100,011 bytes, and a cell of a table at most 100,000: export to a folder instead, as NDJSON.`,
    );
    expect([await readFile(path.join(dir, 'kept.csv'), 'utf8'), await readdir(dir)]).toEqual([
      'kept',
      ['kept.csv'],
    ]);
    await exportTo(dir);
    const before = await contents();
    await importPaths([dir]);
    expect(await contents()).toEqual(before);
  });

  test('of an election without contests has its own row', async () => {
    await importFiles({ 'elections.ndjson': AWKWARD['elections.ndjson'] });
    await expectRoundTrip('.csv');
    const io = createIo({ DATABASE_URL: databaseUrl });
    await run(['export', 'or-2026-05-19-primary'], io);
    expect(io.printed).toHaveLength(2);
    expect(io.printed[1]).toMatch(/^or-2026-05-19-primary,OR,2026-05-19,primary,/);
  });

  test.each([
    ['an unknown election', ['nowhere', '--to', 'x.csv'], /no election with the slug "nowhere"/],
    [
      'a file of another kind',
      ['or-2026-11-03-general', '--to', 'x.xlsx'],
      /x\.xlsx must end in \.csv, \.tsv, elections\.ndjson or contests\.ndjson, or be a folder/,
    ],
    [
      'a folder that does not exist',
      ['or-2026-11-03-general', '--to', '/nowhere/x.csv'],
      /The export cannot be written to \/nowhere\/x\.csv/,
    ],
  ])('to or of %s is refused', async (_name, args, message) => {
    await importFiles(AWKWARD);
    await expect(run(['export', ...args], createIo({ DATABASE_URL: databaseUrl }))).rejects.toThrow(message);
  });
});
