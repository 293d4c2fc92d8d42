import * as field from './catalogue/fields.ts';
import { createRecordCheck, trimUrl } from './catalogue/record-check.ts';
import { joinField, type Parsed, type Problem, showValue } from './problems.ts';
import { SUBMISSION_ACTIONS, type Submission, type SubmittedPick } from './submission.ts';

const MAX_PICKS = 500;

const pickFields = {
  choice: field.key,
  rank: field.optional(field.positiveInteger),
  statement: field.optional(field.longText),
  statement_es: field.optional(field.longText),
  source_url: field.optional(field.url),
  published_on: field.optional(field.date),
  details: field.optional(field.anyObject),
};
const positionPick = field.record(pickFields);
type PickRecord = field.Accepted<typeof positionPick>;

const onePick = field.record({
  action: field.optional(field.oneOf(['endorse', 'withdraw'], `one of ${SUBMISSION_ACTIONS.join(', ')}`)),
  endorser: field.slug,
  contest: field.contestKey,
  ...pickFields,
});
const position = field.record({
  action: field.oneOf(['position']),
  endorser: field.slug,
  contest: field.contestKey,
  picks: field.listOf(positionPick, MAX_PICKS),
});

/** A line of an endorsements file: one pick endorsed or withdrawn, or an endorser's whole position in a contest. */
export type SubmissionRecord = field.Accepted<typeof onePick> | field.Accepted<typeof position>;

const checkOnePick = createRecordCheck(onePick);
const checkPosition = createRecordCheck(position, ({ picks }) => [
  ...repeats(picks, 'choice'),
  ...repeats(picks, 'rank'),
]);

/** Two picks of one choice, or of one rank, contradict each other. */
function repeats(picks: PickRecord[], name: 'choice' | 'rank'): Problem[] {
  const first = new Map<string | number, number>();
  return picks.flatMap((pick, index) => {
    const value = pick[name];
    if (value === null || value === undefined) return [];
    const earlier = first.get(value);
    if (earlier === undefined) {
      first.set(value, index);
      return [];
    }
    const message = `must be unique in the position, is ${showValue(value)} as in picks[${earlier}]`;
    return [{ field: joinField(`picks[${index}]`, name), message }];
  });
}

function createPick(pick: PickRecord): SubmittedPick {
  const details = pick.details && Object.keys(pick.details).length > 0 ? JSON.stringify(pick.details) : null;
  return {
    choice: pick.choice,
    rank: pick.rank ?? null,
    statement: pick.statement ?? null,
    statement_es: pick.statement_es ?? null,
    source_url: trimUrl(pick.source_url),
    published_on: pick.published_on ?? null,
    details,
  };
}

/**
 * Checks the value of one line of an endorsements file, in any of its three forms (contract, "Catalogue and submission
 * files"), and makes it the submission that goes to Kafka. Whether the names in it resolve is not known here.
 */
export function parseSubmission(json: unknown): Parsed<Submission> {
  if (typeof json === 'object' && json !== null && (json as { action?: unknown }).action === 'position') {
    const parsed = checkPosition(json);
    if (!parsed.ok) return parsed;
    const { endorser, contest, picks } = parsed.value;
    return { ok: true, value: { action: 'position', endorser, contest, picks: picks.map(createPick) } };
  }
  const parsed = checkOnePick(json);
  if (!parsed.ok) return parsed;
  const { action, endorser, contest, ...pick } = parsed.value;
  return { ok: true, value: { action: action ?? 'endorse', endorser, contest, picks: [createPick(pick)] } };
}
