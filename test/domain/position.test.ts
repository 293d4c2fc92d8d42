import { describe, expect, test } from '@jest/globals';
import { type ContestRules, type Decision, decidePosition, type Position } from '../../domain/position.ts';
import type { Submission, SubmittedPick } from '../../schemas/submission.ts';
import type { VoteMethod } from '../../schemas/vocabulary.ts';
import { CONTEST, submit } from '../helpers/ballots/mayoral-submissions.ts';
import { pick } from '../helpers/ballots/submissions.ts';

const CHOICES = ['ann', 'bob', 'cy', 'dee'];
const contest = (vote_method: VoteMethod): ContestRules => ({
  key: CONTEST,
  vote_method,
  hasChoice: (choice) => CHOICES.includes(choice),
});
const holding = (...picks: SubmittedPick[]): Position => new Map(picks.map((each) => [each.choice, each]));
const first = pick('ann', { rank: 1 });
const second = pick('bob', { rank: 2 });

/** The changes as text, such as "created ann". */
function decide(before: Position, submission: Submission, method: VoteMethod = 'ranked_choice'): string[] {
  const decision = decidePosition(before, submission, contest(method));
  if ('code' in decision) return [`refused ${decision.code}`];
  return decision.changes.map(({ type, pick: { choice } }) => `${type} ${choice}`);
}

describe('a submission changes a position', () => {
  test.each<[string, Position, Submission, string[]]>([
    ['endorse: a new choice is created', holding(first), submit('endorse', second), ['created bob']],
    ['endorse: an equal pick changes nothing', holding(first), submit('endorse', first), []],
    ['endorse: different values update the pick', holding(first), submit('endorse', 'ann'), ['updated ann']],
    ['endorse: other picks stay', holding(first, second), submit('endorse', 'cy'), ['created cy']],
    [
      'withdraw: a held choice is deleted',
      holding(first, second),
      submit('withdraw', 'ann'),
      ['deleted ann'],
    ],
    ['withdraw: another choice changes nothing', holding(first), submit('withdraw', 'bob'), []],
    [
      'position: all picks of a new position are created',
      holding(),
      submit('position', first, second),
      ['created ann', 'created bob'],
    ],
    [
      'position: a different order changes nothing',
      holding(first, second),
      submit('position', second, first),
      [],
    ],
    [
      'position: no picks withdraw the whole position',
      holding(first, second),
      submit('position'),
      ['deleted ann', 'deleted bob'],
    ],
    ['position: no picks leave an empty position unchanged', holding(), submit('position'), []],
    [
      'position: deletions come first, then updates, then additions',
      holding(first, second, pick('cy')),
      submit('position', pick('dee', { rank: 1 }), pick('bob', { rank: 3 })),
      ['deleted ann', 'deleted cy', 'updated bob', 'created dee'],
    ],
    [
      'position: two choices swap their ranks',
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

  test('details are stored without an event', () => {
    const detailed = pick('ann', { details: '{"a":1}' });
    const decision = decidePosition(
      holding(first),
      submit('endorse', { ...detailed, rank: 1 }),
      contest('ranked_choice'),
    );
    expect(decision).toEqual({ changes: [], position: holding({ ...detailed, rank: 1 }) });
  });

  test('a deletion has the last values, an update the new ones', () => {
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

describe('refuses', () => {
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

  test('a refused rank is named with its choice and its contest', () => {
    const rules = { key: CONTEST, vote_method: 'approval' as const, hasChoice: () => true };
    expect(decidePosition(holding(), submit('endorse', first), rules)).toEqual({
      code: 'rank_not_allowed',
      message: `rank 1 is given for "ann", but contest ${CONTEST} is approval: only ranked_choice has ranks.`,
    });
  });

  test('no withdrawal because of the rank that it repeats', () => {
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

  test('no picks without ranks, and no pick that keeps its rank', () => {
    expect(decide(holding(pick('ann')), submit('endorse', 'bob'))).toEqual(['created bob']);
    expect(decide(holding(first), submit('endorse', { ...first, statement: 'why' }))).toEqual([
      'updated ann',
    ]);
  });
});
