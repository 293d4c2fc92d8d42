import { expect, test } from '@jest/globals';
import { foldText } from '../../../intake/matching/words.ts';
import type { ElectionType } from '../../../schemas/vocabulary.ts';
import { choice, contest, election, YES_NO } from '../../helpers/ballots/matcher-entries.ts';
import { CONTESTS, createMatch, match } from '../../helpers/ballots/matcher-rows.ts';

test.each(['Propositions', 'Props', 'Measures', 'Ballot Measures'])(
  'the heading %j is not the measure of the letter S',
  (heading) => {
    const matchLettered = createMatch(
      ['Proposition S: Parks', 'Measure S: Trains'].map((title) =>
        contest(foldText(title), title, YES_NO, { kind: 'measure', measure_code: 'S' }),
      ),
    );
    expect(matchLettered({ contest: heading, choice: 'Yes' }).grade).not.toBe('exact');
    const named = `${heading.replace(/s$/, '')} S`;
    expect(matchLettered({ contest: named, choice: 'Yes' }).grade).not.toBe('none');
  },
);

test.each([
  ['3', 'Yes'],
  ['D', 'Yes'],
  ['2nd', 'Yes'],
  ['2 Parks', 'Yes'],
  ['D. Trains', 'Yes', 'no such contest; the nearest are Measure RR: Trains'],
])('%j, %j is not a measure', (contestText, choiceText, why = '') => {
  expect(match(contestText, choiceText)).toMatchObject({ grade: 'none', why: expect.stringContaining(why) });
});

test.each<[string | null, string, string, string]>([
  ['Council, District 2', 'Mary ONeil Garcia, B', 'council-2/oneil', 'close'],
  ['Controller', 'Malia Cohen - B', 'controller/cohen', 'close'],
  ['Governor', 'John H. Cox, R', 'governor/cox', 'exact'],
  ['U.S. House', 'Nancy Pelosi, D', 'house-11/pelosi', 'close'],
  [null, 'Barbara Lee - D', 'house-12/lee', 'close'],
  ['Governor', 'Nobody Else, D', 'governor/?', 'none'],
])('%j, %j is not the measure of the letter', (contestText, choiceText, key, grade) => {
  const measures = ['B', 'D', 'R'].map((letter) =>
    contest(`measure-${letter}`, `Measure ${letter}`, YES_NO, { kind: 'measure', measure_code: letter }),
  );
  const names = { contest: contestText, choice: choiceText, position: 'Yes' };
  expect(createMatch([...CONTESTS, ...measures])(names)).toMatchObject({ key, grade });
});

test.each([
  ['Proposition 1-A', 'prop-1a/yes', 'exact'],
  ['Prop. 1 A', 'prop-1a/yes', 'exact'],
  ['Prop 1(a)', 'prop-1a/yes', 'exact'],
  ['Prop 1-A: Trains', 'prop-1a/yes', 'exact'],
  ['Prop 2-A', '?/?', 'none'],
  ['Proposition 2 A', '?/?', 'none'],
  ['Proposition 2 - a school bond', 'prop-2/yes', 'close'],
])('the letter of a measure after its number counts in %j', (contestText, key, grade) => {
  const measure = contest('prop-1a', 'Proposition 1A: Trains', YES_NO, {
    kind: 'measure',
    measure_code: '1A',
  });
  const one = contest('prop-1', 'Proposition 1: Trains', YES_NO, { kind: 'measure', measure_code: '1' });
  const matchLettered = createMatch([...CONTESTS, one, measure]);
  expect(matchLettered({ contest: contestText, position: 'Yes' })).toMatchObject({ key, grade });
});

test('a row that names two measures is ambiguous', () => {
  const { grade, why } = match('Prop 2', 'Measure B', { position: 'Yes' });
  expect([grade, why]).toEqual(['ambiguous', expect.stringContaining('Measure B: Parks')]);
  expect(match('Ballot', 'Measure B', { position: 'Yes' }).grade).toBe('exact');
  expect(match('Prop 2', 'Measure B: Trains', { position: 'Yes' }).grade).toBe('ambiguous');
  expect(match('Prop 2', 'Prop 2: Trains', { position: 'Yes' }).grade).toBe('exact');
});

test('the office of another district has no match in the division of a row', () => {
  const division = { district: 'ocd-division/country:us/state:ca/cd:12' };
  for (const office of ['Governor', 'State Senate', 'U.S. House CA-11'])
    expect(match(office, 'Barbara Lee', division).grade).toBe('none');
});

test('a row about a primary is close in the general election, unless the contest says primary too', () => {
  const contests = [
    contest('governor', 'Governor', [choice('lee', 'Ann Lee')]),
    contest('judge', 'Primary judge', [choice('lee', 'Ann Lee')]),
  ];
  const gradeOf = (type: ElectionType, title: string) => {
    const { grade, reasons } = createMatch(contests, { ...election, type })({
      contest: title,
      choice: 'Ann Lee',
    });
    return [grade, reasons.join()];
  };
  for (const title of [
    'Governor - Democratic primary',
    'Governor (Democratic Primary)',
    'PRIMARY: Governor',
  ]) {
    expect(gradeOf('general', title)).toEqual([
      'close',
      'contest: it says primary, and the election is a general one',
    ]);
    for (const type of ['primary', 'consolidated'] as const)
      expect(gradeOf(type, title)).toEqual(['exact', '']);
  }
  expect(gradeOf('general', 'Governor')).toEqual(['exact', '']);
  expect(gradeOf('general', 'Primary Judge')).toEqual(['exact', '']);
});

const NUMBERED = ['Proposition 51', 'Proposition 52', 'Measure B', 'Measure C', 'Measure DD'].map((name) =>
  contest(foldText(name), `${name}: Parks`, YES_NO, { short_title: name, kind: 'measure' }),
);

test.each([
  'Props 51, 52',
  'Prop 51,52',
  'Props. 51 & 52',
  'Propositions 51 and 52',
  'Prop 51/52',
  'Props 51 through 53',
  'PROPS 51, 52 and 53',
  'Measures B and C',
  'Measure B/C',
  'MEASURES B, C, DD',
  'Measures DD & B',
])('%j names several measures and none of them alone', (contestText) => {
  const matchNumbered = createMatch(NUMBERED);
  expect(matchNumbered({ contest: contestText, choice: 'Yes' }).grade).toBe('none');
});

test.each([
  ['Prop 51', 'proposition 51/yes', 'exact'],
  ['Prop 52, parks', 'proposition 52/yes', 'exact'],
  ['Measure B, a park', 'measure b/yes', 'close'],
  ['MEASURE B, A PARK', 'measure b/yes', 'close'],
  ['Measure C, o parque', 'measure c/yes', 'close'],
  ['Prop 60, 2 parks and 3 pools', 'prop-60/yes', 'exact'],
  ['Prop 60', 'prop-60/yes', 'close'],
])('%j names one measure', (contestText, key, grade) => {
  const pools = contest('prop-60', 'Proposition 60, 2 parks and 3 pools', YES_NO, { kind: 'measure' });
  const matchNumbered = createMatch([...NUMBERED, pools]);
  expect(matchNumbered({ contest: contestText, choice: 'Yes' })).toMatchObject({ key, grade });
});
