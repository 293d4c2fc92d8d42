import { showValue } from '../schemas/problems.ts';
import { MAX_SUBMISSION_BYTES, type Submission } from '../schemas/submission.ts';
import { checkSubmission } from '../schemas/submission-files.ts';
import type { Refusal } from './refusal.ts';

/** The refusal of a submission by its size in bytes, before it is decoded; undefined if the size is allowed. */
export function refuseLarge(bytes: number): Refusal | undefined {
  if (bytes <= MAX_SUBMISSION_BYTES) return undefined;
  const [most, size] = [MAX_SUBMISSION_BYTES, bytes].map((count) => count.toLocaleString('en-US'));
  return { code: 'too_large', message: `A submission may have ${most} bytes, and this has ${size}.` };
}

/**
 * The refusal of a well-formed submission whose record has another key than the endorser's slug; undefined if the key
 * is right. Kafka keeps order by key, so another key would let an endorser's submissions overtake each other.
 */
export function refuseWrongKey({ endorser }: Submission, key: Buffer | null): Refusal | undefined {
  if (key?.equals(Buffer.from(endorser))) return undefined;
  const given = key === null ? 'missing' : showValue(key.toString());
  const message = `The record's key must be its endorser's slug, ${showValue(endorser)}, is ${given}.`;
  return { code: 'wrong_key', message };
}

/**
 * A submission with its texts in their one form (contract, "Text"), or its refusal if it is malformed, independent of the
 * catalogue. The message lists every problem with its field, the expected form and the given value.
 */
export function normalizeSubmission(submission: Submission): Submission | Refusal {
  const parsed = checkSubmission(submission);
  if (parsed.ok) return parsed.value;
  const sentences = parsed.problems.map(({ field, message }) =>
    field === null ? `It ${message}` : `${field} ${message}`,
  );
  return { code: 'invalid_submission', message: `${sentences.join('; ')}.` };
}
