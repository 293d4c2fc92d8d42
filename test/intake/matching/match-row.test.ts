import { describe, expect, test } from '@jest/globals';
import type { FindAlias } from '../../../intake/matching/match-row.ts';
import { chooseMatch, type RowMatch } from '../../../intake/matching/row-match.ts';
import { choiceTextOf, contestTextOf, type RowNames, rowTextOf } from '../../../intake/matching/row-names.ts';
import { choice, contest, election } from '../../helpers/ballots/matcher-entries.ts';
import { createMatch, match, matchNames } from '../../helpers/ballots/matcher-rows.ts';
import { processorTimeOf } from '../../helpers/processor-time.ts';

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
    ['Proposition 2', 'The measure about parks', { position: 'Yes' }, 'prop-2/yes'],
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
    ['Governor', 'Former: John H. Cox', {}, 'governor/cox', 'choice: it has more words than the name'],
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
    [
      ...(['Ballot', 'Prop 2: Trains', { position: 'No' }, 'prop-2/no'] as const),
      'contest: the contest does not have these words: trains',
    ],
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

test.each<[string, string | null, string, string?]>([
  ['Prop 99', null, 'no such contest', 'Yes'],
  ['Ballot', 'Prop 99: Trains', 'no such contest', 'No'],
  ['Prop 99', 'Trains', 'no such contest', 'No'],
  ['Prop 99', 'Trains', 'no such contest', 'Pass'],
  ['Dogcatcher', 'Libraries', 'no such contest', 'Yes'],
  ['Ballot', 'Measure Controller', 'no such contest', 'Yes'],
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

describe('the possible meanings of a row', () => {
  const meant = (names: Partial<RowNames>) => {
    const { candidates, unsure, fits, grade } = matchNames(names);
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
    const { candidates } = createMatch([contest('wide', 'Wide', many)])({
      contest: 'Wide',
      choice: 'Nobody',
    });
    expect(candidates).toHaveLength(12);
  });
});

test('INV-15: a long name is read once for all contests of a large election, not for each of them', async () => {
  const many = Array.from({ length: 10_000 }, (_, at) =>
    contest(`c${at}`, `Council ${at}`, [choice('x', 'Ann Lee')]),
  );
  const matchLarge = createMatch(many);
  const matchThree = () => {
    for (const district of ['1', '2', '3']) {
      expect(matchLarge({ district, choice: '(a,b'.repeat(250) }).grade).toBe('none');
    }
  };
  // Read for each contest, it takes 20 to 40 s.
  expect(await processorTimeOf(matchThree)).toBeLessThan(5_000);
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
