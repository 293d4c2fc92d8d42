import { describe, expect, test } from '@jest/globals';
import { type EndorsedContest, orderBySupport, recommend } from '../../domain/recommendation.ts';
import { contestOf, labelOf, recommendationOf } from '../helpers/ballots/recommended-contests.ts';

/** The picks of each endorser, with commas between endorsers, and the recommendation. */
type Row = [what: string, endorsers: string, expected: string, rules?: Parameters<typeof contestOf>[2]];

function table(method: EndorsedContest['vote_method'], rows: Row[]): void {
  for (const [what, endorsers, expected, rules] of rows) {
    test(what, () => {
      const picks = endorsers === '' ? [] : endorsers.split(', ');
      expect(recommendationOf(contestOf(method, picks, rules))).toBe(expected);
    });
  }
}

describe.each(['plurality', 'yes_no'] as const)('%s', (method) => {
  table(method, [
    ['no endorsers', '', ', 0 none'],
    ['one endorser', 'B', 'B, 1 unanimous'],
    ['all for one choice', 'B, B, B', 'B, 3 unanimous'],
    ['more than half', 'A, B, B', 'B, 3 majority'],
    ['exactly half, ahead of every other choice', 'A, A, B, C', 'A, 4 plurality'],
    ['less than half, ahead of every other choice', 'A, A, B, B, C, C, C', 'C, 7 plurality'],
    ['a tie', 'A, B', ', 2 split'],
    ['a three-way tie for the lead', 'A, A, B, B, C, C, D', ', 7 split'],
    ['one endorser that backs two choices', 'A B', ', 1 split'],
    ['an endorser of two choices counts for each, but once as an endorser', 'A B, A', 'A, 2 unanimous'],
    ['several endorsers of two choices', 'A B, A C, B D, A', 'A, 4 majority'],
    ['all for both choices', 'A B, A B', ', 2 split'],
    [
      'the next choice leads if the leader is withdrawn',
      'A, A, A, B, B, C',
      'B, 6 plurality',
      { withdrawn: 'A' },
    ],
    ['a withdrawn choice does not tie', 'A, B', 'B, 2 plurality', { withdrawn: 'A' }],
    ['endorsers that back only a withdrawn choice', 'A, A', ', 2 split', { withdrawn: 'A' }],
    [
      'an endorser of a withdrawn choice and another supports the other',
      'A B, B',
      'B, 2 unanimous',
      { withdrawn: 'A' },
    ],
  ]);
});

describe('multi_seat', () => {
  const votes = 2;
  table('multi_seat', [
    ['no endorsers', '', ', 0 none', { votes }],
    ['one endorser, in ballot order', 'B A', 'A B, 1 unanimous', { votes }],
    ['fewer choices with backers than seats', 'B', 'B, 1 unanimous', { votes: 3 }],
    ['most-backed first', 'C A, C A, C', 'C A, 3 majority', { votes }],
    ['the least-backed decides: half is not a majority', 'A B, A B, A, A', 'A B, 4 plurality', { votes }],
    ['all for the same two', 'A B, B A', 'A B, 2 unanimous', { votes }],
    ['a tie across the last seat', 'A B, A C', 'A, 2 unanimous', { votes }],
    ['a tie within the seats', 'A B, A B, C', 'A B, 3 majority', { votes }],
    ['a tie across all seats', 'A, B, C', ', 3 split', { votes }],
    ['a tie across the last two of three', 'A B, A C, A D', 'A, 3 unanimous', { votes: 3 }],
    ['one endorser that backs more choices than there are seats', 'A B C', ', 1 split', { votes }],
    [
      'an endorser of more choices than seats backs each, and counts once',
      'A B C, A B',
      'A B, 2 unanimous',
      { votes },
    ],
    ['a withdrawn choice takes no seat', 'A B, A B, A C', 'B C, 3 plurality', { votes, withdrawn: 'A' }],
    ['one seat', 'A, B, B', 'B, 3 majority', { votes: 1 }],
    ['seats unknown: all with more than half', 'A B C, A B D, A', 'A B, 3 majority', { votes: null }],
    ['seats unknown, half is not enough', 'A B, A C', 'A, 2 unanimous', { votes: null }],
    ['seats unknown, no one above half', 'A, A, B, C', ', 4 split', { votes: null }],
    ['seats unknown, no endorsers', '', ', 0 none', { votes: null }],
    ['seats unknown, one endorser', 'A C E', 'A C E, 1 unanimous', { votes: null }],
    ['seats unknown, one withdrawn', 'A B, A, B', 'B, 3 majority', { votes: null, withdrawn: 'A' }],
  ]);
});

describe('approval', () => {
  table('approval', [
    ['no endorsers', '', ', 0 none'],
    ['one endorser', 'C A', 'A C, 1 unanimous'],
    ['all with more than half', 'A B C, A B, A', 'A B, 3 majority'],
    ['all for one choice, and no other above half', 'A B, A C', 'A, 2 unanimous'],
    ['no one above half: the leader', 'A, A, B, C', 'A, 4 plurality'],
    ['no one above half, and a tie', 'A, B', ', 2 split'],
    ['a withdrawn choice with more than half', 'A, A, A B', 'B, 3 plurality', { withdrawn: 'A' }],
    ['a tie above half does not count as a tie', 'A B, A B, C', 'A B, 3 majority'],
  ]);
});

describe('ranked_choice', () => {
  table('ranked_choice', [
    ['no endorsers', '', ', 0 none'],
    ['one endorser: its ranking', 'C>A>B', 'C A B, 1 unanimous'],
    ['equal rankings', 'A>B, A>B', 'A B, 2 unanimous'],
    ['at most as many choices as ranks', 'A>B>C>D, A>B>C>D', 'A B, 2 unanimous', { ranks: 2 }],
    ['more than half', 'A, A, B', 'A B, 3 majority'],
    [
      'votes of an eliminated choice move to the next one: the leader loses',
      'A, A, A, A, B, B, B, C>B, C>B',
      'B A C, 9 plurality',
    ],
    ['half wins only after votes have moved', 'A, A, A, B, B, C>A', 'A B C, 6 plurality'],
    ['more than half wins at once, and the others tie', 'A, A, A, A, A, B>C, B>C, C>B, C>B', 'A, 9 majority'],
    [
      'more than half of the counted rankings, but half of the endorsers',
      'A, A, A, B, B, C',
      'A B, 6 plurality',
      { withdrawn: 'C' },
    ],
    ['of several with more than half, the one with most', 'A B, A B, A', 'A B, 3 unanimous'],
    ['of several with equally many, the one that gains', 'A B, A B, C>B', 'B A C, 3 majority'],
    ['several with equally many to the end', 'A B, A B, C', ', 3 split'],
    ['a tie of two', 'A>B, B>A', ', 2 split'],
    ['a tie of two after the first', 'A>B, A>C', 'A, 2 unanimous'],
    [
      'a tie for last is broken by the previous round',
      'A, A, A, A, B, B, B, C, C, D>C',
      'A B C D, 10 plurality',
    ],
    ['a tie for last is broken by the picks at any rank', 'A>B, A, B, C>A', 'A B C, 4 plurality'],
    [
      'choices that tie for last go out together if they have fewer votes than the next choice',
      'A, A, A, D, D, D, B>A, C>A',
      'A D, 8 plurality',
    ],
    ['those that tie for last have as many votes as the next choice', 'A, A, B>A, C>A', ', 4 split'],
    ['choices that tie for last have more votes than the next choice', 'A, A, A, B, C, D, E', ', 7 split'],
    ['a skipped rank', 'A>>B, A>B>>C', 'A B C, 2 unanimous'],
    ['no first rank: the best rank is the first choice', '>A>B, A>B', 'A B, 2 unanimous'],
    ['no rank at all is a first choice', 'A, A>B', 'A B, 2 unanimous'],
    ['several without a rank are all first choices', 'A B, A C, B', ', 3 split'],
    ['several without a rank, one ahead', 'A B, A', 'A B, 2 unanimous'],
    ['a pick without a rank, then ranked ones', 'A;>B>C, A>B', 'A B C, 2 unanimous'],
    ['a pick without a rank beside a first rank', 'A;B>C, B', 'B A C, 2 unanimous'],
    ['a withdrawn choice is skipped', 'A>B, A>B, C', 'B C, 3 majority', { withdrawn: 'A' }],
    ['endorsers that back only a withdrawn choice', 'A, A', ', 2 split', { withdrawn: 'A' }],
    [
      'a pick without a rank stays ahead of the second rank if the first is withdrawn',
      'C;A>B, B',
      'B C, 2 plurality',
      { withdrawn: 'A' },
    ],
    ['backers of a withdrawn choice prevent unanimity', 'A, B, B', 'B, 3 majority', { withdrawn: 'A' }],
  ]);
});

describe('INV-16: lines of one candidate', () => {
  table('plurality', [
    ['count together', 'A, A, B, B, C, C, C', 'A, 7 majority', { lines: 'AB' }],
    ['count an endorser of several once', 'A B, A B, C, C, C', 'C, 5 majority', { lines: 'AB' }],
    ['are named by the line with most backers', 'A, B, B, C', 'B, 4 majority', { lines: 'AB' }],
    ['are named by the first line in a tie', 'B, A, C', 'A, 3 majority', { lines: 'AB' }],
    ['count only if they stand', 'A, A, B, C, C', 'C, 5 plurality', { lines: 'AB', withdrawn: 'A' }],
    ['may be all that is backed', 'A, B', 'A, 2 unanimous', { lines: 'AB' }],
    ['of two candidates', 'A, C, C, D, B', 'C, 5 majority', { lines: 'AB CD' }],
  ]);
  table('multi_seat', [
    ['take one seat', 'A B C, A B C, D', 'A C, 3 majority', { votes: 2, lines: 'AB' }],
    ['take one seat of an unknown number', 'A B, A C, B C', 'A C, 3 majority', { votes: null, lines: 'AB' }],
  ]);
  table('approval', [['are approved together', 'A, B, C', 'A, 3 majority', { lines: 'AB' }]]);
  table('ranked_choice', [
    ['take one rank, the best', 'C>A>B, B>C', ', 2 split', { lines: 'AB' }],
    ['take one rank, and later lines are dropped', 'A>B>C, A>B>C', 'A C, 2 unanimous', { lines: 'AB' }],
    ['share their first choices', 'A>C, B>C, C', 'A C, 3 majority', { lines: 'AB' }],
    ['share them on the lines that stand', 'A>C, B>C, C', 'C B, 3 majority', { lines: 'AB', withdrawn: 'A' }],
    ['rank by a line that stands', 'A>C>B, C>A', 'C B, 2 unanimous', { lines: 'AB', withdrawn: 'A' }],
  ]);
});

test('INV-16: picks are not mixed up if the ids of endorser and choice have the same digits', () => {
  const choices = [2, 12].map((id) => ({ id, withdrawn: false, candidate: null }));
  const picks = [
    { endorser: 1, choice: 12, rank: null },
    { endorser: 11, choice: 2, rank: null },
  ];
  const contest = {
    vote_method: 'plurality' as const,
    votes_allowed: 1,
    ranks_allowed: null,
    choices,
    picks,
  };
  expect(recommend(contest)).toEqual({ choice_ids: [], endorser_count: 2, agreement: 'split' });
});

describe('a run-off in which choices hold no votes', () => {
  table('ranked_choice', [
    ['lets them go out first, together', 'A>D, A>F, B>E, B>F, C>A', 'A, 5 plurality'],
    ['ends if all that remain hold none', 'A>B, A>C', 'A, 2 unanimous'],
  ]);
});

describe('the order of choices', () => {
  const order = (contest: EndorsedContest) =>
    orderBySupport(contest)
      .map(({ id, endorsement_count, first_choice_count }) =>
        [labelOf(id), endorsement_count, first_choice_count].join(' ').trim(),
      )
      .join(', ');

  test('is by backers, then by ballot order, including withdrawn choices', () => {
    const contest = contestOf('plurality', ['B', 'D', 'D', 'C'], { withdrawn: 'D' });
    expect(order(contest)).toBe('D 2, B 1, C 1, A 0, E 0, F 0');
  });

  test('comes with the counts of first choices among the standing choices if choices are ranked', () => {
    const contest = contestOf('ranked_choice', ['C>A', 'A>B', '>B>C', 'A C'], { withdrawn: 'C' });
    expect(order(contest)).toBe('A 3 3, C 3 0, B 2 1, D 0 0, E 0 0, F 0 0');
  });
});

test('the order of choices keeps lines together, by the backers of those that stand, then by their own', () => {
  const contest = contestOf('plurality', ['A', 'B', 'B', 'D', 'D', 'D', 'E', 'E', 'E', 'E'], {
    lines: 'AB EF',
    withdrawn: 'E',
  });
  expect(orderBySupport(contest).map(({ id }) => labelOf(id))).toEqual(['B', 'A', 'D', 'C', 'E', 'F']);
});
