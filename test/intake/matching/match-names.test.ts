import { describe, expect, test } from '@jest/globals';
import { matchElection } from '../../../intake/matching/match-election.ts';
import { indexEndorsers, matchEndorser } from '../../../intake/matching/match-endorser.ts';

describe('endorsers', () => {
  const names = {
    'sierra-club': 'Sierra Club',
    'sierra-club-ca': 'The Sierra Club, Inc.',
    'civil-liberties': 'American Civil Liberties Union (Oregon)',
    seiu: 'SEIU',
    'st-marks': "St. Mark's Neighbors & Friends",
    'ed-lee': 'Ed Lee',
    gazette: 'Fernville Gazette',
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
  ])('%j is exact', (text, slug) => {
    expect(match(text)).toEqual(['exact', slug, null]);
  });

  test.each([
    ['Fernwood Gazetteer', 'none', null, 'no such endorser; the nearest are Fernville Gazette (gazette)'],
    ['American Civil Liberties Union', 'close', 'civil-liberties', 'words in parentheses'],
    ['ACLU', 'close', 'civil-liberties', 'initials'],
    ['Service Employees International Union', 'close', 'seiu', 'its name is these initials'],
    ['Mayor Ed Lee', 'close', 'ed-lee', 'a title'],
    ['Fernvile Gazette', 'close', 'gazette', 'one letter differs'],
    ['Sierra Club', 'ambiguous', null, 'Sierra Club (sierra-club) or The Sierra Club, Inc. (sierra-club-ca)'],
    ['sierra-club', 'ambiguous', null, 'the endorser can be'],
    ['Quite Another Name', 'none', null, 'no endorser has a similar name'],
  ])('%j is %s', (text, grade, slug, words) => {
    const [is, found, reason] = match(text);
    expect([is, found, reason]).toEqual([grade, slug, expect.stringContaining(words)]);
  });
});

describe('elections', () => {
  const elections = [
    ['or-2026-05-19-primary', 'Oregon primary 2026', '2026-05-19', 'OR', 'Oregon'],
    ['or-2026-11-03-general', 'Oregon general 2026', '2026-11-03', 'OR', 'Oregon'],
    ['ca-2026-11-03-general', 'California general 2026', '2026-11-03', 'CA', 'California'],
  ].map(([slug = '', name = '', date = '', state = '', state_name = '']) => ({
    ...{ slug, name, short_name: null, date, state, state_name },
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
  ])('%j in %j on %j is %s', (election, state, date, grade, slug) => {
    expect(match(election, state, date)).toEqual([grade, slug]);
  });
});
