import { describe, expect, test } from '@jest/globals';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import { choice, contest, election, endorser, ndjson } from '../helpers/ballots/catalogue-records.ts';
import { counts, GOOD, useCatalogueCommand } from '../helpers/commands/catalogue-command.ts';
import { createIo } from '../helpers/commands/command-io.ts';
import { until } from '../helpers/until.ts';

const { databaseUrl, client, run, file, contents, writeFiles, importFiles, importPaths } =
  useCatalogueCommand();

describe('an import', () => {
  test('loads every kind and sums up its rows', async () => {
    const { status, printed, told } = await importFiles(GOOD);
    expect([status, told]).toEqual([0, []]);
    expect(printed).toEqual([
      '                          added    changed  unchanged    removed    refused',
      'endorser categories           2          0          0          0          0',
      'endorsers                     2          0          0          0          0',
      'elections                     2          0          0          0          0',
      'districts                     1          0          0          0          0',
      'contests                      3          0          0          0          0',
      'candidates                    6          0          0          0          0',
      'choices                       6          0          0          0          0',
    ]);
  });

  test.each([
    ['endorsers.ndjson', ''],
    ['contests.ndjson', '\n\n'],
    ['candidates.csv', 'election,contest,choice\n'],
  ])('of %s without a record fails', async (name, text) => {
    await writeFiles({ [name]: text });
    const { status, told } = await importPaths([file(name)]);
    expect([status, told]).toEqual([
      1,
      [expect.stringMatching(/^Nothing was loaded, because .* no records/)],
    ]);
  });

  test('says that it waits for another edit', async () => {
    const io = createIo({ DATABASE_URL: databaseUrl });
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.catalogueImport]);
    const importing = run(['import', await writeFiles(GOOD)], io);
    try {
      await until('the import tells of its wait', () => io.told.length > 0, 20_000);
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.catalogueImport]);
      expect(await importing).toBe(0);
    }
    expect(io.told).toEqual(['Another edit of the catalogue is under way: this one begins when it is done.']);
  });

  test('writes no row when it is repeated, even in another order', async () => {
    await importFiles(GOOD);
    const before = await contents();
    const again = await importFiles(GOOD);
    expect(counts(again.printed, 'contests')).toEqual([0, 0, 3, 0, 0]);
    const reversed = Object.keys(GOOD).reverse();
    const turned = await importPaths(reversed.map((name) => file(name)));
    expect(counts(turned.printed, 'choices')).toEqual([0, 0, 6, 0, 0]);
    expect(await contents()).toEqual(before);
  });

  test('draws no ids for existing rows', async () => {
    await importFiles(GOOD);
    await importFiles(GOOD);
    await importFiles({ ...GOOD, 'contests.ndjson': GOOD['contests.ndjson'] + ndjson([contest('sheriff')]) });
    const { rows } = await client.query<{ spread: number }>(
      'SELECT max(id) - min(id) AS spread FROM contests',
    );
    expect(rows[0]?.spread).toBe(3);
  });

  test('changes rows in place', async () => {
    await importFiles(GOOD);
    const before = await contents();
    const { printed } = await importFiles({
      ...GOOD,
      'elections.ndjson': ndjson([election({ name_es: 'Elección' })]),
    });
    expect(counts(printed, 'elections')).toEqual([0, 1, 0, 0, 0]);
    const after = await contents();
    expect(after.elections?.map((row) => (row as { id: number }).id)).toEqual(
      before.elections?.map((row) => (row as { id: number }).id),
    );
    expect(after.contests).toEqual(before.contests);
  });

  test('keeps texts in their one form, and details byte for byte', async () => {
    const title = '"Straße" \\N \\. ’Ãƒ© 😀 %s $1';
    const description = 'one\ntwo\n\n\\three\\';
    const detail = ` ${title}\t\u0001\u200b\r\n`;
    await importFiles({
      ...GOOD,
      'contests.ndjson': ndjson([
        contest('odd', {
          title: detail,
          description: ` one\r\ntwo \u2028\u200b\n\n\\three\\\t\r`,
          details: { a: detail },
          choices: [choice(detail)],
        }),
      ]),
    });
    const { rows } = await client.query(
      `SELECT title, description, contests.details ->> 'a' AS detail, choices.key, full_name
      FROM contests JOIN choices ON contest_id = contests.id JOIN candidates ON candidates.id = candidate_id`,
    );
    expect(rows).toEqual([{ title, description, detail, key: title, full_name: title }]);
  });

  test('keeps the numbers of details if they are exact', async () => {
    const numbers = '{"a":9007199254740992,"b":-18014398509481984,"c":0.1,"d":1e20,"e":1.50}';
    const line = ndjson([contest('odd')]).replace('"details":{}', `"details":${numbers}`);
    await importFiles({ ...GOOD, 'contests.ndjson': line });
    const { rows } = await client.query('SELECT details::text FROM contests');
    expect(rows[0]?.details.replaceAll(' ', '')).toBe(
      '{"a":9007199254740992,"b":-18014398509481984,"c":0.1,"d":100000000000000000000,"e":1.5}',
    );
  });

  test('makes one candidate of several party lines, and two of lines with their own keys', async () => {
    const lines = [
      choice('ann-d', { candidate: { full_name: 'Ann' }, party: 'd' }),
      choice('ann-w', { candidate: { full_name: 'Ann' }, party: 'w' }),
      choice('sam-1', { candidate: { full_name: 'Sam', key: 'sam 1' } }),
      choice('sam-2', { candidate: { full_name: 'Sam', key: 'sam 2' } }),
      choice('none', { candidate: null, option: 'none_of_these' }),
    ];
    await importFiles({
      ...GOOD,
      'elections.ndjson': ndjson([election({ details: { fusion_voting: true } })]),
      'contests.ndjson': ndjson([contest('x', { choices: lines })]),
    });
    const { rows } = await client.query(
      'SELECT choices.key, candidates.key AS candidate FROM choices LEFT JOIN candidates ON candidates.id = candidate_id ORDER BY ballot_order',
    );
    expect(rows).toEqual([
      { key: 'ann-d', candidate: 'Ann' },
      { key: 'ann-w', candidate: 'Ann' },
      { key: 'sam-1', candidate: 'sam 1' },
      { key: 'sam-2', candidate: 'sam 2' },
      { key: 'none', candidate: null },
    ]);
    // A file without the election finds its rule in the catalogue.
    const again = await importFiles({ 'contests.ndjson': ndjson([contest('x', { choices: lines })]) });
    expect(again.status).toBe(0);
  });

  test('orders contests as in the file, unless they have their own order', async () => {
    const primary = contest('p', { election: 'or-2026-05-19-primary' });
    const records = [contest('b'), primary, contest('a'), contest('z', { ballot_order: 1 }), contest('c')];
    const orderOf = async (given: object[]) => {
      await importFiles({ ...GOOD, 'contests.ndjson': ndjson(given) });
      const { rows } = await client.query(
        'SELECT key, ballot_order FROM contests ORDER BY ballot_order, key',
      );
      return rows.map((row) => `${row.ballot_order} ${row.key.split('/')[1]}`);
    };
    expect(await orderOf(records)).toEqual(['1 p', '1 b', '1 z', '2 a', '4 c']);
    expect(await orderOf(records.toReversed())).toEqual(['1 p', '1 c', '1 z', '3 a', '4 b']);
  });

  test('keeps the order of contests with --keep-missing, and puts new and returning ones at the end', async () => {
    const files = (...slugs: string[]) => ({
      'contests.ndjson': ndjson(slugs.map((slug) => contest(slug, { title: slugs.join(' ') }))),
    });
    await importFiles({ ...GOOD, ...files('a', 'b') });
    const order = async () => {
      const { rows } = await client.query(
        'SELECT short_title FROM contests WHERE removed_at IS NULL ORDER BY ballot_order, id',
      );
      return rows.map(({ short_title }) => short_title);
    };
    await importFiles(files('d', 'b', 'c'), '--keep-missing');
    expect(await order()).toEqual(['a', 'b', 'd', 'c']);
    const moved = { 'contests.ndjson': ndjson([contest('a', { ballot_order: 9 })]) };
    await importFiles(moved, '--keep-missing');
    expect(await order()).toEqual(['b', 'd', 'c', 'a']);
    await importFiles(files('b', 'c'), '--allow-removals', '9');
    const last = contest('e', { title: 'e', ballot_order: 2_147_483_647 });
    await importFiles({ 'contests.ndjson': ndjson([contest('a'), last]) }, '--keep-missing');
    // No place is after the last one.
    expect((await importFiles(files('f'), '--keep-missing')).status).toBe(0);
    expect(await order()).toEqual(['b', 'c', 'a', 'e', 'f']);
  });

  test('keeps the name of a district when contests use several', async () => {
    const named = (slug: string, name: string) =>
      contest(slug, {
        district: { ocd_id: 'ocd-division/x', name, level: 'city', type: 'place', state: 'OR' },
      });
    await importFiles({
      ...GOOD,
      'contests.ndjson': ndjson([named('a', 'Fern'), named('b', 'City of Fern')]),
    });
    const { printed } = await importFiles({
      ...GOOD,
      'contests.ndjson': ndjson([named('b', 'City of Fern'), named('a', 'Fern')]),
    });
    expect(counts(printed, 'districts')).toEqual([0, 0, 1, 0, 0]);
    const { rows } = await client.query('SELECT name FROM districts');
    expect(rows).toEqual([{ name: 'Fern' }]);
  });

  test('waits for another import that merges at the same time', async () => {
    const dir = await writeFiles(GOOD);
    const results = await Promise.all([importPaths([dir]), importPaths([dir]), importPaths([dir])]);
    expect(results.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(results.map(({ printed }) => counts(printed, 'choices')[0]).sort()).toEqual([0, 0, 6]);
  });
});

const NAMESAKES = ['1', '2'].map((key) => choice(key, { candidate: { full_name: 'Bob' } }));

describe('a refusal', () => {
  const cases: [string, Record<string, string | Buffer>, string[]][] = [
    [
      'a contest of an unknown election',
      { 'contests.ndjson': ndjson([contest('mayor', { election: 'or-2030-11-05-general' })]) },
      [
        'contests.ndjson:1: field election: names "or-2030-11-05-general", which is neither in these files nor in the catalogue; known: or-2026-05-19-primary, or-2026-11-03-general (or-2030-11-05-general/mayor)',
      ],
    ],
    [
      'an endorser of an unknown category',
      { 'endorsers.ndjson': ndjson([endorser(), endorser({ slug: 'x', category: 'bakers' })]) },
      [
        'endorsers.ndjson:2: field category: names "bakers", which is neither in these files nor in the catalogue; known: labor, party (x)',
      ],
    ],
    [
      'an endorser of an unknown category beside more than a refusal lists',
      {
        'endorser-categories.ndjson': ndjson(
          Array.from({ length: 21 }, (_, n) => ({ slug: `kind-${n}`, name: `Kind ${n}` })),
        ),
        'endorsers.ndjson': ndjson([endorser({ slug: 'x', category: 'bakers' })]),
      },
      [
        'endorsers.ndjson:1: field category: names "bakers", which is neither in these files nor in the catalogue (x)',
      ],
    ],
    [
      'a contest whose election is refused',
      {
        'elections.ndjson': ndjson([election({ date: null })]),
        'contests.ndjson': ndjson([contest('mayor')]),
      },
      [
        'elections.ndjson:1: field date: must be a real date as YYYY-MM-DD, is null (or-2026-11-03-general)',
        'contests.ndjson:1: field election: names "or-2026-11-03-general", whose own row was refused (or-2026-11-03-general/mayor)',
        'Refusals by file, field and reason:',
        '          1  elections.ndjson: field date must be a real date as YYYY-MM-DD',
        '          1  contests.ndjson: field election names a record, whose own row was refused',
      ],
    ],
    [
      'two candidates of one name without keys, where no candidate has several lines',
      {
        'contests.ndjson': ndjson([
          contest('a', {
            choices: ['d', 'r'].map((party) =>
              choice(`bob-${party}`, { party, candidate: { full_name: 'Bob' } }),
            ),
          }),
          contest('b', {
            choices: ['1', '2'].map((key) => choice(`bob-${key}`, { candidate: { full_name: 'Bob', key } })),
          }),
        ]),
      },
      [
        'contests.ndjson:1: field choices: have several candidates named "Bob"; give each a candidate.key, the same one for one person on several lines, or set fusion_voting in the details of the election (or-2026-11-03-general/a)',
      ],
    ],
    [
      'a key that comes twice',
      {
        'contests.ndjson': ndjson([
          contest('a'),
          contest('b'),
          // Of several problems, the first one is told.
          contest('a', { choices: NAMESAKES }),
        ]),
      },
      [
        'contests.ndjson:3: field key: must be unique, is "or-2026-11-03-general/a" as in contests.ndjson:1 (or-2026-11-03-general/a)',
      ],
    ],
    [
      'two candidates of one name whose election is told twice, the second time as one with fusion voting',
      {
        'elections.ndjson': ndjson([election(), election({ details: { fusion_voting: true } })]),
        'contests.ndjson': ndjson([contest('a', { choices: NAMESAKES })]),
      },
      [
        'elections.ndjson:2: field slug: must be unique, is "or-2026-11-03-general" as in elections.ndjson:1 (or-2026-11-03-general)',
        expect.stringMatching(
          /^contests\.ndjson:1: field choices: have several candidates named "Bob"/,
        ) as unknown as string,
        'Refusals by file, field and reason:',
        '          1  elections.ndjson: field slug must be unique',
        '          1  contests.ndjson: field choices have candidates of equal names',
      ],
    ],
    [
      'a slug that comes twice',
      { 'endorsers.ndjson': ndjson([endorser(), endorser({ name: 'Other' })]) },
      [
        'endorsers.ndjson:2: field slug: must be unique, is "bakers-local-1" as in endorsers.ndjson:1 (bakers-local-1)',
      ],
    ],
    [
      'a line that is not JSON',
      { 'endorsers.ndjson': `${ndjson([endorser()])}{"slug"\n` },
      [expect.stringMatching(/^endorsers\.ndjson:2: is not JSON: /) as unknown as string],
    ],
    [
      'a name that cannot be stored',
      {
        'elections.ndjson': ndjson([election(), election({ slug: 'x\0\ud83dy' })]),
        'contests.ndjson': ndjson([contest('mayor')]),
      },
      [
        'elections.ndjson:2: field slug: holds a NUL character (\\u0000), which cannot be stored (x\\u0000\\ud83dy)',
      ],
    ],
  ];

  test.each(cases)('%s: is reported, and nothing is loaded', async (_name, files, told) => {
    const result = await importFiles({ ...GOOD, ...files });
    expect(result.status).toBe(1);
    expect(result.printed).toEqual([]);
    expect(result.told.slice(0, -1)).toEqual(told);
    expect(result.told.at(-1)).toMatch(/^Nothing was loaded: [0-9,]+ records? (is|are) refused/);
    expect(Object.values(await contents()).flat()).toEqual([]);
  });

  test('of many lines lists the first hundred, and counts all by file, field and reason', async () => {
    const untitled = (i: number) =>
      contest(`x${i}`, { choices: [choice('ann'), choice('bob', { label: i })] });
    const records = [
      ...Array.from({ length: 250 }, (_, i) => contest(`c${i}`)),
      ...Array.from({ length: 120 }, (_, i) => untitled(i)),
    ];
    const { told } = await importFiles({ 'contests.ndjson': ndjson(records) });
    expect(told).toHaveLength(105);
    expect(told.slice(100)).toEqual([
      '… and 270 more',
      'Refusals by file, field and reason:',
      '        250  contests.ndjson: field election names a record, which is neither in these files nor in the catalogue',
      expect.stringMatching(/^ {8}120 {2}contests\.ndjson: field choices\[\]\.label must be /),
      expect.stringMatching(/^Nothing was loaded: 370 records are refused/),
    ]);
  });

  test('of inexact numbers names each with its field, and nothing is imported', async () => {
    const details = '{"x":1e400,"y":12345678901234567890,"z":"12345678901234567890"}';
    const line = ndjson([election()]).replace('{"all_mail":true}', details);
    const { status, told } = await importFiles({ ...GOOD, 'elections.ndjson': line });
    expect(status).toBe(1);
    const exact = 'must be a number that can be kept exactly, is';
    const advice = 'to keep it, write it as text (or-2026-11-03-general)';
    expect(told.slice(0, 2)).toEqual([
      `elections.ndjson:1: field details.x: ${exact} 1e400; ${advice}`,
      `elections.ndjson:1: field details.y: ${exact} 12345678901234567890; ${advice}`,
    ]);
    expect((await contents()).elections).toEqual([]);
  });

  test('with --skip-refused leaves the row out and still names it', async () => {
    const elections = ndjson([election(), election({ slug: 'or-undated', date: null })]);
    const contests = ndjson([contest('mayor'), contest('mayor', { election: 'or-undated' })]);
    const result = await importFiles(
      { ...GOOD, 'elections.ndjson': elections, 'contests.ndjson': contests },
      '--skip-refused',
    );
    expect(result.status).toBe(0);
    expect(result.told).toEqual([
      expect.stringMatching(/^elections\.ndjson:2: field date: .* \(or-undated\)$/),
      expect.stringMatching(
        /^contests\.ndjson:2: field election: names "or-undated", whose own row was refused/,
      ),
      'Refusals by file, field and reason:',
      '          1  elections.ndjson: field date must be a real date as YYYY-MM-DD',
      '          1  contests.ndjson: field election names a record, whose own row was refused',
      '2 refused records were left out, as --skip-refused asks; the others are loaded.',
    ]);
    expect(counts(result.printed, 'elections')).toEqual([1, 0, 0, 0, 1]);
    expect(counts(result.printed, 'contests')).toEqual([1, 0, 0, 0, 1]);
  });
});

test.each([
  [
    ['import', '--allow-removals', 'many', '.'],
    "Option '--allow-removals <n>' argument 'many' is invalid. It must be a whole number of 0 or more",
  ],
  [['import'], 'Missing required argument \'paths\': see "npm run ops -- catalog import --help".'],
  [['inport', '.'], "Unknown command 'inport': did you mean import?"],
  [['import', '--skip-refuse', '.'], "Unknown option '--skip-refuse': did you mean --skip-refused?"],
])('the arguments %j are refused with a hint', async (args, message) => {
  await expect(run(args, createIo({ DATABASE_URL: databaseUrl }))).rejects.toThrow(message);
});

const ENDORSERS = { 'endorsers.csv': 'name,category,category_name,state\nBakers,labor,Labor,OR\n' };

test.each([
  ['--election', 'or-2026-11-03-general', GOOD, 'a table of contests, whose name ends in .csv or .tsv.'],
  ['--election', 'or-2026-11-03-general', ENDORSERS, 'a table of contests, whose name ends in .csv or .tsv.'],
  ['--map', 'Office=contest', GOOD, 'a table, whose name ends in .csv or .tsv.'],
  ['--election-type', 'general', GOOD, 'a table of contests or a feed.'],
  ['--election-type', 'general', ENDORSERS, 'a table of contests or a feed.'],
])('%s is refused with files that it is not for', async (option, value, given, files) => {
  await writeFiles(given);
  const { status, told } = await importPaths([...Object.keys(given).map(file), option, value]);
  expect([status, told]).toEqual([1, [`${option} is of use only with ${files}`]]);
});

test('a database that cannot be reached is reported in one sentence', async () => {
  const dir = await writeFiles(GOOD);
  const io = createIo({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
  await expect(run(['import', dir], io)).rejects.toThrow(
    /^Postgres at 127\.0\.0\.1:1 does not answer \(.*\): start it/,
  );
});
