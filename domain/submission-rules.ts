import type { Submission, SubmittedPick } from '../schemas/submission.ts';
import type { Refusal } from './refusal.ts';

/** The longest statement, in UTF-16 code units. */
export const MAX_STATEMENT_LENGTH = 20_000;
/** The longest URL, in UTF-16 code units. */
export const MAX_URL_LENGTH = 2_000;
/** The most picks of one position. */
export const MAX_PICKS = 500;
const MAX_NAME_LENGTH = 500;
const MAX_DETAILS_LENGTH = 20_000;
const MAX_RANK = 1_000;

/** What is wrong with a field: its path within the submission, and a sentence that begins with "must". */
export interface FieldProblem {
  field: string;
  message: string;
}

/** Whether a text can be stored and sent as UTF-8: no NUL, no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Whether this is a day of the calendar in the form YYYY-MM-DD, year 1 to 9999. */
export function isCalendarDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) || text.startsWith('0000')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Whether this is an absolute http or https URL without spaces around it. */
export function isWebUrl(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

function* checkText(field: string, text: string | null, maxLength: number): Generator<FieldProblem> {
  if (text === null) return;
  if (!isStorableText(text)) {
    yield { field, message: 'must not contain NUL or half of a surrogate pair' };
  } else if (text.length > maxLength) {
    yield { field, message: `must have at most ${maxLength} characters, has ${text.length}` };
  }
}

/** Whether this is the text of a JSON object that can be stored: a NUL can hide in JSON as an escape. */
function isStorableJsonObject(text: string): boolean {
  try {
    let storable = true;
    const value: unknown = JSON.parse(text, (key, member: unknown) => {
      storable &&= isStorableText(key) && (typeof member !== 'string' || isStorableText(member));
      return member;
    });
    return storable && typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function* checkPick(path: string, pick: SubmittedPick): Generator<FieldProblem> {
  if (pick.choice === '') yield { field: `${path}choice`, message: 'must not be empty' };
  yield* checkText(`${path}choice`, pick.choice, MAX_NAME_LENGTH);
  if (pick.rank !== null && (!Number.isInteger(pick.rank) || pick.rank < 1 || pick.rank > MAX_RANK)) {
    yield {
      field: `${path}rank`,
      message: `must be null or a whole number from 1 to ${MAX_RANK}, is ${pick.rank}`,
    };
  }
  yield* checkText(`${path}statement`, pick.statement, MAX_STATEMENT_LENGTH);
  yield* checkText(`${path}statement_es`, pick.statement_es, MAX_STATEMENT_LENGTH);
  yield* checkText(`${path}source_url`, pick.source_url, MAX_URL_LENGTH);
  if (pick.source_url !== null && !isWebUrl(pick.source_url)) {
    yield { field: `${path}source_url`, message: 'must be an http or https URL' };
  }
  if (pick.published_on !== null && !isCalendarDate(pick.published_on)) {
    yield { field: `${path}published_on`, message: 'must be a date, YYYY-MM-DD' };
  }
  yield* checkText(`${path}details`, pick.details, MAX_DETAILS_LENGTH);
  if (pick.details !== null && !isStorableJsonObject(pick.details)) {
    yield {
      field: `${path}details`,
      message: 'must be a JSON object without NUL or half of a surrogate pair',
    };
  }
}

function* checkDistinct(picks: SubmittedPick[]): Generator<FieldProblem> {
  const choices = new Set<string>();
  const ranks = new Set<number>();
  for (const [index, { choice, rank }] of picks.entries()) {
    if (choices.has(choice)) {
      yield {
        field: `picks[${index}].choice`,
        message: `must be named once in a position, "${choice}" is there twice`,
      };
    }
    if (rank !== null && ranks.has(rank)) {
      yield {
        field: `picks[${index}].rank`,
        message: `must be unique in a position, ${rank} is there twice`,
      };
    }
    choices.add(choice);
    if (rank !== null) ranks.add(rank);
  }
}

/**
 * Everything that can be said against a submission without knowing the catalogue, in the order of its fields.
 * Fields of the one pick of an endorse or withdraw are named as in the file form, without `picks[0]`.
 */
export function checkSubmission(submission: Submission): FieldProblem[] {
  const { action, endorser, contest, picks } = submission;
  const problems: FieldProblem[] = [];
  for (const [field, value] of Object.entries({ endorser, contest })) {
    if (value === '') problems.push({ field, message: 'must not be empty' });
    problems.push(...checkText(field, value, MAX_NAME_LENGTH));
  }
  if (action !== 'position' && picks.length !== 1) {
    problems.push({ field: 'picks', message: `must be exactly one to ${action}, are ${picks.length}` });
  }
  if (picks.length > MAX_PICKS) {
    return [...problems, { field: 'picks', message: `must be at most ${MAX_PICKS}, are ${picks.length}` }];
  }
  for (const [index, pick] of picks.entries()) {
    problems.push(...checkPick(action === 'position' ? `picks[${index}].` : '', pick));
  }
  problems.push(...checkDistinct(picks));
  return problems;
}

/** The refusal of a submission that breaks these rules, or undefined for one that is well formed. */
export function refuseMalformed(submission: Submission): Refusal | undefined {
  const problems = checkSubmission(submission);
  if (problems.length === 0) return undefined;
  const message = problems.map((problem) => `${problem.field} ${problem.message}`).join('; ');
  return { code: 'invalid_submission', message: `${message}.` };
}
