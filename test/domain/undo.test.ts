import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ContestRules, decidePosition, diffPositions, positionOf } from '../../domain/position.ts';
import { normalizeSubmission } from '../../domain/submission-rules.ts';
import { decideUndo, type UndoablePosition } from '../../domain/undo.ts';
import { MAX_PICKS, type Submission, type SubmittedPick } from '../../schemas/submission.ts';
import { CONTEST, ENDORSER } from '../helpers/ballots/mayoral-submissions.ts';
import { pick } from '../helpers/ballots/submissions.ts';
import { pickOf } from '../helpers/properties/arbitraries.ts';

const RULES: ContestRules = { key: CONTEST, vote_method: 'ranked_choice', hasChoice: () => true };
const held = fc
  .uniqueArray(pickOf(fc.constantFrom('ann', 'bob', 'cy', 'dee')), { selector: ({ choice }) => choice })
  .map((picks) => picks.map((each, index): SubmittedPick => ({ ...each, rank: each.rank && index + 1 })))
  .map((picks) => normalizeSubmission({ action: 'position', endorser: ENDORSER, contest: CONTEST, picks }))
  .filter((stored) => !('code' in stored))
  .map((stored) => (stored as Submission).picks);

const undo = (before: SubmittedPick[], present: SubmittedPick[], more: Partial<UndoablePosition> = {}) =>
  decideUndo({
    ...{ endorser: ENDORSER, before, present, contest: RULES },
    ...{ isMade: true, isChanged: false, isAllowed: true, ...more },
  });

test('the submission that undoes restores every value of the position before, and tells its changes', () => {
  fc.assert(
    fc.property(held, held, (before, present) => {
      const decision = undo(before, present);
      const differs = diffPositions(positionOf(present), positionOf(before)).length > 0;
      expect(decision.outcome).toBe(differs ? 'restored' : 'unneeded');
      if (decision.outcome !== 'restored') return;
      const applied = decidePosition(positionOf(present), decision.submission, RULES);
      if ('code' in applied) throw new Error(applied.message);
      expect(applied.position).toEqual(positionOf(before));
      expect(applied.changes).toEqual(decision.changes);
    }),
  );
});

test('a position that somebody else has changed, or that the submissions have not changed, stays', () => {
  fc.assert(
    fc.property(held, held, fc.boolean(), fc.boolean(), (before, present, isMade, isChanged) => {
      const { outcome } = undo(before, present, { isMade, isChanged });
      expect(outcome === 'restored').toBe(
        isMade && !isChanged && diffPositions(positionOf(present), positionOf(before)).length > 0,
      );
    }),
  );
});

test('a position that stands as before needs no undoing, whoever has changed it since', () => {
  for (const more of [{ isMade: false }, { isChanged: true }]) {
    expect(undo([pick('ann')], [pick('ann')], more)).toEqual({ outcome: 'unneeded' });
  }
});

test('positions that differ in their details alone are equal', () => {
  expect(undo([pick('ann', { details: '{"a":1}' })], [pick('ann')])).toEqual({ outcome: 'unneeded' });
});

describe('a position is left with the reason', () => {
  const [before, present] = [[pick('ann', { rank: 1 })], [pick('bob')]];
  test.each<[string, Partial<UndoablePosition>, RegExp]>([
    ['if the account may no longer publish for the endorser', { isAllowed: false }, /may no longer publish/],
    ['if the contest was removed', { contest: null }, /no longer on the ballot/],
    ['if a choice was removed', { contest: { ...RULES, hasChoice: () => false } }, /no choice "ann"/],
    ['if the contest has no ranks any more', { contest: { ...RULES, vote_method: 'plurality' } }, /rank 1/],
    [
      'if it has more picks than a submission can have',
      { before: Array.from({ length: MAX_PICKS + 1 }, (_, index) => pick(`no-${index}`)) },
      /picks/,
    ],
    [
      'if it is larger than a submission can be',
      {
        before: Array.from({ length: 60 }, (_, at) => pick(`no-${at}`, { statement: 'x'.repeat(19_900) })),
      },
      /bytes/,
    ],
  ])('%s', (_when, more, reason) => {
    const decision = undo(before, present, more);
    expect(decision.outcome).toBe('impossible');
    expect(decision).toMatchObject({ reason: expect.stringMatching(reason) });
  });
});
