import type { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { SlugField } from '../../schemas/http/parameters.ts';
import { createLruCache } from '../../service/lru-cache.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';

/** Slugs by the field of a filter. */
export type NamedSlugs = { readonly [Field in SlugField]?: readonly string[] | undefined };

/** The tables of the records that have the slugs of a field. */
const TABLES: Record<SlugField, string> = {
  categories: 'endorser_categories',
  endorsers: 'endorsers',
  elections: 'elections',
};
const FIELDS = Object.keys(TABLES) as SlugField[];

const slugRow = z.object({ field: z.enum(FIELDS), slug: z.string() });

/** The most found slugs to remember of a database. Two fifths of a kilobyte each, at most. */
const MAX_REMEMBERED = 20_000;

/** The slugs that each database was found to have. Nothing removes these records, so it has them still. */
const remembered = new WeakMap<DatabasePool, LRUCache<string, true>>();

/** The unknown slugs among these, with their fields. */
export async function findUnknownSlugs(
  pool: DatabasePool,
  slugs: NamedSlugs,
): Promise<{ field: SlugField; slug: string }[]> {
  const known = remembered.get(pool) ?? createLruCache(MAX_REMEMBERED);
  remembered.set(pool, known);
  const sought = FIELDS.map(
    (field) => [field, slugs[field]?.filter((slug) => !known.get(`${field} ${slug}`)) ?? []] as const,
  ).filter(([, ofField]) => ofField.length > 0);
  if (sought.length === 0) return [];
  const searches = sought.map(
    ([field, ofField]) => sql.fragment`
      SELECT ${field}::text AS field, slug FROM unnest(${sql.array(ofField, 'text')}) AS slug
      WHERE NOT EXISTS (SELECT FROM ${sql.identifier([TABLES[field]])} AS t WHERE t.slug = slug.slug)`,
  );
  const rows = await pool.any(sql.type(slugRow)`${sql.join(searches, sql.fragment` UNION ALL `)}`);
  const unknown = new Set(rows.map(({ field, slug }) => `${field} ${slug}`));
  for (const [field, ofField] of sought) {
    for (const key of ofField.map((slug) => `${field} ${slug}`)) if (!unknown.has(key)) known.set(key, true);
  }
  return [...rows];
}
