import type { Submission, SubmittedPick } from '../../schemas/submission.ts';

export const ENDORSER = 'bakers-local-1';
export const CONTEST = 'or-2026-11-03-general/mayor';

/** A pick of a choice without other values, unless they are given. */
export const pick = (choice: string, overrides: Partial<SubmittedPick> = {}): SubmittedPick => ({
  choice,
  rank: null,
  statement: null,
  statement_es: null,
  source_url: null,
  published_on: null,
  details: null,
  ...overrides,
});

/** A submission to the contest of these tests. A pick may be given by the key of its choice. */
export const submit = (action: Submission['action'], ...picks: (SubmittedPick | string)[]): Submission => ({
  action,
  endorser: ENDORSER,
  contest: CONTEST,
  picks: picks.map((each) => (typeof each === 'string' ? pick(each) : each)),
});
