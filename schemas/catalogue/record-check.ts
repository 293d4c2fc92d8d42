import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { type Parsed, type Problem, problemOfError } from '../problems.ts';
import type { Accepted, url } from './fields.ts';
import { isCalendarDate, isHttpUrl, isHttpUrlOrWords } from './formats.ts';
import { unstorableParts } from './storable.ts';

const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, logger: false });
ajv.addFormat('calendar-date', isCalendarDate);
ajv.addFormat('http-url', isHttpUrl);
ajv.addFormat('http-url-or-words', isHttpUrlOrWords);

/** The most problems that are reported for a record. More would not help to repair it. */
const MAX_PROBLEMS = 20;

/**
 * Compiles the check of a kind of record, parsed from a line of JSON. It checks first that Postgres can store
 * the texts, then that the record matches `field`, then the `rules`, which see only matching records.
 */
export function createRecordCheck<Field extends TSchema>(
  field: Field,
  rules: (value: Accepted<Field>) => Problem[] = () => [],
): (json: unknown) => Parsed<Accepted<Field>> {
  const validate = ajv.compile<Accepted<Field>>(field);

  return (json) => {
    const unstorable = unstorableParts(json);
    if (unstorable.length > 0) return refuse(unstorable);
    if (!validate(json)) return refuse(distinct((validate.errors ?? []).map(problemOfError)));
    const problems = rules(json);
    return problems.length > 0 ? refuse(problems) : { ok: true, value: json };
  };
}

function refuse(problems: Problem[]): { ok: false; problems: Problem[] } {
  return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** Drops repeated problems: null violates both `type` and `enum` of a word, with the same message. */
function distinct(problems: Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ field, message }) => {
    const text = `${field} ${message}`;
    return !seen.has(text) && seen.add(text);
  });
}

/** An address without the spaces around it. */
export function trimUrl(value: Accepted<typeof url> | null | undefined): string | null {
  return value?.trim() ?? null;
}
