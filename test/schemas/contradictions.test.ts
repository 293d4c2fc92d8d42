import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseCatalogueRecord } from '../../schemas/catalogue-files.ts';
import { CONTEST_KINDS, VOTE_METHODS } from '../../schemas/vocabulary.ts';
import { choice, contest } from '../helpers/ballots/catalogue-records.ts';
import { problemsOf } from '../helpers/problems.ts';

const answer = (key: string, measure_answer: string) => choice(key, { measure_answer, candidate: null });
const YES_NO = [answer('yes', 'yes'), answer('no', 'no')];
const measure = (overrides: object) => ({
  kind: 'measure',
  vote_method: 'yes_no',
  choices: YES_NO,
  ...overrides,
});
const namesakes = (first: object, second: object) => [
  choice('ann-1', { label: 'Ann', ...first }),
  choice('ann-2', { label: 'Ann', ...second }),
];

test.each<[string, Record<string, unknown>]>([
  ['plurality with one seat', {}],
  ['plurality with an unknown number of seats', { votes_allowed: null }],
  ['multi_seat with three seats', { vote_method: 'multi_seat', votes_allowed: 3 }],
  ['multi_seat with an unknown number of seats', { vote_method: 'multi_seat', votes_allowed: null }],
  ['ranked_choice with ranks', { vote_method: 'ranked_choice', ranks_allowed: 3 }],
  ['approval with several votes', { vote_method: 'approval', votes_allowed: 5 }],
  ['a measure', measure({})],
  ['a retention', measure({ kind: 'retention' })],
  [
    'a measure of several options',
    { kind: 'measure', choices: [choice('a', { candidate: null }), choice('b', { candidate: null })] },
  ],
  [
    'one none_of_these',
    { choices: [choice('ann'), choice('none', { candidate: null, option: 'none_of_these' })] },
  ],
  [
    'equal labels of one candidate',
    { choices: namesakes({ candidate: { full_name: 'Ann' } }, { candidate: { full_name: 'Ann' } }) },
  ],
  ['equal labels with other parties', { choices: namesakes({ party: 'Green' }, { party: 'Gold' }) }],
])('%s is accepted', (_, overrides) => {
  expect(parseCatalogueRecord('contests', contest('x', overrides))).toMatchObject({ ok: true });
});

test.each<[string, Record<string, unknown>, string]>([
  ['plurality with three seats', { votes_allowed: 3 }, 'votes_allowed must be 1 or null for plurality, is 3'],
  [
    'a measure with two votes',
    measure({ votes_allowed: 2 }),
    'votes_allowed must be 1 or null for yes_no, is 2',
  ],
  [
    'multi_seat with one seat',
    { vote_method: 'multi_seat', votes_allowed: 1 },
    'votes_allowed must be more than 1 or null for multi_seat, is 1',
  ],
  [
    'ranks without ranking',
    { ranks_allowed: 3 },
    'ranks_allowed must be null unless the contest is ranked_choice, is 3 for plurality',
  ],
  [
    'yes_no for candidates',
    { ...measure({}), kind: 'candidate' },
    'vote_method must not be yes_no for candidates: it is for measures and retention',
  ],
  [
    'two answers yes',
    measure({ choices: [...YES_NO, answer('si', 'yes')] }),
    'choices must have one measure_answer yes and one no, have 2 and 1',
  ],
  [
    'no answers',
    measure({ choices: [] }),
    'choices must have one measure_answer yes and one no, have 0 and 0',
  ],
  [
    'a measure of choices that answer nothing',
    measure({ choices: YES_NO.map((one) => ({ ...one, measure_answer: null })) }),
    'choices must have one measure_answer yes and one no, have 0 and 0',
  ],
  [
    'answers of candidates',
    { choices: [choice('ann'), ...YES_NO] },
    'choices must have no measure_answer unless the contest is yes_no, have 2',
  ],
  [
    'two none_of_these',
    { choices: ['a', 'b'].map((key) => choice(key, { candidate: null, option: 'none_of_these' })) },
    'choices must have at most one none_of_these, have 2',
  ],
  [
    'equal labels of two people',
    {
      choices: namesakes(
        { candidate: { full_name: 'Ann', key: '1' } },
        { candidate: { full_name: 'Ann', key: '2' } },
      ),
    },
    'choices[1].label must differ from that of choices[0] or have another party, is "Ann"',
  ],
  [
    'equal labels without candidates',
    { choices: namesakes({ candidate: null }, { candidate: null }) },
    'choices[1].label must differ from that of choices[0] or have another party, is "Ann"',
  ],
])('%s is refused', (_, overrides, problem) => {
  expect(problemsOf(parseCatalogueRecord('contests', contest('x', overrides)))).toEqual([problem]);
});

/** The rules in the words of the contract, "Fields must agree"; they share no code with the real ones. */
function agrees(given: {
  kind: string;
  vote_method: string;
  votes_allowed: number | null;
  ranks_allowed: number | null;
  choices: Line[];
}): boolean {
  const { kind, vote_method: method, votes_allowed: votes, ranks_allowed: ranks, choices } = given;
  const answers = choices.flatMap(({ measure_answer: given }) => given ?? []).sort();
  const seats = { plurality: votes === null || votes === 1, yes_no: votes === null || votes === 1 };
  const isLineOfOne = (a: Line, b: Line) =>
    a.candidate !== null && a.candidate?.full_name === b.candidate?.full_name;
  return (
    ((seats as Record<string, boolean>)[method] ?? true) &&
    (method !== 'multi_seat' || votes !== 1) &&
    (method === 'ranked_choice' || ranks === null) &&
    (method === 'yes_no' ? kind !== 'candidate' && answers.join() === 'no,yes' : answers.length === 0) &&
    choices.filter(({ option }) => option !== null).length <= 1 &&
    choices.every((a, at) =>
      choices.every(
        (b, other) => other <= at || a.label !== b.label || a.party !== b.party || isLineOfOne(a, b),
      ),
    )
  );
}

interface Line {
  key: string;
  label: string;
  candidate: { full_name: string } | null;
  party: string | null;
  measure_answer: string | null;
  option: string | null;
}

test('a contest is refused exactly if a rule says so, whatever its fields are', () => {
  const line = fc.record({
    label: fc.constantFrom('A', 'B', 'C'),
    candidate: fc.option(fc.constantFrom({ full_name: 'Ann' }, { full_name: 'Bob' })),
    party: fc.option(fc.constantFrom('Green', 'Gold')),
    measure_answer: fc.option(fc.constantFrom('yes', 'no'), { freq: 2 }),
    option: fc.option(fc.constant('none_of_these'), { freq: 2 }),
  });
  const lines = fc
    .array(line, { maxLength: 4 })
    .map((all) => all.map((each, index): Line => ({ ...each, key: `c${index}` })));
  const fields = fc.record({
    kind: fc.constantFrom(...CONTEST_KINDS),
    vote_method: fc.constantFrom(...VOTE_METHODS),
    votes_allowed: fc.option(fc.integer({ min: 1, max: 3 })),
    ranks_allowed: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 }),
    choices: fc.oneof(
      lines,
      lines.map((all) => all.map((each) => ({ ...each, measure_answer: null }))),
    ),
  });
  let tried = 0;
  let accepted = 0;
  fc.assert(
    fc.property(fields, (given) => {
      const { ok } = parseCatalogueRecord('contests', contest('x', given));
      tried += 1;
      accepted += ok ? 1 : 0;
      expect({ ...given, ok }).toEqual({ ...given, ok: agrees(given) });
    }),
    { numRuns: 2000 },
  );
  expect(accepted).toBeGreaterThan(tried / 20);
});
