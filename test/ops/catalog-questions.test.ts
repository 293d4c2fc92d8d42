/** Questions and answers whose texts an edit gives to the keys of others. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { choice, contest, election, ndjson } from '../helpers/ballots/catalogue-records.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { GOOD, useCatalogueCommand } from '../helpers/commands/catalogue-command.ts';

const { client, importFiles } = useCatalogueCommand();

/** The number of a question, its text, and further values. */
type Question = readonly [number: string, text: string | null, values?: object];

const CHOICES = (['yes', 'no'] as const).map((answer) =>
  choice(answer, { label: answer, candidate: null, measure_answer: answer }),
);
const questionOf = ([number, description, values]: Question) =>
  contest(number, {
    ...{ title: `Question ${number}`, kind: 'measure', vote_method: 'yes_no', choices: CHOICES },
    description,
    ...values,
  });

const ask = (questions: readonly Question[], ...options: string[]) =>
  importFiles({ ...GOOD, 'contests.ndjson': ndjson(questions.map(questionOf)) }, ...options);

/** The refused questions as `field number (number that had the text)`. */
async function refused(questions: readonly Question[], ...options: string[]): Promise<string[]> {
  const { told } = await ask(questions, ...options);
  return Array.from(
    told.join('\n').matchAll(/field (\w+): belonged to "\S+\/(\d)".*\(\S+\/(\d)\)/g),
    ([, field, from, to]) => `${field} ${to} (${from})`,
  );
}

const START: Question[] = [
  ['1', 'Bonds'],
  ['2', 'Parks'],
  ['3', 'Roads'],
];

beforeEach(async () => {
  await ask(START);
  const endorsements = ['1', '2'].map((number) => endorse('bakers-local-1', number, 'yes'));
  await applySubmissions(client, ...endorsements);
});

test.each<[string, Question[], string[]]>([
  [
    'exchanged',
    [
      ['1', 'Parks'],
      ['2', 'Bonds'],
      ['3', 'Roads'],
    ],
    ['description 1 (2)', 'description 2 (1)'],
  ],
  [
    'moved up after one that went',
    [
      ['1', 'Parks'],
      ['2', 'Roads'],
    ],
    ['description 1 (2)', 'description 2 (3)'],
  ],
  [
    'moved down before a new one',
    [
      ['1', 'Schools'],
      ['2', 'Bonds'],
      ['3', 'Parks'],
    ],
    ['description 2 (1)'],
  ],
  [
    'exchanged as titles',
    [
      ['1', 'Bonds', { title: 'Question 2' }],
      ['2', 'Parks', { title: 'Question 1' }],
      ['3', 'Roads'],
    ],
    ['title 1 (2)', 'title 2 (1)'],
  ],
])('texts that are %s are refused for the keys with endorsements', async (_, questions, expected) => {
  expect(await refused(questions, '--allow-removals', '9')).toEqual(expected);
});

test('the refusal says what is wrong, and nothing is loaded', async () => {
  const { status, told } = await ask([['1', 'Parks'], ['2', 'Bonds'], START[2] as Question]);
  expect(status).toBe(1);
  expect(told[0]).toContain(
    'contests.ndjson:1: field description: belonged to "or-2026-11-03-general/2", but the endorsements under this key ' +
      'are of another text; give each text the key that it had, or import with --allow-renames (or-2026-11-03-general/1)',
  );
  const { rows } = await client.query('SELECT description FROM contests ORDER BY key');
  expect(rows.map(({ description }) => description)).toEqual(['Bonds', 'Parks', 'Roads']);
});

test.each<[string, Question[], string[]]>([
  ['a new text', [['1', 'Bonds of 2027'], ...START.slice(1)], []],
  ['the text of a question that keeps it', [['1', 'Parks'], ...START.slice(1)], []],
  ['the text of a question that the files lack and that stays', [['1', 'Parks']], ['--keep-missing']],
  ['no text', START.map(([number]) => [number, null]), []],
  [
    'as a title the description that another question loses',
    [['1', 'Bonds', { title: 'Parks' }], ['2', 'Zoos'], ...START.slice(2)],
    [],
  ],
  [
    "another question's text for one without endorsements",
    [
      ['1', 'Bonds'],
      ['2', 'Parks'],
      ['3', 'Roads of 2027'],
      ['4', 'Roads'],
    ],
    [],
  ],
  [
    'exchanged texts that are allowed',
    [['1', 'Parks'], ['2', 'Bonds'], START[2] as Question],
    ['--allow-renames'],
  ],
])('%s is loaded', async (_, questions, options) => {
  const { status, told } = await ask(questions, ...options);
  expect(told).toEqual([]);
  expect(status).toBe(0);
});

test('with a part of an election, texts that its questions exchange are refused', async () => {
  expect(
    await refused(
      [
        ['1', 'Parks'],
        ['2', 'Bonds'],
      ],
      '--keep-missing',
    ),
  ).toHaveLength(2);
});

test('with a part of a question, a second yes and no are refused', async () => {
  const choices = choicesOf([
    ['y', 'For', YES],
    ['n', 'Against', NO],
  ]);
  expect((await ask([['1', 'Bonds', { choices }]], '--keep-missing')).told[0]).toContain(
    'with these, choices must have one measure_answer yes and one no, have 2 and 2',
  );
});

test('the text of a question that went before is loaded', async () => {
  await ask(START.slice(0, 2));
  expect(await ask([['1', 'Roads'], START[1] as Question])).toMatchObject({ status: 0, told: [] });
});

test.each<[string, object]>([
  ['a title', { title: '' }],
  ['a readable key', { key: 7 }],
])(
  'the text of a question whose own line lacks %s, and that therefore stays, is loaded',
  async (_, values) => {
    const questions: Question[] = [['1', 'Parks'], ['2', 'Zoos', values], ...START.slice(2)];
    expect((await ask(questions, '--skip-refused')).status).toBe(0);
    const { rows } = await client.query(
      'SELECT description FROM contests WHERE removed_at IS NULL ORDER BY key',
    );
    expect(rows.map(({ description }) => description)).toEqual(['Parks', 'Parks', 'Roads']);
  },
);

test('the text that a question of another election loses is loaded', async () => {
  const OTHER = 'or-2026-05-19-primary';
  const both = (mine: string, other: string): Question[] => [
    ['1', mine],
    ...START.slice(1),
    ['9', other, { key: `${OTHER}/9`, election: OTHER }],
  ];
  await ask(both('Bonds', 'Transit'));
  expect(await ask(both('Transit', 'Water'))).toMatchObject({ status: 0, told: [] });
});

test('contests for offices may exchange their titles', async () => {
  const seats = (...titles: string[]) => ({
    ...GOOD,
    'elections.ndjson': ndjson([election()]),
    'contests.ndjson': ndjson(titles.map((title, index) => contest(`seat-${index}`, { title }))),
  });
  await importFiles(seats('Judge, north', 'Judge, south'), '--allow-removals', '20');
  await applySubmissions(client, endorse('bakers-local-1', 'seat-0', 'ann'));
  expect((await importFiles(seats('Judge, south', 'Judge, north'))).told).toEqual([]);
});

/** A choice without a candidate: its key, its label, and further values. */
type Answer = readonly [key: string, label: string, values?: object];

const YES = { measure_answer: 'yes' };
const NO = { measure_answer: 'no' };
const OFFICE = { kind: 'candidate', vote_method: 'plurality' };
const OPTIONS = { vote_method: 'plurality' };

const choicesOf = (answers: readonly Answer[]) =>
  answers.map(([key, label, more]) => choice(key, { label, candidate: null, ...more }));

/** Another contest, with labels that answers get. */
const OTHER: Question = [
  '4',
  'Seats',
  {
    ...OFFICE,
    choices: choicesOf([
      ['a', 'Harris / Waltz'],
      ['b', 'Stein / Ware'],
    ]),
  },
];

/** Loads one question with answers, and more of its values, in place of all others but one. */
const answer = (values: object, answers: readonly Answer[], ...options: string[]) => {
  const question: Question = ['1', 'Bonds', { ...values, choices: choicesOf(answers) }];
  return ask([question, OTHER], '--allow-removals', '99', ...options);
};

/** Loads answers, and endorses the first one. */
async function endorseFirst(values: object, answers: readonly Answer[]): Promise<void> {
  expect((await answer(values, answers)).told).toEqual([]);
  const { changes } = await applySubmissions(client, endorse('bakers-local-1', '1', 'a'));
  expect(changes).toBe(1);
}

const TICKETS: Answer[] = [
  ['a', 'Harris / Walz'],
  ['b', 'Trump / Vance'],
];
const AREAS: Answer[] = [
  ['a', 'Area A'],
  ['b', 'Area B'],
];
const ANN: Answer = ['a', 'Ann Lee', { candidate: { full_name: 'Ann Lee' } }];
const NOBODY: Answer = ['a', 'None of these', { option: 'none_of_these' }];

describe('an endorsed answer', () => {
  test.each<[string, object, Answer[], Answer[], string]>([
    [
      'of other people',
      OFFICE,
      TICKETS,
      [['a', 'Stein / Ware'], ...TICKETS.slice(1)],
      'name "Stein / Ware" under the key "a", which belongs to "Harris / Walz" and its endorsements; use a new key, or import with --allow-renames',
    ],
    [
      'that another one loses, however alike they are',
      OPTIONS,
      AREAS,
      [
        ['a', 'Area B'],
        ['b', 'Area A'],
      ],
      'name "Area B" under the key "a", which belongs to "Area A" and its endorsements; use a new key, or import with --allow-renames',
    ],
    [
      'of the other side',
      {},
      [
        ['a', 'Yes', YES],
        ['b', 'No', NO],
      ],
      [
        ['a', 'Against', NO],
        ['b', 'For', YES],
      ],
      'name "Against" under the key "a", which belongs to "Yes" and its endorsements; use a new key, or import with --allow-renames',
    ],
    [
      'of a candidate',
      OPTIONS,
      AREAS,
      [ANN, ...AREAS.slice(1)],
      'name "Ann Lee" under the key "a", which belongs to "Area A" and its endorsements; use a new key, or import with --allow-renames',
    ],
  ])('is refused with a label %s', async (_, values, before, after, problem) => {
    await endorseFirst(values, before);
    const { status, told } = await answer(values, after);
    expect(status).toBe(1);
    expect(told[0]).toContain(`field choices: ${problem} (`);
    expect((await answer(values, after, '--allow-renames')).status).toBe(0);
  });

  test.each<[string, object, Answer[], Answer[]]>([
    ['a corrected label', OFFICE, TICKETS, [['a', 'Harris / Waltz'], ...TICKETS.slice(1)]],
    [
      'another label of the same answer',
      {},
      [
        ['a', 'Yes', YES],
        ['b', 'No', NO],
      ],
      [
        ['a', 'For the bonds', YES],
        ['b', 'Against the bonds', NO],
      ],
    ],
    [
      'another label of a choice without endorsements',
      OFFICE,
      TICKETS,
      [TICKETS[0] as Answer, ['b', 'Stein / Ware']],
    ],
    [
      'a candidate in the place of none_of_these',
      OFFICE,
      [NOBODY, ...TICKETS.slice(1)],
      [ANN, ...TICKETS.slice(1)],
    ],
    [
      'none_of_these in the place of a candidate',
      OFFICE,
      [ANN, ...TICKETS.slice(1)],
      [NOBODY, ...TICKETS.slice(1)],
    ],
  ])('is loaded with %s', async (_, values, before, after) => {
    await endorseFirst(values, before);
    expect(await answer(values, after)).toMatchObject({ status: 0, told: [] });
  });

  test('is refused with one of several answers in the place of a yes', async () => {
    await endorseFirst({}, [
      ['a', 'Yes', YES],
      ['b', 'No', NO],
    ]);
    expect((await answer(OPTIONS, AREAS)).told[0]).toContain(
      'name "Area A" under the key "a", which belongs to "Yes" and its endorsements',
    );
  });
});
