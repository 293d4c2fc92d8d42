import type { Submission, SubmittedPick } from '../../../schemas/submission.ts';
import { pick } from './submissions.ts';

export const ENDORSER = 'bakers-local-1';
export const CONTEST = 'or-2026-11-03-general/mayor';

/** A submission to the mayoral contest. A pick may be the key of its choice. */
export const submit = (action: Submission['action'], ...picks: (SubmittedPick | string)[]): Submission => ({
  action,
  endorser: ENDORSER,
  contest: CONTEST,
  picks: picks.map((each) => (typeof each === 'string' ? pick(each) : each)),
});
