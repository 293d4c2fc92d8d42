import { Ajv } from 'ajv';
import { type Parsed, type Problem, problemOfError } from '../problems.ts';
import type { Accepted, Field, url } from './fields.ts';
import { isCalendarDate, isHttpUrl, isHttpUrlOrWords } from './formats.ts';
import { unstorableParts } from './storable.ts';

const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, logger: false });
ajv.addFormat('calendar-date', isCalendarDate);
ajv.addFormat('http-url', isHttpUrl);
ajv.addFormat('http-url-or-words', isHttpUrlOrWords);

/** More are no help to whoever has to repair the record. */
const MAX_PROBLEMS = 20;

/**
 * Compiles the check of one kind of record, as read from a line of JSON: first that its texts can be stored at all,
 * then that it has the form of `field`, then `rules`, which see only records of that form.
 */
export function createRecordCheck<F extends Field<object>>(
  field: F,
  rules: (value: Accepted<F>) => Problem[] = () => [],
): (json: unknown) => Parsed<Accepted<F>> {
  const validate = ajv.compile<Accepted<F>>(field.schema);

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

/** A null where a word of a set is wanted fails both the type and the set, with one message. */
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
