import { describe, expect, test } from '@jest/globals';
import { matchElection } from '../../../intake/matching/match-election.ts';
import { indexEndorsers, matchEndorser } from '../../../intake/matching/match-endorser.ts';
import { foldParty, readParty } from '../../../intake/matching/parties.ts';
import { explainClose, readPersonName } from '../../../intake/matching/person-name.ts';

describe('endorsers', () => {
  const names = {
    'sierra-club': 'Sierra Club',
    'sierra-club-ca': 'The Sierra Club, Inc.',
    'civil-liberties': 'American Civil Liberties Union (Oregon)',
    seiu: 'SEIU',
    'st-marks': "St. Mark's Neighbors & Friends",
    'ed-lee': 'Ed Lee',
    'ann-mayor-garcia': 'Ann Mayor Garcia',
    gazette: 'Fernville Gazette',
    why: 'Why Not?',
    'ironworkers-12': 'Ironworkers Local 12',
  };
  const index = indexEndorsers(Object.entries(names).map(([slug, name]) => ({ slug, name })));
  const match = (text: string) => {
    const { grade, value, reason } = matchEndorser(index, text);
    return [grade, value?.slug ?? null, reason];
  };

  test.each([
    ['the fernville gazette', 'gazette'],
    ['FERNVILLE  GAZETTE', 'gazette'],
    ['gazette', 'gazette'],
    ['St Marks Neighbors and Friends', 'st-marks'],
    ['seiu', 'seiu'],
    ['WHY NOT?', 'why'],
  ])('%j is exact', (text, slug) => {
    expect(match(text)).toEqual(['exact', slug, null]);
  });

  test.each([
    ['Fernwood Gazetteer', 'none', null, 'no such endorser; the nearest are Fernville Gazette (gazette)'],
    ['American Civil Liberties Union', 'close', 'civil-liberties', 'words in parentheses'],
    ['ACLU', 'close', 'civil-liberties', 'initials'],
    ['Service Employees International Union', 'close', 'seiu', 'its name is these initials'],
    ['Mayor Ed Lee', 'close', 'ed-lee', 'a title'],
    ['Mayor Lee, Ed', 'close', 'ed-lee', 'a title'],
    ['Mayor Garcia, Ann', 'close', 'ann-mayor-garcia', 'the order of names'],
    ['Fernvile Gazette', 'close', 'gazette', 'one letter differs'],
    ['Ironworkrs Local 12', 'close', 'ironworkers-12', 'one letter differs'],
    ['Ironworkers Local 112', 'none', null, 'no such endorser; the nearest are Ironworkers Local 12'],
    ['Ironworkers Local 1-2', 'none', null, 'no such endorser; the nearest are Ironworkers Local 12'],
    ['SEIU?', 'close', 'seiu', 'a sign beside the name'],
    ['Ironworkers Local 12 (since 1900)', 'close', 'ironworkers-12', 'words in parentheses'],
    ['Sierra Club', 'ambiguous', null, 'Sierra Club (sierra-club) or The Sierra Club, Inc. (sierra-club-ca)'],
    ['sierra-club', 'ambiguous', null, 'the endorser can be'],
    ['Quite Another Name', 'none', null, 'no endorser has a similar name'],
  ])('%j is %s', (text, grade, slug, words) => {
    const [is, found, reason] = match(text);
    expect([is, found, reason]).toEqual([grade, slug, expect.stringContaining(words)]);
  });
});

test('an endorser whose short name differs in a letter is not matched, and one of two similar ones is not chosen', () => {
  const names = ['Unite', 'Fernville Gazette', 'Fernvillo Gazette', 'AB'];
  const index = indexEndorsers(names.map((name) => ({ slug: name.toLowerCase().replace(' ', '-'), name })));
  const gradeOf = (text: string) => {
    const { grade, value } = matchEndorser(index, text);
    return [grade, value?.slug ?? null];
  };
  expect(gradeOf('Unity')).toEqual(['none', null]);
  expect(gradeOf('Fernvilla Gazette')).toEqual(['ambiguous', null]);
  // Two letters are initials of too many names.
  expect(gradeOf('A. Bakery')).toEqual(['none', null]);
  expect(gradeOf('unite, LLC')).toEqual(['exact', 'unite']);
});

describe('the parts of a person’s name', () => {
  test.each([
    ['Lee, Ann M., Jr. (D)', 'ann m lee', { generation: 'jr', party: 'democratic' }],
    ['Hon. Lee, Ann', 'ann lee', { titled: 'annhonlee' }],
    ['Former State Senator De León, Hon. Ann', 'ann de leon', { titled: 'annformerstatesenatordeleon' }],
    ['Mayor Garcia, Hon. Ann', 'ann garcia', { titled: 'annmayorgarcia' }],
    ['Justice, Ann', 'ann justice', {}],
    ['Ann Lee, Ph.D., Esq.', 'ann lee', {}],
    ['Former State Senator Ann Lee', 'ann lee', {}],
    ['Senator Lee', 'senator lee', {}],
    ['John Smith 3rd', 'john smith', { generation: 'iii' }],
    ['Senior', 'senior', {}],
    ['William "Bo" O’Neil', 'william oneil', { nickname: 'bo' }],
    ['Ann Lee (incumbent)', 'ann lee', {}],
    ['Ann Lee (i)', 'ann lee', {}],
    ['Ann Lee (i) (D)', 'ann lee', { party: 'democratic' }],
    ['Ann Lee (I)', 'ann lee', { party: 'independent' }],
    ['Ann Lee (Albany) [Rep]', 'ann lee', { note: 'albany', party: 'republican' }],
    ['Ann Lee (R-TX)', 'ann lee', { party: 'republican' }],
    ['Ann Lee - Smith', 'ann lee smith', {}],
    ['Lee, Ann, Mayor', 'ann lee', {}],
    ['Ann Lee, Green Party', 'ann lee', { party: 'green' }],
  ])('%j', (text, words, marks) => {
    const { words: read, joined, ...rest } = readPersonName(text);
    expect([read.join(' '), joined]).toEqual([words, words.replaceAll(' ', '')]);
    const none = { titled: null, nickname: null, generation: null, party: null, note: null };
    expect(rest).toEqual({ ...none, ...marks });
  });

  test.each([
    ['Ann Lee', 'Ann B. C. Lee', 'a middle name or another name is missing'],
    ['Ann Lee', 'Ann B. C. D. Lee', null],
    ['Lee Ann', 'Ann Lee', 'the names are in another order'],
    ['Ann Leed', 'Ann Leet', 'one letter differs'],
    ['Ann Lee', 'Ann Lea', null],
    ['Anna Leed', 'Anne Leet', null],
    ['Lee', 'Ann Lee', 'only the last name is given'],
    ['Ann', 'Ann Lee', null],
    ['Bill Lee', 'William Lee', 'a nickname stands for the name'],
    ['Bill Lee', 'William Roe', null],
    ['Bill X. Lee', 'William Y. Lee', null],
    ['Ann Lee Sr.', 'Ann B. Lee Jr.', null],
    ['A. Lee', 'Ann Lee', 'an initial stands for a name, or a name is missing'],
    ['', 'Ann Lee', null],
  ])('%j and %j are one person’s because %j', (given, known, reason) => {
    expect(explainClose(readPersonName(given), readPersonName(known))).toBe(reason);
  });

  test.each([
    ['DFL', 'democratic', 'democratic'],
    ['the Green Party', 'green', 'green'],
    ['No Party Preference', 'independent', 'independent'],
    ['R-TX', 'r tx', 'republican'],
    ['Alder', 'alder', null],
    ['Party', null, null],
    ['Rep. Ann Lee', 'rep ann lee', null],
  ])('the party %j is %j, and a text that consists of it names %j', (text, folded, read) => {
    expect([foldParty(text), readParty(text)]).toEqual([folded, read]);
  });
});

describe('elections', () => {
  const elections = [
    ['or-2026-05-19-primary', 'Oregon primary 2026', '2026-05-19', 'OR', 'Oregon'],
    ['or-2026-11-03-general', 'Oregon general 2026', '2026-11-03', 'OR', 'Oregon'],
    ['ca-2026-11-03-general', 'California general 2026', '2026-11-03', 'CA', 'California'],
  ].map(([slug = '', name = '', date = '', state = '', state_name = '']) => ({
    ...{ slug, name, short_name: slug === 'or-2026-11-03-general' ? 'OR Nov. ’26' : null },
    ...{ date, type: 'general' as const, state, state_name },
  }));
  const match = (election: string | null, state: string | null = null, date: string | null = null) => {
    const { grade, value } = matchElection(elections, { election, state, date });
    return [grade, value?.slug ?? null];
  };

  test.each<[string | null, string | null, string | null, string, string | null]>([
    ['or-2026-11-03-general', null, null, 'exact', 'or-2026-11-03-general'],
    ['OREGON GENERAL, 2026', null, null, 'exact', 'or-2026-11-03-general'],
    ['11/3/2026', 'Oregon', null, 'exact', 'or-2026-11-03-general'],
    [null, 'CA', null, 'exact', 'ca-2026-11-03-general'],
    [null, 'or', 'Nov. 3, 2026', 'exact', 'or-2026-11-03-general'],
    ['Oregon general', null, null, 'close', 'or-2026-11-03-general'],
    ['general', 'OR', null, 'close', 'or-2026-11-03-general'],
    ['2026-11-03', null, null, 'ambiguous', null],
    [null, 'OR', null, 'ambiguous', null],
    ['ca-2026-11-03-general', 'OR', null, 'none', null],
    ['2026-11-04', null, null, 'none', null],
    [null, 'OR', 'yesterday', 'none', null],
    // Signs are not a name, even if one election alone is left.
    ['***', 'CA', null, 'none', null],
    ['OR Nov 26', null, null, 'exact', 'or-2026-11-03-general'],
    ['2026', 'CA', null, 'close', 'ca-2026-11-03-general'],
    ['2025', 'CA', null, 'none', null],
    ['or-2026-11-03-general', null, '5/19/2026', 'none', null],
    [null, 'CA', ' 2026 ', 'close', 'ca-2026-11-03-general'],
    [null, 'CA', '2025', 'none', null],
    ['or-2026-11-03-general', null, '2026', 'exact', 'or-2026-11-03-general'],
    ['or-2026-11-03-general', null, '2025', 'none', null],
  ])('%j in %j on %j is %s', (election, state, date, grade, slug) => {
    expect(match(election, state, date)).toEqual([grade, slug]);
  });

  test('the latest three are named if none fits', () => {
    const earlier = elections.slice(0, 1).map((one) => ({ ...one, slug: 'earlier', date: '2024-05-21' }));
    const { reason } = matchElection([...earlier, ...elections], {
      ...{ election: '2026-11-04', state: null, date: null },
    });
    const named = elections.map(({ name, slug }) => `${name} (${slug})`).join(', ');
    expect(reason).toBe(`no such election; the nearest are ${named.replace(/, (?=California)/, ' or ')}`);
  });

  test.each<[string | null, string | null, string | null, string | null]>([
    [null, 'OR', '2026', 'election: only the year is given'],
    ['2026', 'OR', null, 'election: only the year is given'],
    ['Oregon', null, null, 'election: the name has more words'],
    [null, 'OR', null, null],
    ['2026-11-03', null, null, null],
  ])('several that %j in %j on %j can be are in doubt: %j', (election, state, date, doubt) => {
    expect(matchElection(elections, { election, state, date })).toMatchObject({ grade: 'ambiguous', doubt });
  });
});
