import type { Submission } from '../schemas/submission.ts';
import { checkSubmission } from '../schemas/submission-files.ts';
import type { Refusal } from './refusal.ts';

/**
 * The refusal of a submission that is malformed whatever the catalogue holds, or undefined for one that is not. Every
 * problem is named: the field, what it must be, and what it is.
 */
export function refuseMalformed(submission: Submission): Refusal | undefined {
  const problems = checkSubmission(submission);
  if (problems.length === 0) return undefined;
  const sentences = problems.map(({ field, message }) =>
    field === null ? `It ${message}` : `${field} ${message}`,
  );
  return { code: 'invalid_submission', message: `${sentences.join('; ')}.` };
}
