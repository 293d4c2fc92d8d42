import { type Submission, type SubmittedPick, submissionCodec } from '../schemas/submission.ts';
import { type ContestRules, decidePosition, diffPositions, type PickChange, positionOf } from './position.ts';
import { normalizeSubmission, refuseLarge } from './submission-rules.ts';

/** A position that submissions may have changed. */
export interface UndoablePosition {
  /** The endorser's slug. */
  endorser: string;
  /** The picks before the submissions, and now. */
  before: readonly SubmittedPick[];
  present: readonly SubmittedPick[];
  /** Whether one of the submissions made a change. */
  isMade: boolean;
  /** Whether anybody else has changed the position since `before`. Edits of the catalogue do not count. */
  isChanged: boolean;
  /** Whether the account may publish for the endorser. */
  isAllowed: boolean;
  /** Null if the contest was removed. */
  contest: ContestRules | null;
}

export type UndoDecision =
  /** It stands as it did before. */
  | { outcome: 'unneeded' }
  /** Somebody else has changed it since, so it stays. */
  | { outcome: 'changed' }
  /** The position before is no longer possible. */
  | { outcome: 'impossible'; reason: string }
  /** The submission restores it, with these changes. */
  | { outcome: 'restored'; submission: Submission; changes: PickChange[] };

/**
 * Decides how to restore a position. It is restored only if the submissions are the last ones that changed it. `details`
 * alone make no difference, because no event tells who has changed them.
 */
export function decideUndo(position: UndoablePosition): UndoDecision {
  const { endorser, isMade, isChanged, isAllowed, contest } = position;
  const [before, present] = [positionOf(position.before), positionOf(position.present)];
  if (diffPositions(present, before).length === 0) return { outcome: 'unneeded' };
  if (!isMade || isChanged) return { outcome: 'changed' };
  const impossible = (reason: string): UndoDecision => ({ outcome: 'impossible', reason });
  if (!isAllowed) return impossible('The account may no longer publish for this endorser.');
  if (contest === null) return impossible('The contest is no longer on the ballot.');
  const submission = {
    action: 'position' as const,
    endorser,
    contest: contest.key,
    picks: [...before.values()],
  };
  const checked = normalizeSubmission(submission);
  if ('code' in checked) return impossible(checked.message);
  const refusal = refuseLarge(submissionCodec.encode(checked).length);
  if (refusal) return impossible(refusal.message);
  const decided = decidePosition(present, checked, contest);
  if ('code' in decided) return impossible(decided.message);
  return { outcome: 'restored', submission: checked, changes: decided.changes };
}
