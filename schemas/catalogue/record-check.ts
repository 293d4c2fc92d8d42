import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { MAX_PROBLEMS, type Parsed, type Problem, problemOfError, shortenName } from '../problems.ts';
import type { Accepted } from './fields.ts';
import { isCalendarDate, isHttpUrl, isHttpUrlOrWords } from './formats.ts';
import { oversizedParts } from './oversized.ts';
import { unstorableParts } from './storable.ts';
import { normalizeTexts } from './text-form.ts';

const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, logger: false });
ajv.addVocabulary(['textForm']);
ajv.addFormat('calendar-date', isCalendarDate);
ajv.addFormat('http-url', isHttpUrl);
ajv.addFormat('http-url-or-words', isHttpUrlOrWords);

/**
 * Compiles the check of a kind of record, parsed from a line of JSON, at its first use. It checks first that Postgres can store
 * the texts, then that no list and no object has too many parts. It brings the texts to their one form, and then
 * checks that the record matches `field`, and the `rules`, which see only matching records. So its cost is
 * bounded by the allowed parts, not by the given ones. It reports at most MAX_PROBLEMS problems.
 *
 * @returns the record with its texts in their one form
 */
export function createRecordCheck<Field extends TSchema>(
  field: Field,
  rules: (value: Accepted<Field>) => Problem[] = () => [],
): (json: unknown) => Parsed<Accepted<Field>> {
  let validate: ValidateFunction<Accepted<Field>> | undefined;
  return (json) => {
    validate ??= ajv.compile<Accepted<Field>>(field);
    const unstorable = unstorableParts(json);
    if (unstorable.length > 0) return refuse(unstorable);
    const oversized = oversizedParts(json, field);
    if (oversized.length > 0) return refuse(oversized);
    const value = normalizeTexts(json, field);
    if (!validate(value)) return refuse(firstProblems(validate.errors ?? []));
    const problems = rules(value);
    return problems.length > 0 ? refuse(problems) : { ok: true, value };
  };
}

function refuse(problems: Problem[]): { ok: false; problems: Problem[] } {
  const shown = problems.slice(0, MAX_PROBLEMS);
  return {
    ok: false,
    problems: shown.map((one) => ({ ...one, field: one.field && shortenName(one.field) })),
  };
}

/** The first problems, each once: null violates both `type` and `enum` of a word, with the same message. */
function firstProblems(errors: readonly ErrorObject[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const error of errors) {
    const problem = problemOfError(error);
    problems.set(`${problem.field} ${problem.message}`, problem);
    if (problems.size === MAX_PROBLEMS) break;
  }
  return [...problems.values()];
}
