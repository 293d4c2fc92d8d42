/*
 * The fields that file records are made of. A field is a JSON Schema and, as a type, what that schema accepts, so that
 * a record's schema and its TypeScript type are one text. Every schema carries a `title`: what the field must be, as
 * it is told to whoever gave something else.
 */
declare const accepted: unique symbol;

/** A JSON Schema of a field, which accepts values of `T`; `Required` says whether a record must have it. */
export interface Field<T, Required extends boolean = true> {
  readonly schema: Record<string, unknown>;
  readonly required: Required;
  readonly [accepted]?: T;
}

type Fields = Record<string, Field<unknown, boolean>>;
type ValueOf<F> = F extends Field<infer T, boolean> ? T : never;
type RequiredNames<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, true> ? K : never;
}[keyof F];
type RecordOf<F extends Fields> = { [K in RequiredNames<F>]: ValueOf<F[K]> } & {
  [K in Exclude<keyof F, RequiredNames<F>>]?: ValueOf<F[K]> | null;
};

/** The type of the values that a field accepts. */
export type Accepted<F> = ValueOf<F>;
export type JsonObject = Record<string, unknown>;

/** The longest name, title or label, in characters. */
const MAX_TITLE = 500;
/** The longest statement, description or question, in characters. */
const MAX_TEXT = 20_000;
const MAX_URL = 2_000;
/** The longest slug or key of one record, in characters. */
const MAX_KEY = 200;
const MAX_INTEGER = 2_147_483_647;

function required<T>(schema: Record<string, unknown>): Field<T> {
  return { schema, required: true };
}

/** The same field, which may be null or left out; the two mean the same. */
export function optional<T>(field: Field<T>): Field<T, false> {
  const { type, enum: values, ...rest } = field.schema;
  return {
    required: false,
    schema: {
      ...rest,
      ...(type === undefined ? {} : { type: [type, 'null'] }),
      ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    },
  };
}

/** Short text that is shown: at most 500 characters and not blank. */
export const title = required<string>({
  type: 'string',
  maxLength: MAX_TITLE,
  pattern: '\\S',
  title: `text of 1 to ${MAX_TITLE} characters`,
});

/** Long text: at most 20,000 characters. */
export const longText = required<string>({
  type: 'string',
  maxLength: MAX_TEXT,
  title: `text of at most ${MAX_TEXT.toLocaleString('en-US')} characters`,
});

/** A name of a record: lower-case letters and digits with single hyphens between. */
export const slug = required<string>({
  type: 'string',
  maxLength: MAX_KEY,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  title: `a slug (a to z, 0 to 9 and single hyphens, at most ${MAX_KEY} characters)`,
});

/** As a slug, with single underscores too. */
export const categorySlug = required<string>({
  type: 'string',
  maxLength: MAX_KEY,
  pattern: '^[a-z0-9]+([-_][a-z0-9]+)*$',
  title: `a slug (a to z, 0 to 9, single hyphens and underscores, at most ${MAX_KEY} characters)`,
});

/** What tells a record apart within another: any text that is not blank. */
export const key = required<string>({
  type: 'string',
  maxLength: MAX_KEY,
  pattern: '\\S',
  title: `text of 1 to ${MAX_KEY} characters`,
});

/** A contest's name within its election. */
export const contestSlug = required<string>({
  type: 'string',
  maxLength: MAX_KEY,
  pattern: '^[^\\s/]+$',
  title: `text of 1 to ${MAX_KEY} characters without spaces and slashes`,
});

/** A contest's name: election slug, slash, contest slug. */
export const contestKey = required<string>({
  type: 'string',
  maxLength: 2 * MAX_KEY + 1,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*/[^\\s/]+$',
  title: 'an election slug, a slash and a contest slug',
});

/** YYYY-MM-DD, a day that the calendar has. */
export const date = required<string>({
  type: 'string',
  format: 'calendar-date',
  title: 'a real date as YYYY-MM-DD',
});

/** An http or https address; spaces around it are allowed and dropped. */
export const url = required<string>({
  type: 'string',
  format: 'http-url',
  maxLength: MAX_URL,
  title: `an http or https address of at most ${MAX_URL.toLocaleString('en-US')} characters`,
});

/** What should be such an address. Words pass that are none, whose form is judged later; another address does not. */
export const sourceText = required<string>({ ...url.schema, format: 'http-url-or-words' });

/** An http or https address as it is stored: without spaces around it. */
export const trimmedUrl = required<string>({ ...url.schema, pattern: '^\\S+$' });

export const positiveInteger = required<number>({
  type: 'integer',
  minimum: 1,
  maximum: MAX_INTEGER,
  title: `a whole number from 1 to ${MAX_INTEGER}`,
});

export const boolean = required<boolean>({ type: 'boolean', title: 'true or false' });

/** An object that is kept as it is. */
export const anyObject = required<JsonObject>({ type: 'object', title: 'an object' });

/** One of a closed set of words; `name` says of which, where the set is too long to list. */
export function oneOf<const T extends string>(values: readonly T[], name?: string): Field<T> {
  return required<T>({ type: 'string', enum: values, title: name ?? `one of ${values.join(', ')}` });
}

/** Every item as `item` says. */
export function listOf<T>(item: Field<T>, maxItems: number): Field<T[]> {
  return required<T[]>({
    type: 'array',
    items: item.schema,
    maxItems,
    title: `a list of at most ${maxItems.toLocaleString('en-US')}`,
  });
}

function objectSchema(fields: Fields, additionalProperties: boolean) {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.schema])),
    required: Object.keys(fields).filter((name) => fields[name]?.required),
    additionalProperties,
    title: 'an object',
  };
}

/** An object of exactly these fields. */
export function record<F extends Fields>(fields: F): Field<RecordOf<F>> {
  return required<RecordOf<F>>(objectSchema(fields, false));
}

/** An object that has these fields and may have others, which are kept. */
export function openRecord<F extends Fields>(fields: F): Field<RecordOf<F> & JsonObject> {
  return required<RecordOf<F> & JsonObject>(objectSchema(fields, true));
}
