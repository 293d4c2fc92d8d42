import { showControls } from '../../schemas/show-controls.ts';
import { type Rejection, type Submission, submissionCodec } from '../../schemas/submission.ts';
import { normalizeText } from '../../schemas/text.ts';

/** Decodes a rejected submission, with its names in the form in which the service compares them; null if undecodable. */
export function readSubmission({ value }: Rejection): Submission | null {
  try {
    if (value === null) return null;
    const submission = submissionCodec.decode(value);
    const { endorser, contest } = submission;
    return { ...submission, endorser: normalizeText(endorser), contest: normalizeText(contest) };
  } catch {
    return null;
  }
}

/** A rejection as a line of JSON that a terminal can show. */
export function describeRejection(rejection: Rejection): string {
  const submission = readSubmission(rejection);
  const picks = submission?.picks.map(({ choice }) => choice) ?? [];
  const { topic, partition, offset, code, message } = rejection;
  const origin = { topic, partition, offset };
  const rejected_at = new Date(rejection.rejected_at).toISOString();
  const named = { endorser: submission?.endorser ?? null, contest: submission?.contest ?? null, picks };
  return showControls(JSON.stringify({ code, message, ...named, rejected_at, origin }));
}
