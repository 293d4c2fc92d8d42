import type { Parsed } from '../problems.ts';
import { ENDORSER_STATES } from '../vocabulary.ts';
import * as field from './fields.ts';
import { createRecordCheck } from './record-check.ts';

const endorserCategoryFields = field.record({
  slug: field.categorySlug,
  name: field.title,
  name_es: field.optional(field.title),
  singular_name: field.optional(field.title),
  singular_name_es: field.optional(field.title),
});

/** A line of an endorser categories file. */
export type EndorserCategoryRecord = field.Accepted<typeof endorserCategoryFields>;

/** Checks a line of an endorser categories file. */
export const parseEndorserCategory: (json: unknown) => Parsed<EndorserCategoryRecord> =
  createRecordCheck(endorserCategoryFields);

const endorserFields = field.record({
  slug: field.slug,
  name: field.title,
  /** The slug of an endorser category. */
  category: field.categorySlug,
  /** Required, because an endorser's home is never guessed. */
  state: field.oneOf(ENDORSER_STATES, 'the USPS code of a state or territory, or national'),
  description: field.optional(field.longText),
  description_es: field.optional(field.longText),
  /** Another name for website_url. */
  url: field.optional(field.url),
  website_url: field.optional(field.url),
  logo_url: field.optional(field.url),
  details: field.optional(field.anyObject),
  source: field.optional(field.anyObject),
});

/** A line of an endorsers file. */
export type EndorserRecord = field.Accepted<typeof endorserFields>;

const check = createRecordCheck(endorserFields, ({ url, website_url }) =>
  url && website_url && url !== website_url
    ? [{ field: 'url', message: 'must equal website_url, because it is another name for it' }]
    : [],
);

/** Checks a line of an endorsers file, and merges `url` into `website_url`. */
export function parseEndorser(json: unknown): Parsed<EndorserRecord> {
  const parsed = check(json);
  if (!parsed.ok) return parsed;
  const { url, ...endorser } = parsed.value;
  return { ok: true, value: { ...endorser, website_url: endorser.website_url ?? url ?? null } };
}
