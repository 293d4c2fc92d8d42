import { joinField, type Problem, showValue } from '../../schemas/problems.ts';
import { normalizeText } from '../../schemas/text.ts';
import { type BallotKeys, findBallotKeys } from '../../store/access/ballot-ids.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';

type Json = Readonly<Record<string, unknown>>;

/** The largest id that a record can have. */
const MAX_ID = 2_147_483_647;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID;
const picksOf = (submission: Json): readonly unknown[] =>
  Array.isArray(submission.picks) ? submission.picks : [submission];

/** Keys are compared in the form in which they are stored. */
const inOneForm = (key: unknown): unknown => (typeof key === 'string' ? normalizeText(key) : key);

/** Replaces the choice's id of a pick. @returns the pick, and its problem or null */
function namePick(
  pick: Json,
  contest: unknown,
  { choices }: BallotKeys,
): { pick: Json; problem: Problem | null } {
  if (typeof pick.choice !== 'number') return { pick, problem: null };
  const found = choices.get(pick.choice);
  if (found && found.contest === contest) return { pick: { ...pick, choice: found.key }, problem: null };
  const why =
    contest === undefined ? ', because the contest is missing' : ` of the contest ${showValue(contest)}`;
  const message = `is ${showValue(pick.choice)}, which is the id of no choice${why}`;
  return { pick, problem: { field: 'choice', message } };
}

/** Replaces the ids in a submission by keys. @returns the submission and its problems */
function nameSubmission(submission: Json, keys: BallotKeys): { named: Json; problems: Problem[] } {
  const { contest: given } = submission;
  const contest = typeof given === 'number' ? keys.contests.get(given) : inOneForm(given);
  if (contest === undefined && given !== undefined) {
    const message = `is ${showValue(given)}, which is the id of no contest`;
    return { named: submission, problems: [{ field: 'contest', message }] };
  }
  const problems: Problem[] = [];
  const name = (pick: unknown, at: string | null): unknown => {
    if (!isObject(pick)) return pick;
    const result = namePick(pick, contest, keys);
    if (result.problem) {
      const { field, message } = result.problem;
      problems.push({ field: at === null ? field : joinField(at, field ?? ''), message });
    }
    return result.pick;
  };
  const named = { ...submission, ...(given !== undefined && { contest }) };
  if (!Array.isArray(submission.picks)) return { named: name(named, null) as Json, problems };
  return {
    named: { ...named, picks: submission.picks.map((pick, index) => name(pick, `picks[${index}]`)) },
    problems,
  };
}

/**
 * Replaces the ids of contests and choices in submissions, as the read API has them, by their keys. Everything else stays,
 * and is checked afterwards.
 *
 * @param given submissions as a client sends them, of any shape
 * @returns for each submission, what it is then and the problems of its ids
 */
export async function nameIds(
  pool: DatabasePool,
  given: readonly unknown[],
): Promise<{ named: unknown; problems: Problem[] }[]> {
  const objects = given.filter(isObject);
  const contests = objects.map(({ contest }) => contest).filter(isId);
  const choices = objects
    .flatMap(picksOf)
    .flatMap((pick) => (isObject(pick) && isId(pick.choice) ? [pick.choice] : []));
  const keys =
    contests.length + choices.length === 0
      ? { contests: new Map(), choices: new Map() }
      : await findBallotKeys(pool, { contests, choices });
  return given.map((each) => (isObject(each) ? nameSubmission(each, keys) : { named: each, problems: [] }));
}
