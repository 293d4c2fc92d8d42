import type { ClientBase } from 'pg';
import { describeUnknown } from '../../domain/nearest-names.ts';
import { findUnpublished } from '../../domain/publication.ts';
import { findRoundedNumber } from '../../schemas/json-numbers.ts';
import { shorten } from '../../schemas/problems.ts';
import type { Submission } from '../../schemas/submission.ts';
import { parsePublished } from '../../schemas/submission-files.ts';
import { listEndorserSlugs } from '../../store/accounts/endorsers.ts';
import { listChoiceKeys, listContestKeys, listElectionSlugs } from '../../store/endorsements/known-names.ts';

/** The most unknown choices that are explained. */
const MAX_CHOICES = 10;

/** A corrected submission, or what is wrong with it, in sentences. */
export type CheckedCorrection = { correction: Submission } | { problems: string[] };

/**
 * Reads a submission that a person has written as JSON, and checks that its endorser, contest and choices exist.
 *
 * @param now milliseconds since 1970
 */
export async function checkCorrection(
  client: ClientBase,
  text: string,
  now: number,
): Promise<CheckedCorrection> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problems: [`This is not JSON: ${(error as Error).message}.`] };
  }
  const rounded = findRoundedNumber(text);
  if (rounded !== null) {
    const number = shorten(rounded);
    return { problems: [`The number ${number} would be rounded: write it as a text, in quotation marks.`] };
  }
  const parsed = parsePublished(json);
  const problems = parsed.ok ? findUnpublished(parsed.value, now) : parsed.problems;
  if (!parsed.ok || problems.length > 0) {
    return { problems: problems.map(({ field, message }) => `${field ?? 'The submission'} ${message}.`) };
  }
  const unknown = await findUnknown(client, parsed.value);
  return unknown.length > 0 ? { problems: unknown } : { correction: parsed.value };
}

function describe(kind: string, name: string, known: readonly string[]): string[] {
  return known.includes(name) ? [] : [describeUnknown(kind, name, known)];
}

async function findUnknown(client: ClientBase, { endorser, contest, picks }: Submission): Promise<string[]> {
  const problems = describe('endorser', endorser, await listEndorserSlugs(client));
  const election = contest.split('/', 1)[0] ?? '';
  const contests = await listContestKeys(client, election);
  if (contests.length === 0)
    return [...problems, ...describe('election', election, await listElectionSlugs(client))];
  const unknownContest = describe('contest', contest, contests);
  if (unknownContest.length > 0) return [...problems, ...unknownContest];
  const choices = await listChoiceKeys(client, contest);
  const unknown = picks.flatMap(({ choice }) => describe('choice', choice, choices));
  return [...problems, ...unknown.slice(0, MAX_CHOICES)];
}
