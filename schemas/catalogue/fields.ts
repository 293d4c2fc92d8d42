import {
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TStringOptions,
  Type,
} from 'typebox';
import type { TextForm } from './text-form.ts';

/*
 * The fields of file records. Each has a `title`, which completes "must be …" in the message about an invalid value.
 */

/** The type of the values that a field accepts. */
export type Accepted<Field extends TSchema> = Static<Field>;
export type JsonObject = Record<string, unknown>;

/** The longest name, title or label, in characters. */
export const MAX_TITLE = 500;
/** The longest statement, description or question, in characters. */
export const MAX_TEXT = 20_000;
const MAX_URL = 2_000;
/** The longest slug or key of one record, in characters. */
export const MAX_KEY = 200;
const MAX_INTEGER = 2_147_483_647;

/** The same field, which may also be null or missing. Both mean the same. */
export function optional<Field extends TSchema>(field: Field) {
  const { type, enum: values, ...rest } = field as { type?: string; enum?: readonly string[] };
  const schema = {
    ...rest,
    ...(type === undefined ? {} : { type: [type, 'null'] }),
    ...(values === undefined ? {} : { enum: [...values, null] }),
  };
  return Type.Optional(Type.Unsafe<Static<Field> | null>(schema));
}

/** The same field with its meaning, for the published JSON Schemas (docs/data-formats.md). */
export const described = <Field extends TSchema>(description: string, field: Field) =>
  Type.With(field, { description });

/** Where a record comes from. */
export const source = () =>
  described('Where the record comes from. Kept, and not shown.', optional(anyObject));

/** A text that `normalizeTexts` brings to this form before it is checked. */
const text = (textForm: TextForm, options: TStringOptions) => Type.String({ ...options, textForm });

/** Short visible text: at most 500 characters and not blank. */
export const title = text('line', {
  maxLength: MAX_TITLE,
  pattern: '\\S',
  title: `text of 1 to ${MAX_TITLE} characters`,
});

/** Long text, which can have paragraphs: at most 20,000 characters. */
export const longText = text('lines', {
  maxLength: MAX_TEXT,
  title: `text of at most ${MAX_TEXT.toLocaleString('en-US')} characters`,
});

/** A name of a record: lower-case letters and digits with single hyphens in between. */
export const slug = text('line', {
  maxLength: MAX_KEY,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  title: `a slug (a to z, 0 to 9 and single hyphens, at most ${MAX_KEY} characters)`,
});

/** Like a slug, but with single underscores as well. */
export const categorySlug = text('line', {
  maxLength: MAX_KEY,
  pattern: '^[a-z0-9]+([-_][a-z0-9]+)*$',
  title: `a slug (a to z, 0 to 9, single hyphens and underscores, at most ${MAX_KEY} characters)`,
});

/** The key of a record within another: any text that is not blank. */
export const key = text('line', {
  maxLength: MAX_KEY,
  pattern: '\\S',
  title: `text of 1 to ${MAX_KEY} characters`,
});

/** A contest's name within its election. */
export const contestSlug = text('line', {
  maxLength: MAX_KEY,
  pattern: '^[^\\s/]+$',
  title: `text of 1 to ${MAX_KEY} characters without spaces and slashes`,
});

/** A contest's name: election slug, slash, contest slug. */
export const contestKey = text('line', {
  maxLength: 2 * MAX_KEY + 1,
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*/[^\\s/]+$',
  title: 'an election slug, a slash and a contest slug',
});

/** A day of the calendar, YYYY-MM-DD. */
export const date = Type.String({
  format: 'calendar-date',
  title: 'a real date as YYYY-MM-DD',
});

/** An http or https address. */
export const url = text('address', {
  format: 'http-url',
  maxLength: MAX_URL,
  title: `an http or https address of at most ${MAX_URL.toLocaleString('en-US')} characters`,
});

/** An http or https address, or words that are not an address. The service rejects such words later. */
export const sourceText = Type.With(url, { format: 'http-url-or-words' });

export const positiveInteger = Type.Integer({
  minimum: 1,
  maximum: MAX_INTEGER,
  title: `a whole number from 1 to ${MAX_INTEGER}`,
});

export const boolean = Type.Boolean({ title: 'true or false' });

/** An object that is kept unchanged. */
export const anyObject = Type.Unsafe<JsonObject>({ type: 'object', title: 'an object' });

/** One of a closed set of words. `name` describes sets that are too long to list. */
export const oneOf = <Words extends string[]>(words: readonly [...Words], name?: string) =>
  Type.Enum(words, { type: 'string', title: name ?? `one of ${words.join(', ')}` });

export const listOf = <Item extends TSchema>(item: Item, maxItems: number) =>
  Type.Array(item, { maxItems, title: `a list of at most ${maxItems.toLocaleString('en-US')}` });

/** An object of exactly these fields. */
export const record = <Fields extends TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false, title: 'an object' });

/** An object with these fields. It may have others, which are kept. */
export const openRecord = <Fields extends TProperties>(fields: Fields) =>
  Type.Unsafe<Static<TObject<Fields>> & JsonObject>(Type.Object(fields, { title: 'an object' }));
