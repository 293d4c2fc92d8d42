import { findUnpublished } from '../../../domain/publication.ts';
import { parseAsWritten } from '../../../schemas/json-numbers.ts';
import { type Problem, showValue } from '../../../schemas/problems.ts';
import type { SubmittedPick } from '../../../schemas/submission.ts';
import { parsePublished } from '../../../schemas/submission-files.ts';
import type { OwnPosition } from '../../../store/console/own-positions.ts';

/** The texts of a pick that the form has a field for, by the name of the field before the choice's key. */
export const PICK_TEXTS = ['statement', 'statement_es', 'source_url', 'published_on'] as const;

/** How a form marks choices: one of them, some of them, or each with its rank. */
export type Marking = 'one' | 'some' | 'ranks';

/** The way to mark choices. A position that has several picks already can keep them. */
export function markingOf({ vote_method, picks }: Pick<OwnPosition, 'vote_method' | 'picks'>): Marking {
  if (vote_method === 'ranked_choice') return 'ranks';
  return picks.length > 1 || vote_method === 'multi_seat' || vote_method === 'approval' ? 'some' : 'one';
}

/** The fields of a form that has this position. */
export function writePosition(position: Pick<OwnPosition, 'vote_method' | 'picks'>): URLSearchParams {
  const form = new URLSearchParams();
  for (const pick of position.picks) {
    if (markingOf(position) === 'ranks') form.set(`rank:${pick.choice}`, String(pick.rank ?? ''));
    form.append('choice', pick.choice);
    for (const field of PICK_TEXTS) form.set(`${field}:${pick.choice}`, pick[field] ?? '');
  }
  return form;
}

/** The fields of a position's form, which are looked up many times. */
export interface FieldValues {
  /** The keys of the choices that are marked, without a rank. */
  marked: ReadonlySet<string>;
  /** The value of the field of a choice; undefined if the form does not have it. */
  textOf(field: string, choice: string): string | undefined;
}

/** Indexes the fields of a form, since URLSearchParams searches all of them for each name. */
export function readFields(form: URLSearchParams): FieldValues {
  const values = new Map(form);
  return {
    marked: new Set(form.getAll('choice')),
    textOf: (field, choice) => values.get(`${field}:${choice}`),
  };
}

/** A position as a form has it. The problems are sentences. */
export interface ReadPosition {
  picks: SubmittedPick[];
  problems: string[];
}

/**
 * Reads the position from a form. Texts beside choices that are not marked do not count. Stored `details`, which the
 * form does not show, stay. It is a problem if the contest has lost a marked choice since the form was shown.
 *
 * @param now milliseconds since 1970
 */
export function readPosition(
  form: URLSearchParams,
  { key, vote_method, choices, picks: held }: OwnPosition,
  { endorser, now }: { endorser: string; now: number },
): ReadPosition {
  const isRanked = vote_method === 'ranked_choice';
  const fields = readFields(form);
  const textOf = (field: string, choice: string) => fields.textOf(field, choice)?.trim() || null;
  const ranked = isRanked
    ? [...form].filter(([name, value]) => name.startsWith('rank:') && value.trim() !== '')
    : [];
  const keys = new Set([...fields.marked, ...ranked.map(([name]) => name.slice('rank:'.length))]);
  const chosen = choices.filter((choice) => keys.has(choice.key));
  const gone = keys.difference(new Set(choices.map((choice) => choice.key)));
  if (gone.size > 0) {
    const lost = showValue([...gone].join(', '));
    return { picks: [], problems: [`The position has choices that the contest no longer has: ${lost}.`] };
  }
  const picks = chosen.map(({ key: choice }) => {
    const rank = textOf('rank', choice);
    const { details = null } = held.find((pick) => pick.choice === choice) ?? {};
    return {
      choice,
      ...(isRanked && rank !== null && { rank: /^\d{1,3}$/.test(rank) ? Number(rank) : rank }),
      ...Object.fromEntries(PICK_TEXTS.map((field) => [field, textOf(field, choice)])),
      ...(details !== null && { details: parseAsWritten(details) }),
    };
  });
  const parsed = parsePublished({ action: 'position', endorser, contest: key, picks });
  if (!parsed.ok) return { picks: [], problems: describeProblems(parsed.problems, chosen) };
  const problems = findUnpublished(parsed.value, now);
  return { picks: parsed.value.picks, problems: describeProblems(problems, chosen) };
}

/** The fields whose labels on the page differ from their names. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  statement_es: 'statement in Spanish',
  source_url: 'address of the source',
  published_on: 'date of publication',
};

/** Sentences that name choices and fields as the page does. */
function describeProblems(problems: readonly Problem[], chosen: readonly { label: string }[]): string[] {
  return problems.map(({ field, message }) => {
    const named = field
      ?.replace(/^picks\[(\d+)\]\.?/, (_, index: string) => `${chosen[Number(index)]?.label}: `)
      .replace(/[a-z_]+$/, (name) => FIELD_LABELS[name] ?? name);
    const text = message.replaceAll(
      /picks\[(\d+)\]/g,
      (_, index: string) => `${chosen[Number(index)]?.label ?? 'another choice'}`,
    );
    return `${named ?? 'The position'} ${text}.`;
  });
}
