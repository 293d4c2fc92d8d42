import { type SubmittedPick, submissionCodec } from '../schemas/submission.ts';
import { pick } from '../test/helpers/ballots/submissions.ts';

/** The endorser, contest and choice of a submission. */
export interface Subject {
  endorser: string;
  contest: string;
  choice: string;
}

/** The message of a submission that endorses a choice. */
export function endorse({ endorser, contest, choice }: Subject, values: Partial<SubmittedPick>) {
  const picks = [pick(choice, values)];
  return { key: endorser, value: submissionCodec.encode({ action: 'endorse', endorser, contest, picks }) };
}
