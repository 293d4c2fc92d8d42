import { describe, expect, test } from '@jest/globals';
import { indexElection } from '../../../intake/matching/catalogue-index.ts';
import { createContestFinder, type FindAlias, matchRow } from '../../../intake/matching/match-row.ts';
import { chooseMatch, type RowMatch } from '../../../intake/matching/row-match.ts';
import { choiceTextOf, contestTextOf, type RowNames, rowTextOf } from '../../../intake/matching/row-names.ts';
import { foldText } from '../../../intake/matching/words.ts';
import type { ElectionType } from '../../../schemas/vocabulary.ts';
import { choice, contest, election, YES_NO } from '../../helpers/ballots/matcher-entries.ts';
import { processorTimeOf } from '../../helpers/processor-time.ts';

const CONTESTS = [
  contest('governor', 'Governor of California', [
    choice('villa', 'Antonio Villaraigosa', { party: 'Democratic' }),
    choice('cox', 'John H. Cox', { party: 'Republican' }),
    choice('wildstar', 'Nickolas "Nick" Wildstar'),
  ]),
  contest(
    'house-12',
    'U.S. House California District 12',
    [choice('lee', 'Barbara Lee'), choice('tran', 'Jennifer Tran')],
    {
      short_title: 'U.S. House CA-12',
      district: {
        ocd_id: 'ocd-division/country:us/state:ca/cd:12',
        name: 'California Congressional District 12',
      },
    },
  ),
  contest('house-11', 'U.S. House California District 11', [choice('pelosi', 'Nancy Pelosi')], {
    short_title: 'U.S. House CA-11',
  }),
  contest('assembly-25', 'State Assembly, District 25', [choice('kalra', 'Ash Kalra')]),
  contest('delegates-41', 'Member, House of Delegates (41st District)', [choice('ott', 'Ida Ott')]),
  contest('senate-15', 'State Senate, District 15', [choice('cortese', 'Dave Cortese')]),
  contest('controller', 'Controller', [
    choice('cohen', 'Malia Cohen'),
    choice('mayor', 'Ana Mayor Ruiz'),
    choice('judge', 'Eva Judge Lima'),
    choice('lima', 'Eva Lima'),
  ]),
  contest('attorney', 'Attorney General', [choice('bonta', 'Rob Bonta')]),
  contest('council-2', 'Member, City Council, 2nd District', [
    choice('smith-sr', 'John Smith Sr.'),
    choice('smith-jr', 'John Smith Jr.'),
    choice('oneil', "Mary O'Neil-García"),
  ]),
  contest('judge-3', 'Superior Court Judge, Office No. 3', [
    choice('gray-d', 'Ann Gray', { candidate: 'gray', party: 'Democratic' }),
    choice('gray-w', 'Ann Gray', { candidate: 'gray', party: 'Working Families' }),
    choice('lopez-1', 'Luis Lopez', { candidate: '1', party: 'Democratic' }),
    choice('lopez-2', 'Luis Lopez', { candidate: '2', party: 'Green' }),
  ]),
  contest('auditor', 'Auditor', [
    choice('moss', 'Ed Moss'),
    choice('moss-jr', 'Ed Moss, Jr.'),
    choice('roe-d', 'Al Roe', { candidate: 'roe', party: 'Democratic' }),
    choice('roe-g', 'Al Roe', { candidate: 'roe', party: 'Green', withdrawn: true }),
  ]),
  contest('clerk', 'Clerk', [
    choice('ott-d', 'Ida Ott', { candidate: 'ott', party: 'Democratic', withdrawn: true }),
    choice('ray', 'Sol Ray', { withdrawn: true }),
    choice('none', 'None of these candidates', { candidate: null, full_name: null }),
  ]),
  contest('archivist', 'Archivist', [
    choice('roe-a', 'Al Roe, Alder line', { candidate: 'roe', full_name: 'Al Roe' }),
    choice('roe-b', 'Al Roe, Birch line', { candidate: 'roe', full_name: 'Al Roe' }),
    choice('Poe', 'Eva Lee'),
    choice('lee', 'Poe'),
    choice('nurse', 'Uma Vey (nurse)'),
    choice('x/y', 'Zed Kay'),
    choice('star', 'Ms. ★'),
    choice('no', 'Ida No'),
  ]),
  contest('sheriff-d', 'Sheriff (D)', [choice('fox', 'Max Fox')]),
  contest('sheriff-r', 'Sheriff (R)', [choice('elk', 'Sam Elk')]),
  contest('school', 'School Board', [choice('kay', 'Kay Ono')], {
    district: { ocd_id: null, name: 'School District 7' },
  }),
  contest('prop-2', 'Proposition 2: School bonds', YES_NO, {
    kind: 'measure',
    short_title: 'Prop 2',
    measure_code: '2',
  }),
  contest('measure-b', 'Measure B: Parks', YES_NO, { kind: 'measure', measure_code: 'B' }),
  contest('measure-c', 'Measure C: Libraries', YES_NO, {
    kind: 'measure',
    short_title: 'C',
    measure_code: 'C',
  }),
  contest('measure-rr', 'Measure RR: Trains', YES_NO, { kind: 'measure', measure_code: 'RR' }),
  contest('retain-liu', 'Retain Justice Goodwin Liu', YES_NO, { kind: 'retention' }),
];

const index = indexElection(election, CONTESTS);
const find = createContestFinder(index);

function match(
  contestText: string | null,
  choiceText: string | null,
  more: Partial<RowNames> = {},
  alias: FindAlias = () => null,
) {
  const row = {
    contest: contestText,
    district: null,
    choice: choiceText,
    party: null,
    position: undefined,
    ...more,
  };
  const found = matchRow(index, row, alias, find);
  const key = `${found.contest?.key.split('/')[1] ?? '?'}/${found.choice?.key ?? '?'}`;
  return { key, grade: found.unrepresentable ? 'nothing' : found.grade, why: found.reasons.join('; ') };
}

describe('one record with the same name is exact', () => {
  test.each<[string | null, string | null, Partial<RowNames>, string]>([
    ['Governor', 'Antonio Villaraigosa', {}, 'governor/villa'],
    ['California Governor', 'VILLARAIGOSA, Antonio', {}, 'governor/villa'],
    ['Gov.', 'Mayor Antonio Villaraigosa (D)', {}, 'governor/villa'],
    ['governor of california', 'Hon. Antonio Villaraigosa, Esq.', { party: 'Dem' }, 'governor/villa'],
    ['Governor', 'Antonio Villaraigosa - Dem', {}, 'governor/villa'],
    ...['✓ John H. Cox', '☑ John H. Cox', 'John H. Cox*', '• John H. Cox', '— John H. Cox'].map(
      (text): [string, string, object, string] => ['Governor', text, {}, 'governor/cox'],
    ),
    ['Archivist', 'Ms. ★', {}, 'archivist/star'],
    ['Archivist', 'No, Ida', {}, 'archivist/no'],
    ['Governor', 'Nickolas Wildstar', {}, 'governor/wildstar'],
    ...['N/A', '—', 'None'].map((district): [string, string, object, string] => [
      ...(['Governor', 'John H. Cox', { district }, 'governor/cox'] as const),
    ]),
    ['Governor', 'Nickolas\nWildstar', {}, 'governor/wildstar'],
    ['Governor', 'Nickolas (Nick) Wildstar', {}, 'governor/wildstar'],
    ['Governor', 'Antonio (Tony) Villaraigosa', {}, 'governor/villa'],
    ['Governor', 'John H. Cox (R, incumbent)', {}, 'governor/cox'],
    [`${election.slug}/governor`, 'cox', {}, 'governor/cox'],
    ['governor', 'cox', {}, 'governor/cox'],
    ['Congress', 'Barbara Lee', { district: '12' }, 'house-12/lee'],
    ['US Representative', 'Rep. Barbara Lee', { district: 'CA-12' }, 'house-12/lee'],
    ['U.S. House', 'Barbara Lee', { district: 'D-12' }, 'house-12/lee'],
    ['12th Congressional District', 'Barbara Lee', {}, 'house-12/lee'],
    ["California's 12th Congressional District", 'Barbara Lee', {}, 'house-12/lee'],
    ...['CA-12', 'CA12', 'CD 12', 'CD-12', 'U.S. House (CA-12)'].map(
      (text): [string, string, object, string] => [text, 'Barbara Lee', {}, 'house-12/lee'],
    ),
    ['AD-25', 'Ash Kalra', {}, 'assembly-25/kalra'],
    ['HD 25', 'Ash Kalra', {}, 'assembly-25/kalra'],
    ['SD 15', 'Dave Cortese', {}, 'senate-15/cortese'],
    ['State Assemblymember', 'Ash Kalra', { district: '25' }, 'assembly-25/kalra'],
    ['St. Assembly, District 25', 'Ash Kalra', {}, 'assembly-25/kalra'],
    ...['HD-41', 'Delegate, District 41', 'House of Delegates 41', 'State House District 41'].map(
      (text): [string, string, object, string] => [text, 'Ida Ott', {}, 'delegates-41/ott'],
    ),
    ['ST SENATE', 'Dave Cortese', { district: '15' }, 'senate-15/cortese'],
    ['COMPTROLLER', 'Malia Cohen', {}, 'controller/cohen'],
    ['ATTY GENL', 'Rob Bonta', {}, 'attorney/bonta'],
    ['Controller', 'Mayor Cohen, Malia', {}, 'controller/cohen'],
    ['Controller', 'Mayor Ruiz, Hon. Ana', {}, 'controller/mayor'],
    [
      'House of Representatives',
      'Barbara Lee',
      { district: 'ocd-division/country:us/state:ca/cd:12', contest: 'U.S. House CA-12' },
      'house-12/lee',
    ],
    ['Congress', 'Barbara Lee', { district: 'ocd-division/country:us/state:ca/cd:12' }, 'house-12/lee'],
    ['City Council District 2', 'Mary ONeil Garcia', {}, 'council-2/oneil'],
    ['City Council', 'John Smith, Jr.', { district: '2nd' }, 'council-2/smith-jr'],
    ['City Council, second district', 'Smith, John, Sr.', {}, 'council-2/smith-sr'],
    ['Superior Court Judge, Office Number 3', 'Ann Gray', { party: 'WFP' }, 'judge-3/gray-w'],
    ['Superior Court Judge Office No 3', 'Ann Gray', { party: 'WFP' }, 'judge-3/gray-w'],
    ['Measure No. B', 'Yes', {}, 'measure-b/yes'],
    ['Superior Court Judge Office 3', 'Ann Gray', { party: 'WFP' }, 'judge-3/gray-w'],
    ['Superior Court Judge Office 3', 'Ann Gray (D)', {}, 'judge-3/gray-d'],
    ['Superior Court Judge, Office 3', 'Luis Lopez', { party: 'Green' }, 'judge-3/lopez-2'],
    ['Auditor', 'ED MOSS JR', {}, 'auditor/moss-jr'],
    ['Auditor', 'Al Roe', {}, 'auditor/roe-d'],
    ['Auditor', 'roe-g', {}, 'auditor/roe-g'],
    // Withdrawn choices count if no other one is left.
    ['Clerk', 'Ida Ott', {}, 'clerk/ott-d'],
    ['Clerk', 'Sol Ray', {}, 'clerk/ray'],
    [`${election.slug}/clerk`, 'none', {}, 'clerk/none'],
    ['Sheriff (R)', 'Sam Elk', {}, 'sheriff-r/elk'],
    ['Sheriff', 'Sam Elk', { party: 'Rep.' }, 'sheriff-r/elk'],
    ['City Council', 'Mary ONeil Garcia', { district: '02' }, 'council-2/oneil'],
    ['Prop. 2', 'Yes', {}, 'prop-2/yes'],
    ['Proposition 2', null, { position: 'Oppose' }, 'prop-2/no'],
    ['Proposition 2', null, { position: 'Pass' }, 'prop-2/yes'],
    ['Ballot measure', 'Prop 2', { position: 'Y' }, 'prop-2/yes'],
    // Its column and its choice name the measure together.
    ['Measure', 'B', { position: 'Y' }, 'measure-b/yes'],
    ['Archivist', 'Al Roe, Birch line', {}, 'archivist/roe-b'],
    ['measure b', 'No', {}, 'measure-b/no'],
    ['C', 'No', {}, 'measure-c/no'],
    ['measure b', 'Yes', { position: 'Endorsed' }, 'measure-b/yes'],
    ...['None', 'N/A', '-', 'School bonds'].map((text): [string, string, object, string] => [
      ...(['Prop 2', text, { position: 'x' }, 'prop-2/yes'] as const),
    ]),
    ['Measure B', 'Vote Yes', {}, 'measure-b/yes'],
    ['Retain Justice Goodwin Liu', 'retain', {}, 'retain-liu/yes'],
  ])('%j, %j %j', (contestText, choiceText, more, key) => {
    expect(match(contestText, choiceText, more)).toEqual({ key, grade: 'exact', why: '' });
  });
});

test.each(['Propositions', 'Props', 'Measures', 'Ballot Measures'])(
  'the heading %j is not the measure of the letter S',
  (heading) => {
    const lettered = indexElection(
      election,
      ['Proposition S: Parks', 'Measure S: Trains'].map((title) =>
        contest(foldText(title), title, YES_NO, { kind: 'measure', measure_code: 'S' }),
      ),
    );
    const row = { contest: heading, district: null, choice: 'Yes', party: null, position: undefined };
    expect(matchRow(lettered, row, () => null, createContestFinder(lettered)).grade).not.toBe('exact');
    const named = { ...row, contest: `${heading.replace(/s$/, '')} S` };
    expect(matchRow(lettered, named, () => null, createContestFinder(lettered)).grade).not.toBe('none');
  },
);

test.each([
  ['3', 'Yes'],
  ['D', 'Yes'],
  ['2nd', 'Yes'],
  ['2 Parks', 'Yes'],
  ['D. Trains', 'Yes', 'no such contest; the nearest are Measure RR: Trains'],
])('%j, %j is no measure', (contestText, choiceText, why = '') => {
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
  const lettered = indexElection(election, [...CONTESTS, ...measures]);
  const row = { contest: contestText, district: null, choice: choiceText, party: null, position: 'Yes' };
  const found = matchRow(lettered, row, () => null, createContestFinder(lettered));
  expect([found.contest?.key.split('/')[1], found.choice?.key ?? '?', found.grade]).toEqual([
    ...key.split('/'),
    grade,
  ]);
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
  const lettered = indexElection(election, [...CONTESTS, one, measure]);
  const row = { contest: contestText, district: null, choice: null, party: null, position: 'Yes' };
  const found = matchRow(lettered, row, () => null, createContestFinder(lettered));
  const slug = found.contest?.key.split('/')[1] ?? '?';
  expect([`${slug}/${found.choice?.key ?? '?'}`, found.grade]).toEqual([key, grade]);
});

describe('names that differ a little are close, with the reason', () => {
  test.each<[string | null, string | null, Partial<RowNames>, string, string]>([
    ['Governor', 'John Cox', {}, 'governor/cox', 'choice: a middle name or another name is missing'],
    [
      'Governor',
      'J. H. Cox',
      {},
      'governor/cox',
      'choice: an initial stands for a name, or a name is missing',
    ],
    ['Governor', 'Nick Wildstar', {}, 'governor/wildstar', 'choice: a nickname stands for the name'],
    ['Governor', 'Tony Villaraigosa', {}, 'governor/villa', 'choice: a nickname stands for the name'],
    [
      ...(['Governor', 'Antonio Villaraigosa / D', {}, 'governor/villa'] as const),
      'choice: it has more words than the name',
    ],
    ['Governor', 'Antonio Villaraigoza', {}, 'governor/villa', 'choice: one letter differs'],
    ['Governor', 'Villaraigosa', {}, 'governor/villa', 'choice: only the last name is given'],
    ['Governor', 'John H. Cox (withdrawn)', {}, 'governor/cox', 'choice: the words in parentheses differ'],
    ['Governor', 'John H. Cox - withdrawn', {}, 'governor/cox', 'choice: it has more words than the name'],
    ['Governor', 'Withdrawn: John H. Cox', {}, 'governor/cox', 'choice: it has more words than the name'],
    ['Governor', 'Antonio Villaraigosa (R)', {}, 'governor/villa', 'choice: the party differs'],
    ...[
      '✗ John H. Cox',
      'John H. Cox?',
      'John H. Cox 👎',
      '[ ] John H. Cox',
      'J\u0336ohn H. Cox',
      '~~John H. Cox~~',
    ].map((text): [string, string, object, string, string] => [
      ...(['Governor', text, {}, 'governor/cox'] as const),
      'choice: a sign beside the name may say something else',
    ]),
    // The namesake of another party is not meant.
    [
      ...(['Superior Court Judge, Office 3', 'Luis Lopez (teacher)', { party: 'Green' }] as const),
      ...(['judge-3/lopez-2', 'choice: the words in parentheses differ'] as const),
    ],
    ['Governer', 'Antonio Villaraigosa', {}, 'governor/villa', 'contest: one letter differs in "governer"'],
    [
      'Council',
      'Mary ONeil Garcia',
      {},
      'council-2/oneil',
      'contest: the contest has more words: city district 2',
    ],
    [
      'Mighty Governor',
      'Antonio Villaraigosa',
      {},
      'governor/villa',
      'contest: the contest does not have these words: mighty',
    ],
    ['U.S. House', 'Nancy Pelosi', {}, 'house-11/pelosi', 'contest: the contest has more words: district 11'],
    [
      'Assembly',
      'Ash Kalra',
      { district: '25' },
      'assembly-25/kalra',
      'contest: the contest has more words: State House or Assembly',
    ],
    [
      'SENATE',
      'Dave Cortese',
      { district: '15' },
      'senate-15/cortese',
      'contest: the contest has more words: State Senate',
    ],
    [
      'ST SEN',
      'CORTESE, DAVID A. (DAVE)',
      { district: '15' },
      'senate-15/cortese',
      'choice: a nickname stands for the name',
    ],
    ['SF Proposition', 'Local 2', { position: 'No' }, 'prop-2/no', 'contest: only "2" is the same'],
    ['Ballot', 'B', { position: 'For' }, 'measure-b/yes', 'contest: only "B" is the same'],
    // The office of a similar name has no such candidate.
    ['Governor Ballot', 'B', { position: 'For' }, 'measure-b/yes', 'contest: only "B" is the same'],
    ['Regional Proposition', 'RR', { position: 'Yes' }, 'measure-rr/yes', 'contest: only "RR" is the same'],
    ['Prop B', 'Yes', {}, 'measure-b/yes', 'contest: the measure is called "Measure B: Parks"'],
    ['2', null, { position: 'No' }, 'prop-2/no', 'contest: the measure is called "Prop 2"'],
    ['2 – School bonds', 'Yes', {}, 'prop-2/yes', 'contest: the measure is called "Prop 2"'],
    ['B', 'Yes', {}, 'measure-b/yes', 'contest: the measure is called "Measure B: Parks"'],
    ['b. Parks', 'Yes', {}, 'measure-b/yes', 'contest: the measure is called "Measure B: Parks"'],
    [
      'RR: Trains and buses',
      ...(['Yes', {}, 'measure-rr/yes', 'contest: the contest does not have these words: buses'] as const),
    ],
    ...['Prop 2 No', 'No on Prop 2', 'No Prop 2', 'No a Prop 2'].map(
      (text): [string, string, object, string, string] => [
        ...([text, 'Bo', { position: 'Yes' }, 'prop-2/yes'] as const),
        'contest: the contest does not have these words: no',
      ],
    ),
    ['City Prop B', 'Yes', {}, 'measure-b/yes', 'contest: the contest does not have these words: city'],
    [
      ...(['2', 'Mary ONeil Garcia', {}, 'council-2/oneil'] as const),
      'contest: the contest has more words: city council',
    ],
    [null, 'Barbara Lee', {}, 'house-12/lee', 'contest: the row names no contest'],
  ])('%j, %j %j', (contestText, choiceText, more, key, why) => {
    expect(match(contestText, choiceText, more)).toEqual({ key, grade: 'close', why });
  });
});

describe('names of several people are ambiguous', () => {
  test.each<[string, string, Partial<RowNames>, string]>([
    ['City Council 2', 'John Smith', {}, 'John Smith Sr. (smith-sr) or John Smith Jr. (smith-jr)'],
    ['Auditor', 'Ed Moss', {}, 'Ed Moss (moss) or Ed Moss, Jr. (moss-jr)'],
    ['Controller', 'Judge Lima, Eva', {}, 'Eva Lima (lima) or Eva Judge Lima (judge)'],
    ['City Council 2', 'Smith', {}, 'John Smith Sr. (smith-sr) or John Smith Jr. (smith-jr)'],
    ['Superior Court Judge, Office 3', 'Luis Lopez', {}, 'Luis Lopez (lopez-1) or Luis Lopez (lopez-2)'],
    [
      'Superior Court Judge, Office 3',
      'Ann Gray',
      {},
      'on several lines: Democratic (gray-d) or Working Families (gray-w)',
    ],
    ['Auditor', 'Al Roe (Green)', {}, 'on several lines: Democratic (roe-d) or Green (roe-g, withdrawn)'],
    ...[';', ' and', ',', ' &', ' +'].map((sign): [string, string, Partial<RowNames>, string] => [
      ...(['Governor', `Antonio Villaraigosa${sign} John H. Cox`, {}] as const),
      'the cell has several choices',
    ]),
    ['Governor', 'Antonio Villaraigosa / Bob Nobody', {}, 'the cell has several choices'],
    // The key of one is the name of another.
    ['Archivist', 'Poe', {}, 'Eva Lee (Poe) or Poe (lee)'],
    ['Controller', 'Eva Lima\nMalia Cohen', {}, 'the cell has several choices'],
  ])('%j, %j %j', (contestText, choiceText, more, why) => {
    const { grade, why: said, key } = match(contestText, choiceText, more);
    expect([grade, key.split('/')[1]]).toEqual(['ambiguous', '?']);
    expect(said).toContain(why);
  });
});

test.each([
  ['Governor', 'governor/?'],
  ['U.S. House', '?/?'],
])('several names for %j propose its contest if only one fits, so that a key decides', (text, key) => {
  expect(match(text, 'Ann Lee and Bob Roe')).toMatchObject({ grade: 'ambiguous', key });
});

test('a row that names two measures is ambiguous', () => {
  const { grade, why } = match('Prop 2', 'Measure B', { position: 'Yes' });
  expect([grade, why]).toEqual(['ambiguous', expect.stringContaining('Measure B: Parks')]);
  expect(match('Ballot', 'Measure B', { position: 'Yes' }).grade).toBe('exact');
});

test('the office of another district has no match in the division of a row', () => {
  const division = { district: 'ocd-division/country:us/state:ca/cd:12' };
  for (const office of ['Governor', 'State Senate', 'U.S. House CA-11'])
    expect(match(office, 'Barbara Lee', division).grade).toBe('none');
});

test.each<[string, string | null, string, string?]>([
  ['Prop 99', null, 'no such contest', 'Yes'],
  ['Governor', 'Gavin Newsom', 'no such choice; the nearest are '],
  ['Archivist', 'Uma Vey (teacher)', 'no such choice; the nearest are Uma Vey (nurse) (nurse)'],
  ['City Council 2', 'John Smith III', 'no such choice; the nearest are John Smith Sr.'],
  ['U.S. House CA-13', 'Barbara Lee', 'no such contest; the nearest are U.S. House California District'],
  ['Dogcatcher', 'Ann', 'no such contest'],
  // Every object of JavaScript has a property of this name.
  ['Constructor', 'Ann Constructor', 'no such contest'],
  ['School Board, District 8', 'Kay Ono', 'no such contest'],
  ['Governor', 'John B. Cox', 'no such choice; the nearest are John H. Cox (cox)'],
])('%j, %j has no match, and the nearest are named', (contestText, choiceText, why, position = undefined) => {
  const { grade, why: said } = match(contestText, choiceText, { position });
  expect(grade).toBe('none');
  expect(said).toContain(why);
});

test.each<[string, string | null, string | null | undefined, string]>([
  ['Governor', 'No Endorsement', undefined, '"No Endorsement"'],
  // Beside the name of a contest, it is no key.
  ['Clerk', 'none', undefined, '"none"'],
  ['Governor', 'N/A', 'Yes', '"N/A"'],
  ['Governor', 'NOT John H. Cox', 'Yes', '"NOT John H. Cox"'],
  ['Governor', 'Anyone but John H. Cox', undefined, '"Anyone but John H. Cox"'],
  ['Governor', 'No on John H. Cox', 'Yes', '"No on John H. Cox"'],
  ...[
    ...[
      'John H. Cox (not endorsed)',
      'John H. Cox - Oppose',
      'Cox, John H. – not recommended',
      'Oppose: John H. Cox',
    ],
    ...[
      'No endorsement: John H. Cox',
      'John H. Cox, Do not endorse',
      'Antonio Villaraigosa; John H. Cox (no)',
    ],
  ].map((text): [string, string, undefined, string] => ['Governor', text, undefined, `"${text}"`]),
  ['Governor', null, undefined, 'no choice'],
  ['Governor', null, 'Yes', 'no choice'],
  ['Governor', 'John H. Cox', null, 'no position'],
  ['Governor', 'John H. Cox', 'Oppose', '"Oppose" about a candidate, of whom only Yes can be said'],
  [
    'Governor',
    'John H. Cox',
    'Yes (runoff only)',
    '"Yes (runoff only)" about a candidate, of whom only Yes can be said',
  ],
  ['Governor', 'John H. Cox', 'Pass', '"Pass" about a candidate, of whom only Yes can be said'],
  ['Governor', 'John H. Cox', 'Neutral', '"Neutral" about a candidate, of whom only Yes can be said'],
  ...[
    ['No', 'Yes'],
    ['Yes', 'No'],
    ['no', 'Oppose'],
    ['No - it costs too much', 'Yes'],
    ["Don't retain", '✓'],
    ['Oppose (see our guide)', 'x'],
    ['Against it', 'x'],
    ['School bonds - No', 'x'],
    ['School bonds (not endorsed)', 'Yes'],
    ['Not this one', 'Yes'],
  ].map(([choiceText = '', position = '']): [string, string, string, string] => [
    ...(['Prop 2', choiceText, position] as const),
    `two answers about a measure, "${choiceText}" and "${position}": give one, as the position, and leave the choice empty`,
  ]),
  ['Prop 2', null, 'Neutral', '"Neutral" about a measure, which needs Yes or No'],
  ['Prop 2', 'No', null, 'no position'],
  ['Prop 2', null, undefined, 'no answer about a measure, which needs Yes or No'],
  ['Prop 2', 'Lean yes', undefined, '"Lean yes" about a measure, which needs Yes or No'],
])('%j, %j %j is nothing that an endorsement can say', (contestText, choiceText, position, why) => {
  expect(match(contestText, choiceText, { position })).toMatchObject({ grade: 'nothing', why });
});

test.each(['Yes: for the parks', 'No Tax on Tips', 'No-Tax Pledge', 'N - bonds', 'None of it, yet'])(
  'the text %j beside a measure and Yes is no answer No',
  (choiceText) => {
    expect(match('Prop 2', choiceText, { position: 'Yes' })).toMatchObject({ grade: 'exact' });
  },
);

describe('the possible meanings of a row', () => {
  const meant = (names: Partial<RowNames>) => {
    const row = { contest: null, district: null, choice: null, party: null, position: undefined, ...names };
    const { candidates, unsure, fits, grade } = matchRow(index, row, () => null, find);
    return {
      grade,
      fits,
      unsure,
      keys: candidates.map(({ contest: of, choice: { key } }) => `${of.key.split('/')[1]}/${key}`),
    };
  };

  test('are the one that it names exactly, and beside a close one those that are similar', () => {
    expect(meant({ contest: 'Governor', choice: 'Antonio Villaraigosa' })).toEqual({
      ...{ grade: 'exact', fits: 1, unsure: { contest: false, choice: false }, keys: ['governor/villa'] },
    });
    expect(meant({ contest: 'Governor', choice: 'John Cox' })).toEqual({
      ...{ grade: 'close', fits: 1, unsure: { contest: false, choice: true } },
      keys: ['governor/cox', 'governor/villa', 'governor/wildstar'],
    });
    expect(meant({ contest: 'Mighty Governor', choice: 'Antonio Villaraigosa' })).toMatchObject({
      ...{ grade: 'close', unsure: { contest: true, choice: false } },
    });
  });

  test('are all that it can be, with all lines of a candidate', () => {
    expect(meant({ contest: 'City Council 2', choice: 'Smith' })).toMatchObject({
      ...{ grade: 'ambiguous', unsure: { contest: false, choice: true } },
      keys: ['council-2/smith-sr', 'council-2/smith-jr'],
    });
    expect(meant({ contest: 'Superior Court Judge, Office 3', choice: 'Ann Gray' })).toMatchObject({
      ...{ grade: 'ambiguous', unsure: { contest: false, choice: true } },
      keys: ['judge-3/gray-d', 'judge-3/gray-w'],
    });
    expect(meant({ contest: 'Sheriff', choice: 'Sam Elk' })).toMatchObject({ grade: 'exact', fits: 2 });
  });

  test('are the most similar ones if a cell has so many names that none of them matches', () => {
    const names = 'Nancy Roe, Nickolas Wildstar, Antonio Villaraigosa';
    expect(meant({ contest: 'Governor', choice: names })).toEqual({
      ...{ grade: 'ambiguous', fits: 1, unsure: { contest: false, choice: true } },
      keys: ['governor/villa', 'governor/wildstar', 'governor/cox'],
    });
  });

  test('are the most similar ones if nothing matches, at most twelve', () => {
    const { grade, keys, unsure } = meant({ contest: 'Governor', choice: 'Nobody Cox' });
    expect([grade, keys[0], unsure]).toEqual(['none', 'governor/cox', { contest: false, choice: true }]);
    for (const contestText of ['Mighty Governor', 'Sheriff', 'Top Job']) {
      const names = { contest: contestText, choice: 'Nobody Cox' };
      expect(meant(names)).toMatchObject({ grade: 'none', unsure: { contest: true, choice: true } });
    }
    const many = Array.from({ length: 20 }, (_, at) => choice(`c${at}`, `Person ${at}`));
    const wide = indexElection(election, [contest('wide', 'Wide', many)]);
    const row = { contest: 'Wide', district: null, choice: 'Nobody', party: null, position: undefined };
    expect(matchRow(wide, row, () => null, createContestFinder(wide)).candidates).toHaveLength(12);
  });
});

test('a row about a primary is close in the general election, unless the contest says primary too', () => {
  const contests = [contest('governor', 'Governor', [choice('lee', 'Ann Lee')])];
  const gradeOf = (type: ElectionType, title: string) => {
    const chosen = indexElection({ ...election, type }, [
      ...contests,
      contest('judge', 'Primary judge', [choice('lee', 'Ann Lee')]),
    ]);
    const row = { contest: title, district: null, choice: 'Ann Lee', party: null, position: undefined };
    const { grade, reasons } = matchRow(chosen, row, () => null, createContestFinder(chosen));
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

test('INV-15: a long name is read once for all contests of a large election, not for each of them', async () => {
  const many = Array.from({ length: 10_000 }, (_, at) =>
    contest(`c${at}`, `Council ${at}`, [choice('x', 'Ann Lee')]),
  );
  const large = indexElection(election, many);
  const row = { contest: null, district: null, choice: '(a,b'.repeat(250), party: null, position: undefined };
  const match = () => {
    for (let rows = 0; rows < 3; rows += 1) {
      expect(matchRow(large, row, () => null, createContestFinder(large)).grade).toBe('none');
    }
  };
  // Read for each contest, it takes 20 to 40 s.
  expect(await processorTimeOf(match)).toBeLessThan(5_000);
});

test('a row is remembered by its words, and a measure beside its answer by its name', () => {
  const row = { contest: 'U.S. House', district: '12', choice: 'Lee, B.', party: 'D', position: undefined };
  expect([contestTextOf(row), choiceTextOf(row), rowTextOf(row)]).toEqual([
    ...['u s house 12 d', 'lee b d', 'u s house 12 d / lee b d'],
  ]);
  const measure = { ...row, contest: null, district: null, party: null, choice: 'Prop 2', position: 'Yes' };
  expect(contestTextOf(measure)).toBe('prop 2');
  expect(contestTextOf({ ...measure, position: null })).toBe('');
});

test('of several elections, the one in which a row is exact is chosen, if the others know nothing of it', () => {
  const of = (grade: string, said = false) =>
    ({ grade, unrepresentable: said ? { text: 'x', isUnderstood: true } : null }) as RowMatch;
  const [exact, close, none, nothing] = [of('exact'), of('close'), of('none'), of('none', true)];
  expect(chooseMatch([none, exact, nothing])).toBe(exact);
  for (const several of [[exact, of('exact')], [exact, close], [close, none], [none], []])
    expect(chooseMatch(several)).toBeNull();
  expect(chooseMatch([none, nothing])).toBe(nothing);
});

describe('a decision', () => {
  const decide =
    (kind: string, scope: string, text: string, key: string): FindAlias =>
    (...asked) =>
      JSON.stringify(asked) === JSON.stringify([kind, scope, text]) ? key : null;

  test.each<[FindAlias, string, string, string]>([
    [
      decide('choice', `${election.slug}/governor`, 'tony v', 'villa'),
      'Governor',
      'Tony V.',
      'governor/villa',
    ],
    [
      decide('contest', election.slug, 'top job', `${election.slug}/governor`),
      'Top Job',
      'John H. Cox',
      'governor/cox',
    ],
    [
      decide('choice', election.slug, 'us house / b l', `${election.slug}/house-12/lee`),
      'US House',
      'B L',
      'house-12/lee',
    ],
    [
      decide('choice', election.slug, 'top job / zk', `${election.slug}/archivist/x/y`),
      'Top Job',
      'ZK',
      'archivist/x/y',
    ],
  ])('makes a match exact', (alias, contestText, choiceText, key) => {
    expect(match(contestText, choiceText)).not.toMatchObject({ grade: 'exact' });
    expect(match(contestText, choiceText, {}, alias)).toEqual({
      key,
      grade: 'exact',
      why: expect.stringContaining('decided before'),
    });
  });

  test('about a name says nothing about the name beside a sign of doubt', () => {
    const alias = decide('choice', `${election.slug}/governor`, 'tony v', 'villa');
    expect(match('Governor', '✗ Tony V.', {}, alias).grade).toBe('none');
    const doubted = decide('choice', `${election.slug}/governor`, '✗ Tony V.', 'villa');
    expect(match('Governor', '✗ Tony V.', {}, doubted).key).toBe('governor/villa');
  });

  test('about a name says nothing about a key of the same letters beside the key of its contest', () => {
    const alias = decide('choice', `${election.slug}/auditor`, 'moss', 'moss-jr');
    expect(match('Auditor', 'Moss', {}, alias)).toMatchObject({ key: 'auditor/moss-jr' });
    const whole = `${election.slug}/auditor`;
    expect(match(whole, 'moss', {}, alias)).toEqual({ key: 'auditor/moss', grade: 'exact', why: '' });
  });

  test('for a contest or choice that has gone counts no longer', () => {
    const gone = decide('contest', election.slug, 'governor', `${election.slug}/gone`);
    expect(match('Governor', 'John H. Cox', {}, gone)).toMatchObject({ grade: 'exact', why: '' });
  });
});

test.each<[string, string | null, string | null | undefined, string, string]>([
  // Beside the measure, the candidates to succeed are not meant.
  ['Recall of Eva Kim', null, 'Oppose', 'recall/no', 'exact'],
  ['Recall of Eva Kim', 'Yes', undefined, 'recall/yes', 'exact'],
  ['Recall', 'Recall of Eva Kim', 'Yes', 'recall/yes', 'exact'],
  ['Successor to Eva Kim if recalled', 'Bo Ray', 'Yes', 'successor/ray', 'exact'],
  // To retain the official is to say No.
  ['Recall of Eva Kim', 'Retain', undefined, '?/?', '"Retain" about a measure, which needs Yes or No'],
  ['Recall of Eva Kim', null, 'Remove', '?/?', '"Remove" about a measure, which needs Yes or No'],
  ['Recall of Eva Kim', null, 'Support her', '?/?', '"Support her" about a measure, which needs Yes or No'],
  ...['Eva Kim', 'Keep Eva Kim'].map((name): [string, string, string, string, string] => [
    ...(['Recall of Eva Kim', name, 'Yes', '?/?'] as const),
    `two answers about a measure, "${name}" and "Yes": give one, as the position, and leave the choice empty`,
  ]),
  ['Mayor', 'Eva Kim', 'Yes', 'mayor/?', 'none'],
])('about a recall, %j, %j %j means %s', (contestText, choiceText, position, key, said) => {
  const recall = indexElection(election, [
    contest('recall', 'Recall of Eva Kim', YES_NO, {
      kind: 'measure',
      short_title: 'Recall of Mayor Eva Kim',
    }),
    contest('successor', 'Successor to Eva Kim if recalled (recall of Eva Kim)', [choice('ray', 'Bo Ray')], {
      short_title: 'Successor to Eva Kim if recalled',
    }),
    contest('mayor', 'Mayor', [choice('fox', 'Max Fox')]),
  ]);
  const row = { contest: contestText, district: null, choice: choiceText, party: null, position };
  const found = matchRow(recall, row, () => null, createContestFinder(recall));
  expect(`${found.contest?.key.split('/')[1] ?? '?'}/${found.choice?.key ?? '?'}`).toBe(key);
  expect(found.unrepresentable?.text ?? found.grade).toBe(said);
});

test('a denial beside several names leaves the row open', () => {
  const isUnderstood = (name: string) =>
    matchRow(
      index,
      { contest: 'Governor', district: null, choice: name, party: null, position: undefined },
      () => null,
      find,
    ).unrepresentable?.isUnderstood;
  expect(isUnderstood('John H. Cox (no)')).toBe(true);
  expect(isUnderstood('Antonio Villaraigosa; John H. Cox (no)')).toBe(false);
});

test.each<[string, string | null | undefined, boolean]>([
  ['Governor', null, true],
  ['Governor', undefined, true],
  ['Governor', 'No endorsement', true],
  // Such a row lacks a name.
  ['Governor', 'Yes', false],
  ['Governor', 'John H. Cox', false],
])(
  'a row about %j without a choice says nothing by the position %j: %s',
  (contestText, position, isUnderstood) => {
    const row = { contest: contestText, district: null, choice: null, party: null, position };
    const { unrepresentable } = matchRow(index, row, () => null, find);
    expect(unrepresentable).toEqual({ text: 'no choice', isUnderstood });
  },
);
