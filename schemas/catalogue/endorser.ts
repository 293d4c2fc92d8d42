import type { Parsed } from '../problems.ts';
import { ENDORSER_STATES } from '../vocabulary.ts';
import * as field from './fields.ts';
import { createRecordCheck } from './record-check.ts';

export const endorserCategoryFields = field.record({
  slug: field.described('Names the category in endorsers, filters and paths.', field.categorySlug),
  name: field.described('The name that readers see.', field.title),
  name_es: field.optional(field.title),
  singular_name: field.described(
    'The name of one such endorser; `name` by default.',
    field.optional(field.title),
  ),
  singular_name_es: field.optional(field.title),
});

/** A line of an endorser categories file. */
export type EndorserCategoryRecord = field.Accepted<typeof endorserCategoryFields>;

/** Checks a line of an endorser categories file. */
export const parseEndorserCategory: (json: unknown) => Parsed<EndorserCategoryRecord> =
  createRecordCheck(endorserCategoryFields);

export const endorserFields = field.record({
  slug: field.described('Names the endorser in submissions, filters and paths.', field.slug),
  name: field.described('The name that readers see.', field.title),
  category: field.described('The slug of its category.', field.categorySlug),
  state: field.described(
    'Its home, which is never guessed.',
    field.oneOf(ENDORSER_STATES, 'the USPS code of a state or territory, or national'),
  ),
  description: field.described('A few sentences about it.', field.optional(field.longText)),
  description_es: field.optional(field.longText),
  url: field.described('Another name for `website_url`.', field.optional(field.url)),
  website_url: field.described('Its website.', field.optional(field.url)),
  logo_url: field.described('Its logo.', field.optional(field.url)),
  details: field.described('Anything else. Kept, and not shown.', field.optional(field.anyObject)),
  source: field.source(),
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
