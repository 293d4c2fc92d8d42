import type { ErrorObject } from 'ajv';

/** A problem of one field of a record. */
export interface Problem {
  /** For example `choices[2].label`; null for the whole record. */
  field: string | null;
  /** Completes a sentence that begins with the field: "must be text of 1 to 500 characters, is 7". */
  message: string;
}

/** A valid record, or its problems. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

const MAX_SHOWN = 80;
/** The most problems that are reported for a record. More would not help to repair it. */
export const MAX_PROBLEMS = 20;

/** A value for a message: JSON, shortened if it is long. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return shorten(JSON.stringify(value) ?? 'missing');
}

/** The first half of a character at the end of a text. */
const HALF = /[\ud800-\udbff]$/;

/** A text for a message, shortened if it is long. It is not cut within a character: many readers refuse half of one. */
export function shorten(text: string, length = MAX_SHOWN): string {
  return text.length > length ? `${text.slice(0, length).replace(HALF, '')}…` : text;
}

/** `choices[2].label` for `/choices/2/label`. */
function fieldOfPointer(pointer: string): string | null {
  if (pointer === '') return null;
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((field, part) => joinField(field, /^[0-9]+$/.test(part) ? Number(part) : part), '');
}

/** The path of an item or property of another field. */
export function joinField(parent: string | null, part: string | number): string {
  if (typeof part === 'number') return `${parent ?? ''}[${part}]`;
  return parent ? `${parent}.${part}` : part;
}

/** Translates an error of ajv. Needs ajv's option `verbose`. */
export function problemOfError(error: ErrorObject): Problem {
  const field = fieldOfPointer(error.instancePath);
  const { keyword, params, data, parentSchema } = error;
  if (keyword === 'required') {
    return { field: joinField(field, params.missingProperty as string), message: 'is missing' };
  }
  if (keyword === 'additionalProperties') {
    const known = Object.keys((parentSchema?.properties as object | undefined) ?? {}).join(', ');
    return {
      field: joinField(field, showName(params.additionalProperty as string)),
      message: `is not a known field; known are ${known}`,
    };
  }
  const title = parentSchema?.title as string | undefined;
  const expected = title === undefined ? (error.message ?? keyword) : `must be ${title}`;
  if (keyword === 'maxLength') {
    const length = Array.from(data as string).length;
    return { field, message: `${expected}, has ${length.toLocaleString('en-US')}` };
  }
  return { field, message: `${expected}, is ${showValue(data)}` };
}

/** A field's name, quoted if it has unusual characters. */
export function showName(name: string): string {
  return /^[\p{L}\p{N}_-]{1,80}$/u.test(name) ? name : showValue(name);
}

/** The path of a field, shortened in the middle if it is long: objects that are kept unchanged can have any names. */
export function shortenName(field: string): string {
  return field.length > 2 * MAX_SHOWN ? `${field.slice(0, MAX_SHOWN)}…${field.slice(-MAX_SHOWN)}` : field;
}
