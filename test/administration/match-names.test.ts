import { describe, expect, test } from '@jest/globals';
import {
  createAliases,
  type Decided,
  type MatchedRow,
  matchNames,
  meantBy,
  readDecision,
} from '../../administration/intake/match-names.ts';
import type { Sources } from '../../administration/intake/sources.ts';
import type { EndorsementRow } from '../../intake/endorsements/read-row.ts';
import {
  type ChoiceEntry,
  type ElectionEntry,
  type IndexedContest,
  indexElection,
} from '../../intake/matching/catalogue-index.ts';
import { matchElection } from '../../intake/matching/match-election.ts';
import { type EndorserEntry, indexEndorsers } from '../../intake/matching/match-endorser.ts';
import { createContestFinder } from '../../intake/matching/row-contests.ts';
import { choice as choiceEntry, contest as contestEntry } from '../helpers/ballots/matcher-entries.ts';

const choice = (key: string, measure_answer: 'yes' | null = null) => ({ key, measure_answer }) as ChoiceEntry;
const contestOf = (slug: string, ...choices: ChoiceEntry[]) =>
  ({
    key: `el/${slug}`,
    choices,
    vote_method: 'plurality',
    electionDate: '2026-11-03',
  }) as unknown as IndexedContest;
const [ann, bob, ab, yes] = [choice('ann'), choice('bob'), choice('a/b'), choice('yes', 'yes')];
const mayor = contestOf('mayor', ann, bob, ab);
const council = contestOf('council', ann);
const measure = contestOf('measure', yes);
const [gazette, herald] = [
  { slug: 'gazette', name: 'The Coast Gazette' },
  { slug: 'herald', name: 'Nation Herald' },
];

const sources = {
  endorsers: indexEndorsers([gazette, herald]),
  findContest: async (key: string) => [mayor, council, measure].find((each) => each.key === key) ?? null,
} as unknown as Sources;

const rowOf = (values: Partial<EndorsementRow>): EndorsementRow => ({
  ...{ endorser: 'Gazette', election: 'el', date: null, state: null, district: null, contest: 'Mayor' },
  ...{
    choice: 'Anne',
    party: null,
    position: undefined,
    rank: null,
    lacksRank: false,
    statement: null,
    statement_es: null,
  },
  ...{ source_url: null, published_on: null, decision: null },
  ...{ proposed: { endorser: null, contest: null, choice: null }, ...values },
});
const matchedOf = (values: Partial<MatchedRow>): MatchedRow => ({
  ...{ grade: 'close', reasons: [], endorser: gazette, election: 'el' },
  ...{ contest: mayor, choice: ann, unrepresentable: null },
  ...{ unsure: { endorser: false, contest: false, choice: true }, fits: 1, candidates: [], ...values },
});
const read = (decision: string, matched: Partial<MatchedRow> = {}, row: Partial<EndorsementRow> = {}) =>
  readDecision(rowOf({ ...row, decision }), matchedOf(matched), sources);
const means = (endorser: EndorserEntry, contest: IndexedContest, of: ChoiceEntry): Decided => ({
  ...{ left: false, endorser, contest, choice: of },
});
const all = { endorser: true, contest: true, choice: true };
const none = { endorser: false, contest: false, choice: false };
const unsureEndorser = { unsure: { endorser: true, contest: false, choice: true } };

test.each(['no', 'No ', 'N'])('"%s" leaves a row out', async (word) => {
  expect(await read(word, { endorser: null, contest: null, choice: null })).toEqual({ left: true });
});

test.each(['yes', 'Yes!', 'Y'])(
  '"%s" takes the proposals of the file, or else those that are made now',
  async (word) => {
    expect(await read(word)).toEqual(means(gazette, mayor, ann));
    const proposed = { endorser: 'herald', contest: 'el/council', choice: 'ann' };
    expect(await read(word, { choice: bob, unsure: all }, { proposed })).toEqual(means(herald, council, ann));
  },
);

test.each<[string, Decided]>([
  ['bob', means(gazette, mayor, bob)],
  ['a/b', means(gazette, mayor, ab)],
  ['el/mayor/bob', means(gazette, mayor, bob)],
  ['el/mayor/a/b', means(gazette, mayor, ab)],
  ['el/council', means(gazette, council, ann)],
])(
  'the key %s is a choice of the proposed contest, another contest and choice, or a contest alone',
  async (key, decided) => {
    expect(await read(key)).toEqual(decided);
  },
);

test('the slug of an endorser decides on the endorser if that is in question, and on nothing otherwise', async () => {
  expect(await read('herald', unsureEndorser)).toEqual(means(herald, mayor, ann));
  expect(await read('herald')).toMatchObject({
    fault: expect.stringContaining('neither yes nor no nor a key'),
  });
  expect(await read('bob', unsureEndorser)).toEqual(means(gazette, mayor, bob));
  const proposed = { endorser: 'herald', contest: null, choice: null };
  expect(await read('gazette', unsureEndorser, { proposed })).toEqual(means(gazette, mayor, ann));
});

test.each<[string, Partial<MatchedRow>, string]>([
  ['bob', { endorser: null }, 'the endorser is not known: write its slug into "proposed_endorser"'],
  ['yes', { contest: null, choice: null }, 'nothing is proposed that exists'],
  ['yes', { choice: null }, 'nothing is proposed that exists'],
  ['zed', {}, 'which is neither yes nor no nor a key'],
  ['el/council/bob', {}, 'which is neither yes nor no nor a key'],
])('the decision %s is refused with what to write: %j', async (word, matched, words) => {
  const decided = await read(word, matched);
  expect(decided).toEqual({ fault: expect.stringContaining(words) });
  expect(decided).toEqual({ fault: expect.stringContaining(`has the decision "${word}"`) });
});

test.each<[string, Partial<EndorsementRow['proposed']>, Partial<MatchedRow>, string]>([
  ['yes', { endorser: 'herald' }, {}, 'the endorser gazette, and is decided to mean herald'],
  ['bob', { endorser: 'herald' }, {}, 'the endorser gazette, and is decided to mean herald'],
  ['yes', {}, { election: 'other' }, 'the election other, and is decided to mean el/mayor'],
  ['el/council/ann', {}, { election: 'e' }, 'the election e, and is decided to mean el/council'],
  ['yes', { contest: 'el/council' }, {}, 'el/mayor, and is decided to mean el/council'],
  ['ann', { contest: 'el/council' }, {}, 'el/mayor, and is decided to mean el/council'],
  ['yes', { choice: 'bob' }, { unsure: none }, 'ann, and is decided to mean bob'],
  ['el/mayor', { choice: 'bob' }, { unsure: none }, 'ann, and is decided to mean bob'],
])(
  'the decision %s with proposals %j that a corrected row contradicts is refused',
  async (word, more, matched, words) => {
    const proposed = { endorser: null, contest: null, choice: null, ...more };
    expect(await read(word, matched, { proposed })).toEqual({
      fault: `names ${words}: correct one of them, or empty the decision`,
    });
  },
);

test('a key counts against names that are exact', async () => {
  expect(await read('bob', { unsure: none })).toEqual(means(gazette, mayor, bob));
  expect(await read('el/council/ann', { unsure: none })).toEqual(means(gazette, council, ann));
});

const aliasesOf = (
  matched: Partial<MatchedRow>,
  row: Partial<EndorsementRow> = {},
  decided = means(gazette, mayor, bob),
) => createAliases(rowOf(row), matchedOf(matched), decided as Parameters<typeof createAliases>[2]);

test('a decision is remembered for the names that were in question, each within its place', () => {
  expect(aliasesOf({ unsure: all })).toEqual([
    { kind: 'endorser', scope: '', text: 'gazette', key: 'gazette' },
    { kind: 'contest', scope: 'el', text: 'mayor', key: 'el/mayor' },
    { kind: 'choice', scope: 'el/mayor', text: 'anne', key: 'bob' },
  ]);
  expect(aliasesOf({}).map(({ kind }) => kind)).toEqual(['choice']);
  expect(aliasesOf({ unsure: { ...all, choice: false } }).map(({ kind }) => kind)).toEqual([
    'endorser',
    'contest',
  ]);
});

test('if a row can mean several contests, its whole text is remembered within the election, and no part of it', () => {
  const several = [
    { kind: 'endorser', scope: '', text: 'gazette', key: 'gazette' },
    { kind: 'choice', scope: 'el', text: 'mayor / anne', key: 'el/mayor/bob' },
  ];
  expect(aliasesOf({ unsure: all, fits: 2 })).toEqual(several);
  expect(aliasesOf({ unsure: { endorser: false, contest: true, choice: false }, fits: 2 })).toEqual(
    several.slice(1),
  );
  expect(aliasesOf({ unsure: { endorser: false, contest: false, choice: false }, fits: 2 })).toEqual([]);
});

test('an answer about a measure is never remembered, only its measure', () => {
  const decided = means(gazette, measure, yes);
  for (const fits of [1, 2]) {
    expect(
      aliasesOf({ unsure: all, fits }, { contest: null, choice: 'Measure', position: 'Yes' }, decided),
    ).toEqual([
      { kind: 'endorser', scope: '', text: 'gazette', key: 'gazette' },
      { kind: 'contest', scope: 'el', text: 'measure', key: 'el/measure' },
    ]);
  }
});

test('names without a word, and those longer than 500 characters, are not remembered', () => {
  expect(
    aliasesOf({ unsure: all }, { endorser: '?', contest: 'x'.repeat(501), choice: 'y'.repeat(500) }),
  ).toEqual([{ kind: 'choice', scope: 'el/mayor', text: 'y'.repeat(500), key: 'bob' }]);
});

test('a row means something only if its endorser, contest and choice are known', () => {
  const whole = { endorser: gazette, contest: mayor, choice: ann };
  const meant = { endorser: 'gazette', contest: 'el/mayor', choice: 'ann', electionDate: '2026-11-03' };
  expect(meantBy(whole)).toEqual({ ...meant, isRanked: false });
  const ranked = { ...mayor, vote_method: 'ranked_choice' };
  expect(meantBy({ ...whole, contest: ranked })).toEqual({ ...meant, isRanked: true });
  const seats = { ...mayor, vote_method: 'multi_seat' };
  expect(meantBy({ ...whole, contest: seats })).toEqual({ ...meant, isRanked: false });
  for (const part of ['endorser', 'contest', 'choice'])
    expect(meantBy({ ...whole, [part]: null })).toBeNull();
});

test('a row of too many elections of a day is looked for in none of them, and one without an endorser has no match', async () => {
  let loads = 0;
  const matchIn = (count: number, row: Partial<EndorsementRow> = {}) =>
    matchNames(rowOf(row), {
      ...sources,
      findAlias: () => null,
      matchEndorser: () => ({ grade: 'exact', value: gazette, reason: null }),
      matchElection: () => ({
        ...{ grade: 'ambiguous', value: null, reason: 'several elections' },
        candidates: Array.from({ length: count }, (_, at) => ({ slug: `el-${at}` }) as ElectionEntry),
      }),
      loadElection: async () => {
        loads += 1;
        throw new Error('looked');
      },
    } as unknown as Sources);
  await expect(matchIn(5)).rejects.toThrow('looked');
  expect(loads).toBe(1);
  expect(await matchIn(6)).toMatchObject({
    grade: 'ambiguous',
    contest: null,
    reasons: ['several elections'],
  });
  expect(loads).toBe(1);
  const nobody = await matchIn(6, { endorser: null });
  expect(nobody).toMatchObject({ grade: 'none', endorser: null, unsure: all });
  expect(nobody.reasons).toEqual(['no endorser is given', 'several elections']);
});

test('beside the key of a contest, a slug is the endorser that has it, whatever was decided about a name', async () => {
  const election = {
    ...{ slug: 'el', name: 'El', short_name: null, date: '2026-11-03', type: 'general' as const },
    ...{ state: 'OR', state_name: 'Oregon' },
  };
  const index = indexElection(election, [
    contestEntry('mayor', 'Mayor', [choiceEntry('ann', 'Anne')], { key: 'el/mayor' }),
  ]);
  const endorserOf = async (row: Partial<EndorsementRow>) => {
    const { grade, endorser, contest, choice } = await matchNames(rowOf({ endorser: 'gazette', ...row }), {
      ...sources,
      findAlias: (kind) => (kind === 'endorser' ? 'herald' : null),
      matchElection: () => ({ grade: 'exact', value: election, reason: null, candidates: [], doubt: null }),
      loadElection: async () => ({ index, find: createContestFinder(index) }),
    });
    expect([grade, contest?.key, choice?.key]).toEqual(['exact', 'el/mayor', 'ann']);
    return endorser?.slug;
  };
  expect(await endorserOf({ contest: 'el/mayor', choice: 'ann' })).toBe('gazette');
  expect(await endorserOf({ contest: 'Mayor', choice: 'Anne' })).toBe('herald');
});

describe('a row that fits several elections', () => {
  const ENTRIES = ['or-2026-11-03', 'or-2026-05-19', 'va-2026-11-03'].map((slug) => {
    const [code = '', ...date] = slug.split('-');
    const state = code.toUpperCase();
    const state_name = state === 'VA' ? 'Virginia' : 'Oregon';
    return {
      slug,
      name: slug,
      short_name: null,
      date: date.join('-'),
      type: 'general' as const,
      state,
      state_name,
    };
  });
  const house = contestEntry('house', 'U.S. House, District 7', [choiceEntry('ann', 'Anne')]);
  const find = (row: Partial<EndorsementRow>, inElections: readonly string[]) =>
    matchNames(rowOf({ election: null, ...row }), {
      ...sources,
      findAlias: () => null,
      matchEndorser: () => ({ grade: 'exact', value: gazette, reason: null }),
      matchElection: (text) => matchElection(ENTRIES, text),
      loadElection: async (entry) => {
        const contests = inElections.includes(entry.slug) ? [{ ...house, key: `${entry.slug}/house` }] : [];
        const index = indexElection(entry, contests);
        return { index, find: createContestFinder(index) };
      },
    });

  test('is in the only one that has its names, and in doubt if only the year is given', async () => {
    const row = { contest: 'U.S. House, District 7', state: 'OR' };
    expect(await find(row, ['or-2026-11-03'])).toMatchObject({ grade: 'exact', reasons: [] });
    expect(await find({ ...row, date: '2026' }, ['or-2026-11-03'])).toMatchObject({
      ...{ grade: 'close', reasons: ['election: only the year is given'] },
      contest: { key: 'or-2026-11-03/house' },
    });
  });

  test.each([
    [{ contest: 'VA-07' }, 'exact', 'va-2026-11-03/house'],
    [{ contest: 'U.S. House', district: 'va7' }, 'exact', 'va-2026-11-03/house'],
    [{ contest: 'VA-07', date: '2026-11-03' }, 'exact', 'va-2026-11-03/house'],
    // Its own words count first, and a state without an election says nothing.
    [{ contest: 'VA-07', state: 'OR' }, 'ambiguous', undefined],
    [{ contest: 'NV-07', date: '2026-11-03' }, 'ambiguous', undefined],
    [{ contest: 'District 7', date: '2026-11-03' }, 'ambiguous', undefined],
  ])('is in the state of the district: %j', async (row, grade, key) => {
    const found = await find(row, ['va-2026-11-03', 'or-2026-11-03']);
    expect([found.grade, found.contest?.key]).toEqual([grade, key]);
  });
});
