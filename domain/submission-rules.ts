import type { Submission } from '../schemas/submission.ts';
import { checkSubmission } from '../schemas/submission-files.ts';
import type { Refusal } from './refusal.ts';

/**
 * The refusal of a submission that is malformed, independent of the catalogue; undefined if it is
 * well-formed. The message lists every problem with its field, the expected form and the given value.
 */
export function refuseMalformed(submission: Submission): Refusal | undefined {
  const problems = checkSubmission(submission);
  if (problems.length === 0) return undefined;
  const sentences = problems.map(({ field, message }) =>
    field === null ? `It ${message}` : `${field} ${message}`,
  );
  return { code: 'invalid_submission', message: `${sentences.join('; ')}.` };
}
