import { describe, expect, test } from '@jest/globals';
import { type ContestRules, type Decision, decidePosition, type Position } from '../../domain/position.ts';
import type { Submission, SubmittedPick } from '../../schemas/submission.ts';
import type { VoteMethod } from '../../schemas/vocabulary.ts';
import { CONTEST, pick, submit } from './submission-helpers.ts';

const CHOICES = ['ann', 'bob', 'cy', 'dee'];
const contest = (vote_method: VoteMethod): ContestRules => ({
  key: CONTEST,
  vote_method,
  hasChoice: (choice) => CHOICES.includes(choice),
});
const holding = (...picks: SubmittedPick[]): Position => new Map(picks.map((each) => [each.choice, each]));
const first = pick('ann', { rank: 1 });
const second = pick('bob', { rank: 2 });

/** The changes as words, such as "created ann". */
function decide(before: Position, submission: Submission, method: VoteMethod = 'ranked_choice'): string[] {
  const decision = decidePosition(before, submission, contest(method));
  if ('code' in decision) return [`refused ${decision.code}`];
  return decision.changes.map(({ type, pick: { choice } }) => `${type} ${choice}`);
}

describe('what a submission does to a position', () => {
  test.each<[string, Position, Submission, string[]]>([
    ['endorse: a choice not held is created', holding(first), submit('endorse', second), ['created bob']],
    ['endorse: a choice held as it is changes nothing', holding(first), submit('endorse', first), []],
    ['endorse: other values update it', holding(first), submit('endorse', 'ann'), ['updated ann']],
    ['endorse: the others stay', holding(first, second), submit('endorse', 'cy'), ['created cy']],
    [
      'withdraw: a choice held is deleted',
      holding(first, second),
      submit('withdraw', 'ann'),
      ['deleted ann'],
    ],
    ['withdraw: a choice not held changes nothing', holding(first), submit('withdraw', 'bob'), []],
    [
      'position: out of nothing, all is created',
      holding(),
      submit('position', first, second),
      ['created ann', 'created bob'],
    ],
    [
      'position: the same in another order changes nothing',
      holding(first, second),
      submit('position', second, first),
      [],
    ],
    [
      'position: no picks withdraw it whole',
      holding(first, second),
      submit('position'),
      ['deleted ann', 'deleted bob'],
    ],
    ['position: no picks where none are held change nothing', holding(), submit('position'), []],
    [
      'position: deletions come first, then updates, then additions',
      holding(first, second, pick('cy')),
      submit('position', pick('dee', { rank: 1 }), pick('bob', { rank: 3 })),
      ['deleted ann', 'deleted cy', 'updated bob', 'created dee'],
    ],
    [
      'position: two exchange their ranks',
      holding(first, second),
      submit('position', pick('ann', { rank: 2 }), pick('bob', { rank: 1 })),
      ['updated ann', 'updated bob'],
    ],
  ])('%s', (_, before, submission, expected) => {
    expect(decide(before, submission)).toEqual(expected);
  });

  test.each<Partial<SubmittedPick>>([
    { rank: 2 },
    { statement: 'why' },
    { statement: '' },
    { statement_es: 'por qué' },
    { source_url: 'https://a.example' },
    { published_on: '2026-09-01' },
  ])('%j of a pick is visible: a change of it is an update', (overrides) => {
    const changed = pick('ann', overrides);
    expect(decide(holding(pick('ann')), submit('endorse', changed))).toEqual(['updated ann']);
    expect(decide(holding(changed), submit('endorse', 'ann'))).toEqual(['updated ann']);
  });

  test('details are kept and make no event', () => {
    const detailed = pick('ann', { details: '{"a":1}' });
    const decision = decidePosition(
      holding(first),
      submit('endorse', { ...detailed, rank: 1 }),
      contest('ranked_choice'),
    );
    expect(decision).toEqual({ changes: [], position: holding({ ...detailed, rank: 1 }) });
  });

  test('a deletion carries the values that were held, an update the new ones', () => {
    const held = pick('ann', { statement: 'old' });
    const wanted = pick('ann', { statement: 'new' });
    const changesOf = (submission: Submission) =>
      (decidePosition(holding(held), submission, contest('plurality')) as Decision).changes;
    expect(changesOf(submit('withdraw', wanted))).toEqual([{ type: 'deleted', pick: held }]);
    expect(changesOf(submit('endorse', wanted))).toEqual([{ type: 'updated', pick: wanted }]);
  });

  test('an endorser may back more choices than can win', () => {
    expect(decide(holding(pick('ann')), submit('endorse', 'bob'), 'plurality')).toEqual(['created bob']);
  });
});

describe('what is refused', () => {
  test.each<Submission['action']>(['endorse', 'withdraw', 'position'])(
    '%s of an unknown choice',
    (action) => {
      expect(decidePosition(holding(), submit(action, 'eve'), contest('plurality'))).toEqual({
        code: 'unknown_choice',
        message: `Contest ${CONTEST} has no choice "eve".`,
      });
    },
  );

  test.each<[VoteMethod, string[]]>([
    ['plurality', ['refused rank_not_allowed']],
    ['multi_seat', ['refused rank_not_allowed']],
    ['approval', ['refused rank_not_allowed']],
    ['yes_no', ['refused rank_not_allowed']],
    ['ranked_choice', ['created ann']],
  ])('a rank in a contest that is %s: %j', (method, expected) => {
    expect(decide(holding(), submit('endorse', first), method)).toEqual(expected);
    expect(decide(holding(), submit('position', first), method)).toEqual(expected);
  });

  test('a rank that a withdrawal repeats is of no account', () => {
    expect(decide(holding(pick('ann')), submit('withdraw', first), 'plurality')).toEqual(['deleted ann']);
  });

  test('a rank that another choice holds', () => {
    expect(
      decidePosition(holding(first), submit('endorse', pick('bob', { rank: 1 })), contest('ranked_choice')),
    ).toEqual({
      code: 'rank_taken',
      message: 'rank 1 would be held by both "ann" and "bob"; submit the whole position to reorder it.',
    });
  });

  test('no rank can be shared by many, and a pick can keep its own', () => {
    expect(decide(holding(pick('ann')), submit('endorse', 'bob'))).toEqual(['created bob']);
    expect(decide(holding(first), submit('endorse', { ...first, statement: 'why' }))).toEqual([
      'updated ann',
    ]);
  });
});
