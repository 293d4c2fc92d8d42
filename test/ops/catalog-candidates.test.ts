/** The identity of candidates, when an edit names candidates differently or has only a part of a contest. */
import { describe, expect, test } from '@jest/globals';
import { choice, contest, election, ndjson } from '../helpers/ballots/catalogue-records.ts';
import { GOOD, useCatalogueCommand } from '../helpers/commands/catalogue-command.ts';

const { client, importFiles } = useCatalogueCommand();

/** A line of a ballot: the key of its choice, the name, and the candidate's key if there is one. */
type Line = readonly [
  key: string,
  full_name: string | null,
  candidateKey?: string | undefined,
  values?: object,
];

const choiceOf = ([key, full_name, candidateKey, values = {}]: Line) =>
  choice(key, {
    label: `${full_name ?? 'nobody'} (${key})`,
    candidate: full_name === null ? null : { full_name, ...(candidateKey && { key: candidateKey }) },
    ...values,
  });

/** Another contest with the same keys and names, which are other people. */
const OTHER = contest('other', {
  choices: (
    [
      ['1', 'Dan Brown'],
      ['2', 'Don Brown'],
      ['3', 'Bob Diaz'],
      ['a', 'Ann Lee'],
      ['b', 'Bob Lee'],
      ['d', 'Anne Lee'],
      ['w', 'Zed Moss'],
      ['x', 'Joe Biden'],
    ] satisfies Line[]
  ).map(choiceOf),
});

const files = (lines: readonly Line[], { fusion = false, ...values }: { fusion?: boolean } = {}) => ({
  'endorser-categories.ndjson': GOOD['endorser-categories.ndjson'],
  'elections.ndjson': ndjson([election({ details: { fusion_voting: fusion } })]),
  'contests.ndjson': ndjson([contest('mayor', { ...values, choices: lines.map(choiceOf) }), OTHER]),
});

/** The first words of the refusal; null if the files were loaded. */
async function load(lines: readonly Line[], options: string[] = [], values = {}): Promise<string | null> {
  const { status, told } = await importFiles(files(lines, values), ...options);
  return status === 0 ? null : (/field choices: (.*?);/.exec(told[0] ?? '')?.[1] ?? told.join());
}

/** The lines of the contest as `key candidate-id name`; ids count from the first. */
async function lines(): Promise<string[]> {
  const { rows } = await client.query<{ key: string; id: number; name: string }>(
    `SELECT h.key, p.id, p.full_name AS name FROM choices h LEFT JOIN candidates p ON p.id = h.candidate_id
     WHERE h.removed_at IS NULL AND h.contest_id = (SELECT id FROM contests WHERE key LIKE '%/mayor') ORDER BY h.key`,
  );
  const ids = [...new Set(rows.map(({ id }) => id).sort((a, b) => a - b))];
  return rows.map(({ key, id, name }) => `${key} ${ids.indexOf(id)} ${name}`);
}

describe('two people whose names are alike', () => {
  test.each<[string, Line[], Line[], string]>([
    [
      'swap their names',
      [
        ['1', 'Dan Brown'],
        ['2', 'Don Brown'],
      ],
      [
        ['1', 'Don Brown'],
        ['2', 'Dan Brown'],
      ],
      'name "Don Brown" under the key "1", which belongs to "Dan Brown" and its endorsements',
    ],
    [
      'move up after the first one left',
      [
        ['1', 'Dan Brown'],
        ['2', 'Don Brown'],
      ],
      [['1', 'Don Brown']],
      'name "Don Brown" under the key "1", which belongs to "Dan Brown" and its endorsements',
    ],
    [
      'swap their keys',
      [
        ['1', 'Bob Lee', 'bob-1', { party: 'Green' }],
        ['2', 'Bob Lee', 'bob-2', { party: 'Gold' }],
      ],
      [
        ['1', 'Bob Lee', 'bob-2', { party: 'Green' }],
        ['2', 'Bob Lee', 'bob-1', { party: 'Gold' }],
      ],
      'give the candidate "bob-2" of another choice to the key "1", which belongs to "Bob Lee" and its endorsements',
    ],
    [
      'are parent and child',
      [['1', 'Bob Lee Sr.']],
      [['1', 'Bob Lee Jr.']],
      'name "Bob Lee Jr." under the key "1", which belongs to "Bob Lee Sr." and its endorsements',
    ],
    [
      'follow each other after a file without candidates',
      [['1', null, undefined, { label: 'Joe Biden' }]],
      [['1', 'Kamala Harris', undefined, { label: 'Kamala Harris' }]],
      'name "Kamala Harris" under the key "1", which belongs to "Joe Biden" and its endorsements',
    ],
  ])('that %s are refused, without --allow-renames', async (_, before, after, reason) => {
    expect(await load(before)).toBe(null);
    expect(await load(after)).toBe(reason);
    expect(await load(after, ['--allow-renames'])).toBe(null);
  });
});

test('lines that had different candidates by mistake become lines of one', async () => {
  const fusion = { fusion: true };
  const d: Line = ['d', 'Ann Lee'];
  await load([d, ['w', 'Anne Lee']], [], fusion);
  expect(await load([d, ['w', 'Ann Lee']], [], fusion)).toBe(null);
  expect(await lines()).toEqual(['d 0 Ann Lee', 'w 0 Ann Lee']);
  // With keys too, and the other way round: one candidate that was two people.
  expect(
    await load(
      [
        ['d', 'Ann Lee', 'a'],
        ['w', 'Ann Lee', 'b'],
      ],
      [],
      fusion,
    ),
  ).toBe(null);
  expect(
    await load(
      [
        ['d', 'Ann Lee', 'a'],
        ['w', 'Ann Lee', 'a'],
      ],
      [],
      fusion,
    ),
  ).toBe(null);
  expect(await lines()).toEqual(['d 0 Ann Lee', 'w 0 Ann Lee']);
  // Under a name that neither had.
  const both = (one: string, two: string): Line[] => [
    ['d', one],
    ['w', two],
  ];
  await load(both('Anna Lee', 'Anne Lee'), ['--allow-renames'], fusion);
  expect(await load(both('Ann Lee', 'Ann Lee'), [], fusion)).toBe(null);
  expect(await lines()).toEqual(['d 0 Ann Lee', 'w 0 Ann Lee']);
});

test('a candidate keeps its id while further lines come and go, and a key with them', async () => {
  const idOfAnn = async () =>
    (await client.query(`SELECT candidate_id FROM choices WHERE key = 'ann'`)).rows[0]?.candidate_id;
  await load([['ann', 'Ann Lee']]);
  const id = await idOfAnn();
  const onTwoLines: Line[] = [
    ['ann', 'Ann Lee', 'ann-lee'],
    ['ann-workers', 'Ann Lee', 'ann-lee'],
  ];
  for (const given of [onTwoLines, [['ann', 'Ann Lee']] satisfies Line[], onTwoLines]) {
    expect([await load(given), await idOfAnn()]).toEqual([null, id]);
  }
  expect(await load([['ann', 'Ann Lee', 'another']])).toBe(null);
  expect(await idOfAnn()).not.toBe(id);
});

test('a candidate stays with the line that has its name if another of its lines gets a corrected one', async () => {
  const fusion = { fusion: true };
  const before: Line[] = [
    ['a', 'Ann Lee'],
    ['b', 'Ann Lee'],
  ];
  expect(await load(before, [], fusion)).toBeNull();
  expect(await lines()).toEqual(['a 0 Ann Lee', 'b 0 Ann Lee']);
  expect(
    await load(
      [
        ['a', 'Anne Lee'],
        ['b', 'Ann Lee'],
      ],
      [],
      fusion,
    ),
  ).toBeNull();
  expect(await lines()).toEqual(['a 1 Anne Lee', 'b 0 Ann Lee']);
});

test('a choice may lose and get its candidate while its label stays', async () => {
  const labelled = (name: string | null): Line[] => [['1', name, undefined, { label: 'The incumbent' }]];
  await load(labelled('Joe Biden'));
  expect(await load(labelled(null))).toBe(null);
  expect(await load(labelled('Joseph Biden'))).toBe(null);
});

test('INV-16: if one of several lines of a name has a key, all must have one, also under fusion voting', async () => {
  const mixed: Line[] = [
    ['d', 'Ann Lee', 'ann'],
    ['w', 'Ann Lee'],
  ];
  for (const fusion of [true, false]) {
    expect(await load(mixed, [], { fusion })).toBe('have several candidates named "Ann Lee"');
  }
});

test('INV-16: lines of one name need keys when an election has no fusion voting any more', async () => {
  const both: Line[] = [
    ['d', 'Ann Lee'],
    ['w', 'Ann Lee'],
  ];
  expect(await load(both, [], { fusion: true })).toBe(null);
  expect(await load(both)).toBe('have several candidates named "Ann Lee"');
});

test.each([true, false])('INV-16: spellings of one name need keys, with fusion voting %j', async (fusion) => {
  const spelled = (...keys: string[]): Line[] => [
    ['d', 'J. R. Núñez', keys[0]],
    ['w', 'J.R. NUNEZ.', keys[1]],
  ];
  const problem = 'have candidates named "J. R. Núñez" and "J.R. NUNEZ."';
  expect(await load(spelled(), [], { fusion })).toBe(problem);
  expect(await load(spelled('a'), [], { fusion })).toBe(problem);
  expect(await load(spelled('a', 'b'), [], { fusion })).toBe(null);
  expect(await load([['x', 'J R Nunez Sr.'], ...spelled('a', 'b')], [], { fusion })).toBe(null);
});

test('names in letters of other scripts are different people', async () => {
  expect(
    await load([
      ['1', '李明'],
      ['2', '王芳'],
    ]),
  ).toBe(null);
});

describe('a part of a contest, with --keep-missing,', () => {
  const PART = ['--keep-missing'];
  const D: Line = ['d', 'Ann Lee'];
  const W: Line = ['w', 'Ann Lee'];

  test('that corrects the name on one line of a candidate corrects it on the lines that stay', async () => {
    await load([D, W], [], { fusion: true });
    expect(await load([['d', 'Anne Lee']], PART, { fusion: true })).toBe(null);
    expect(await lines()).toEqual(['d 0 Anne Lee', 'w 0 Anne Lee']);
  });

  test.each<[string, Line, Line]>([
    ['with the key', ['a', 'Ann Lee', 'k-1'], ['b', 'Bob Diaz', 'k-1']],
    ['with the name as the key', ['a', 'Ann Lee'], ['b', 'Bob Diaz', 'Ann Lee']],
    ['whose name is the key', ['a', 'Ann Lee', 'Bob Diaz'], ['b', 'Bob Diaz']],
  ])('that has another person %s of a candidate who stays is refused', async (_, held, other) => {
    await load([held]);
    expect(await load([other], PART)).toContain(
      `name "Bob Diaz" with the candidate.key "${other[2] ?? other[1]}", which belongs to "Ann Lee" under the key "a"`,
    );
    expect(await lines()).toEqual(['a 0 Ann Lee']);
    expect(await load([other], [...PART, '--allow-renames'])).toBe(null);
  });

  test('that has another line of a candidate who stays, or renames one by its key, is loaded', async () => {
    await load([
      ['d', 'Ann Lee', 'k-1'],
      ['w', 'Ann Lee', 'k-1'],
    ]);
    expect(await load([['x', 'Anne Lee', 'k-1']], PART)).toBe(null);
    expect(await load([['d', 'Zed Moss', 'k-1']], PART)).toBe(null);
    expect(await lines()).toEqual(['d 0 Zed Moss', 'w 0 Zed Moss', 'x 0 Zed Moss']);
  });

  test('that gives one line to another person leaves the lines that stay to the candidate', async () => {
    await load([D, W], [], { fusion: true });
    const other: Line = ['d', 'Zed Moss'];
    expect(await load([other], PART, { fusion: true })).toContain('name "Zed Moss" under the key "d"');
    expect(await load([other], [...PART, '--allow-renames'], { fusion: true })).toBe(null);
    expect(await lines()).toEqual(['d 1 Zed Moss', 'w 0 Ann Lee']);
  });

  test('that gives the key of a removed line to another person leaves the lines that stay to the candidate', async () => {
    await load([D, W], [], { fusion: true });
    await load([W], [], { fusion: true });
    expect(await load([['d', 'Zed Moss']], PART, { fusion: true })).toBe(null);
    expect(await lines()).toEqual(['d 1 Zed Moss', 'w 0 Ann Lee']);
  });

  test('that gives one line to another person corrects the names of others on the lines that stay', async () => {
    const four: Line[] = [D, W, ['x', 'Bob Diaz'], ['y', 'Bob Diaz']];
    await load(four, [], { fusion: true });
    const given: Line[] = [
      ['d', 'Zed Moss'],
      ['x', 'Bob Dias'],
    ];
    expect(await load(given, [...PART, '--allow-renames'], { fusion: true })).toBe(null);
    expect(await lines()).toEqual(['d 2 Zed Moss', 'w 0 Ann Lee', 'x 1 Bob Dias', 'y 1 Bob Dias']);
  });

  test('that gives the same line of another contest to another person corrects the name on the lines that stay', async () => {
    await load([D, W], [], { fusion: true });
    const given = [
      contest('mayor', { choices: [choiceOf(['d', 'Anne Lee'])] }),
      contest('other', { choices: [choiceOf(['d', 'Zoe Xu'])] }),
    ];
    await importFiles({ 'contests.ndjson': ndjson(given) }, ...PART, '--allow-renames');
    expect(await lines()).toEqual(['d 0 Anne Lee', 'w 0 Anne Lee']);
  });

  test('that corrects a name to that of a line that stays makes them lines of one, unless others keep the name', async () => {
    const three: Line[] = [D, ['w', 'Ann Lee'], ['x', 'Anne Lee']];
    await load(three, [], { fusion: true });
    expect(await load([['d', 'Anne Lee']], PART, { fusion: true })).toContain('name "Anne Lee"');
    await load([D, ['x', 'Anne Lee']], [], { fusion: true });
    expect(await load([['d', 'Anne Lee']], PART, { fusion: true })).toBe(null);
    expect(await lines()).toEqual(['d 0 Anne Lee', 'x 0 Anne Lee']);
  });

  test('with the whole of a candidate renames it as a whole file does', async () => {
    await load([D, W], [], { fusion: true });
    const ids = async () => (await client.query('SELECT id, candidate_id FROM choices ORDER BY id')).rows;
    const before = await ids();
    const both: Line[] = [
      ['d', 'Zed Moss'],
      ['w', 'Zed Moss'],
    ];
    expect(await load(both, [...PART, '--allow-renames'], { fusion: true })).toBe(null);
    expect(await lines()).toEqual(['d 0 Zed Moss', 'w 0 Zed Moss']);
    expect(await ids()).toEqual(before);
  });

  test('with a namesake of a candidate who stays is refused, and accepted with keys', async () => {
    await load([['1', 'Bob Lee', undefined, { party: 'Green' }]]);
    const namesake = (key?: string): Line => ['2', 'Bob Lee', key, { party: 'Gold' }];
    expect(await load([namesake()], PART)).toBe('have several candidates named "Bob Lee"');
    expect(await load([namesake('bob-2')], PART)).toBe('have several candidates named "Bob Lee"');
    expect(await load([['1', 'Bob Lee', 'bob-1', { party: 'Green' }], namesake('bob-2')], PART)).toBe(null);
    expect(await load([['3', 'Bob Lee', 'bob-3', { party: 'Blue' }]], PART)).toBe(null);
    expect(await lines()).toHaveLength(3);
  });

  test.each<[string, Line[], Line, string]>([
    [
      'a second none_of_these',
      [['n', null, undefined, { option: 'none_of_these' }]],
      ['m', null, undefined, { option: 'none_of_these' }],
      'choices must have at most one none_of_these, have 2',
    ],
    [
      'the label and the party of another person',
      [['1', 'Ann Lee', undefined, { label: 'Lee', party: 'Gold' }]],
      ['2', 'Bob Lee', undefined, { label: 'Lee', party: 'Gold' }],
      'choices[1].label must differ from that of choices[0] or have another party, is "Lee"',
    ],
  ])('with %s beside what stays is refused', async (_, before, added, reason) => {
    await load([...before, ['x', 'Xi']]);
    const words = 'contradict choices that --keep-missing keeps: with these, ';
    expect((await importFiles(files([added]), ...PART)).told[0]).toContain(words + reason);
    expect(await load([added])).toBe(null);
  });

  test('with a namesake beside a contradiction tells of the namesake first', async () => {
    const none = (key: string): Line => [key, null, undefined, { option: 'none_of_these' }];
    await load([['1', 'Bob Lee'], none('n')]);
    expect(await load([['2', 'Bob Lee'], none('m')], PART)).toBe('have several candidates named "Bob Lee"');
  });

  test.each([
    ['rest', () => load([['x', 'Xi']])],
    ['contest', () => importFiles({ 'contests.ndjson': ndjson([OTHER]) })],
  ])('whose %s was removed before is checked alone', async (_, remove) => {
    await load([
      ['n', null, undefined, { option: 'none_of_these' }],
      ['x', 'Xi'],
    ]);
    await remove();
    expect(await load([['m', null, undefined, { option: 'none_of_these' }]], PART)).toBe(null);
  });
});
