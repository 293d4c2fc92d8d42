import { checkCorrection } from '../../../administration/rejections/check-correction.ts';
import { readSubmission } from '../../../administration/rejections/describe.ts';
import { decidePosition, type PickChange } from '../../../domain/position.ts';
import { findRoundedNumber } from '../../../schemas/json-numbers.ts';
import { shorten } from '../../../schemas/problems.ts';
import type { Rejection, Submission } from '../../../schemas/submission.ts';
import { writeSubmission } from '../../../schemas/submission-files.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { findOwnPosition, type OwnPosition } from '../../../store/console/own-positions.ts';
import { findContestId } from '../../../store/endorsements/known-names.ts';
import type { ConsoleContext } from '../context.ts';
import type { PageRequest } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readPosition } from '../publishing/position-form.ts';
import { type FoundRejection, findOneIn } from './rejection.ts';

/** The largest submission that the form takes, in characters of JSON. */
export const MAX_JSON = 100_000;

/** A rejected submission that can be corrected. */
export interface Correctable extends Omit<FoundRejection, 'named'> {
  item: Rejection;
  submission: Submission;
  /** The contest, if the submission is a whole position in one that exists; otherwise it is corrected as JSON. */
  position: OwnPosition | null;
}

/** @throws PageError 404 if there is no such rejection, 409 if it cannot be corrected or its name is ambiguous */
export async function findCorrectable(request: PageRequest, context: ConsoleContext): Promise<Correctable> {
  const { item, ...rest } = await findOneIn(request, context);
  const submission = readSubmission(item);
  if (!submission || item.truncated) {
    throw new PageError(409, 'It cannot be corrected here: its producer must send it.');
  }
  if (JSON.stringify(writeSubmission(submission)).length > MAX_JSON) {
    throw new PageError(409, 'It is too large to be corrected here: its producer must send it.');
  }
  const details = submission.picks.map((pick) => pick.details ?? '{}');
  const number = details.map(findRoundedNumber).find((rounded) => rounded !== null);
  if (number !== undefined) {
    throw new PageError(
      409,
      `It cannot be corrected here: its details have the number ${shorten(number)}, which would be rounded. Its producer must send it.`,
    );
  }
  const { action, endorser, contest, picks } = submission;
  const isPosition = action === 'position' && item.code !== 'unknown_endorser';
  const contestId = isPosition ? await findContestId(context.pool, contest) : null;
  const found = contestId && (await findOwnPosition(context.pool, { endorser, contestId, since: null }));
  return { item, ...rest, submission, position: found ? { ...found, picks } : null };
}

/** The correction that a form has. */
export async function readCorrection(
  { form }: PageRequest,
  { pool, clock }: ConsoleContext,
  { submission, position }: Correctable,
): Promise<{ correction: Submission } | { problems: string[] }> {
  const now = clock.now();
  let json = form.get('json') ?? '';
  if (!form.has('json') && position !== null) {
    const { endorser, contest } = submission;
    const { picks, problems } = readPosition(form, position, { endorser, now });
    if (problems.length > 0) return { problems };
    json = JSON.stringify(writeSubmission({ action: 'position', endorser, contest, picks }));
  }
  return inTransaction(pool, (client) => checkCorrection(client, json, now));
}

/** A correction, the position that it concerns, and the changes that it would make. */
export interface Effect {
  correction: Submission;
  position: OwnPosition;
  changes: PickChange[];
}

/**
 * Finds out what a correction would change.
 *
 * @param since the version of the position that the person has seen; null for none
 * @returns a sentence if it would be rejected again
 */
export async function findEffect(
  { pool }: ConsoleContext,
  correction: Submission,
  since: number | null,
): Promise<Effect | string> {
  const { endorser, contest } = correction;
  const contestId = await findContestId(pool, contest);
  const position = contestId && (await findOwnPosition(pool, { endorser, contestId, since }));
  if (!position) return `There is no contest ${contest} any more.`;
  const keys = new Set(position.choices.map(({ key }) => key));
  const decided = decidePosition(new Map(position.picks.map((pick) => [pick.choice, pick])), correction, {
    key: contest,
    vote_method: position.vote_method,
    hasChoice: (choice) => keys.has(choice),
  });
  return 'code' in decided ? decided.message : { correction, position, changes: decided.changes };
}
