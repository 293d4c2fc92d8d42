import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ContestRules,
  type Decision,
  decidePosition,
  diffPositions,
  type PickChange,
  type Position,
} from '../../domain/position.ts';
import { SUBMISSION_ACTIONS, type Submission, type SubmittedPick } from '../../schemas/submission.ts';
import type { CHANGE_TYPES } from '../../schemas/vocabulary.ts';
import { CONTEST, ENDORSER } from '../helpers/ballots/mayoral-submissions.ts';
import { pickOf } from '../helpers/properties/arbitraries.ts';

/** Few ranks, so that they collide. */
const pick = pickOf(fc.constantFrom('ann', 'bob', 'cy', 'dee')).map(
  (any): SubmittedPick => ({ ...any, rank: any.rank && 1 + (any.rank % 5) }),
);
const picks = fc.uniqueArray(pick, { selector: ({ choice }) => choice });
const toPosition = (list: readonly SubmittedPick[]): Position =>
  new Map(list.map((each) => [each.choice, each]));
const position = picks.map(toPosition);
const submission: fc.Arbitrary<Submission> = fc
  .tuple(fc.constantFrom(...SUBMISSION_ACTIONS), picks, pick)
  .map(([action, all, one]) => ({
    action,
    endorser: ENDORSER,
    contest: CONTEST,
    picks: action === 'position' ? all : [one],
  }));
const RULES: ContestRules = { key: CONTEST, vote_method: 'ranked_choice', hasChoice: () => true };

/** The position of a client that applies the changes. */
function follow(before: Position, changes: readonly PickChange[]): Position {
  const held = new Map(before);
  for (const { type, pick: changed } of changes) {
    expect(held.has(changed.choice)).toBe(type !== 'created');
    if (type === 'deleted') {
      expect(changed).toEqual(held.get(changed.choice));
      held.delete(changed.choice);
    } else held.set(changed.choice, changed);
  }
  return held;
}

const withoutDetails = (held: Position) =>
  new Map([...held].map(([choice, { details: _, ...visible }]) => [choice, visible]));

/** The outcome of a submission; skips refused ones. */
function decide(before: Position, submitted: Submission): Decision {
  const decision = decidePosition(before, submitted, RULES);
  fc.pre(!('code' in decision));
  return decision as Decision;
}

test('applying the changes to the position before gives the position after', () => {
  fc.assert(
    fc.property(position, position, (before, after) => {
      expect(withoutDetails(follow(before, diffPositions(before, after)))).toEqual(withoutDetails(after));
    }),
  );
});

test('each choice changes at most once: deletions, then updates, then additions', () => {
  fc.assert(
    fc.property(position, position, (before, after) => {
      const changes = diffPositions(before, after);
      const rank = { deleted: 0, updated: 1, created: 2 } satisfies Record<
        (typeof CHANGE_TYPES)[number],
        number
      >;
      const order = changes.map(({ type }) => rank[type]);
      expect(order).toEqual(order.toSorted());
      expect(new Set(changes.map((change) => change.pick.choice)).size).toBe(changes.length);
    }),
  );
});

test('INV-9: a submission that is applied twice changes nothing the second time', () => {
  fc.assert(
    fc.property(position, submission, (before, submitted) => {
      const { position: after } = decide(before, submitted);
      expect(decide(after, submitted)).toEqual({ changes: [], position: after });
    }),
  );
});

test('the changes of a decision lead to its position, and the position before is not modified', () => {
  fc.assert(
    fc.property(picks, submission, (held, submitted) => {
      const before = toPosition(held);
      const { changes, position: after } = decide(before, submitted);
      expect(withoutDetails(follow(before, changes))).toEqual(withoutDetails(after));
      expect(before).toEqual(toPosition(held));
    }),
  );
});

test('no two picks ever share a rank', () => {
  fc.assert(
    fc.property(fc.array(submission, { maxLength: 10 }), (submitted) => {
      let held: Position = new Map();
      for (const each of submitted) {
        const decision = decidePosition(held, each, RULES);
        if ('code' in decision) continue;
        held = decision.position;
        const ranks = [...held.values()].flatMap(({ rank }) => (rank === null ? [] : [rank]));
        expect(new Set(ranks).size).toBe(ranks.length);
      }
    }),
  );
});
