import type { TObject, TString } from 'typebox';
import * as field from './catalogue/fields.ts';
import { createRecordCheck } from './catalogue/record-check.ts';
import { parseAsWritten } from './json-numbers.ts';
import { joinField, type Parsed, type Problem, showValue } from './problems.ts';
import { MAX_PICKS, SUBMISSION_ACTIONS, type Submission, type SubmittedPick } from './submission.ts';

function createForms(sourceUrl: TString) {
  const pickFields = {
    choice: field.described('The key of the choice.', field.key),
    rank: field.described('1, 2, 3… in ranked-choice contests.', field.optional(field.positiveInteger)),
    statement: field.described("The endorser's own words.", field.optional(field.longText)),
    statement_es: field.optional(field.longText),
    source_url: field.described('The page on which it was published.', field.optional(sourceUrl)),
    published_on: field.described('The day on which it was published.', field.optional(field.date)),
    details: field.described('Anything else. Kept, and not shown.', field.optional(field.anyObject)),
  };
  const named = {
    endorser: field.described('The slug of the endorser.', field.slug),
    contest: field.described('The key of the contest.', field.contestKey),
  };
  const onePick = field.record({
    action: field.described(
      'What to do with the pick; `endorse` by default.',
      field.optional(field.oneOf(['endorse', 'withdraw'], `one of ${SUBMISSION_ACTIONS.join(', ')}`)),
    ),
    ...named,
    ...pickFields,
  });
  const position = field.record({
    action: field.described(
      'Replaces the position of the endorser in the contest.',
      field.oneOf(['position']),
    ),
    ...named,
    picks: field.described(
      'All picks; none withdraws all.',
      field.listOf(field.record(pickFields), MAX_PICKS),
    ),
  });
  return { onePick, position };
}

function createChecks({ onePick, position }: Forms) {
  return {
    onePick: createRecordCheck(onePick),
    position: createRecordCheck(position, ({ picks }) => [
      ...repeats(picks, 'choice'),
      ...repeats(picks, 'rank'),
    ]),
  };
}

type Forms = ReturnType<typeof createForms>;
type PositionRecord = field.Accepted<Forms['position']>;
type PickRecord = PositionRecord['picks'][number];

/** A line of an endorsements file: one pick endorsed or withdrawn, or an endorser's whole position in a contest. */
export type SubmissionLine = field.Accepted<Forms['onePick']> | PositionRecord;

/**
 * In a file, the source may be words instead of an address. Real files have such lines, and one line should
 * not stop a whole file: the lines are sent, and the service rejects them one by one. Both checks refuse
 * addresses that are not http or https.
 */
const fileChecks = createChecks(createForms(field.sourceText));
/** A line whose source is an address, as one pick or as a position. */
export const submissionForms = createForms(field.url);
const serviceChecks = createChecks(submissionForms);

/** Finds picks that repeat the choice or the rank of an earlier pick. */
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
    source_url: pick.source_url ?? null,
    published_on: pick.published_on ?? null,
    details,
  };
}

/** A submission without the null fields that only the other form has: null and absent mean the same (contract). */
function dropForeignNulls(json: unknown, own: TObject, other: TObject): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const isForeign = (name: string) =>
    Object.hasOwn(other.properties, name) && !Object.hasOwn(own.properties, name);
  return Object.fromEntries(
    Object.entries(json).filter(([name, value]) => value !== null || !isForeign(name)),
  );
}

/**
 * Parses the value of a line of an endorsements file, in any of its three forms (contract, "Catalogue and
 * submission files"), as a submission to Kafka. Does not check that its endorser, contest and choices exist.
 */
export function parseSubmission(json: unknown, checks = fileChecks): Parsed<Submission> {
  const { onePick, position } = submissionForms;
  if (typeof json === 'object' && json !== null && (json as { action?: unknown }).action === 'position') {
    const parsed = checks.position(dropForeignNulls(json, position, onePick));
    if (!parsed.ok) return parsed;
    const { endorser, contest, picks } = parsed.value;
    return { ok: true, value: { action: 'position', endorser, contest, picks: picks.map(createPick) } };
  }
  const parsed = checks.onePick(dropForeignNulls(json, onePick, position));
  if (!parsed.ok) return parsed;
  const { action, endorser, contest, ...pick } = parsed.value;
  return { ok: true, value: { action: action ?? 'endorse', endorser, contest, picks: [createPick(pick)] } };
}

/** The fields of a pick that are not empty. `JSON.stringify` writes the numbers of its details as they were written. */
function writePick({ details, ...pick }: SubmittedPick): object {
  const filled = Object.entries(pick).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(filled),
    ...(details !== null && { details: readDetails(details, parseAsWritten) }),
  };
}

/** Writes a submission in the form of a file, which `parseSubmission` reads. */
export function writeSubmission({ action, endorser, contest, picks }: Submission): object {
  const named = { action, endorser, contest };
  const written = picks.map(writePick);
  return action === 'position' ? { ...named, picks: written } : { ...named, ...written[0] };
}

/** Parses a submission as `parseSubmission` does, except that its sources must be addresses. */
export function parsePublished(json: unknown): Parsed<Submission> {
  return parseSubmission(json, serviceChecks);
}

/**
 * Checks a submission from Kafka, and brings its texts to their one form. Does not check that its endorser, contest and
 * choices exist.
 */
export function checkSubmission({ action, endorser, contest, picks }: Submission): Parsed<Submission> {
  if (action !== 'position' && picks.length !== 1) {
    const message = `must be exactly one to ${action}, are ${picks.length}`;
    return { ok: false, problems: [{ field: 'picks', message }] };
  }
  const records = picks.map((pick) => ({ ...pick, details: readDetails(pick.details) }));
  const parsed =
    action === 'position'
      ? serviceChecks.position({ action, endorser, contest, picks: records })
      : serviceChecks.onePick({ action, endorser, contest, ...records[0] });
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  const checked = 'picks' in value ? value.picks : [value];
  return {
    ok: true,
    value: {
      action,
      endorser: value.endorser,
      contest: value.contest,
      // Details are kept as they were sent. Null and missing mean the same.
      picks: checked.map((pick, index) => ({
        ...createPick(pick),
        details: pick.details ? (picks[index]?.details ?? null) : null,
      })),
    },
  };
}

/** Parses `details`. Returns text that is not JSON unchanged, so that the check refuses it. */
function readDetails(details: string | null, parse: (json: string) => unknown = JSON.parse): unknown {
  if (details === null) return null;
  try {
    return parse(details);
  } catch {
    return details;
  }
}
