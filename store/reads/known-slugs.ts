import { z } from 'zod';
import type { SlugField } from '../../schemas/http/parameters.ts';
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

/** The unknown slugs among these, with their fields. */
export async function findUnknownSlugs(
  pool: DatabasePool,
  slugs: NamedSlugs,
): Promise<{ field: SlugField; slug: string }[]> {
  const given = FIELDS.filter((field) => slugs[field] !== undefined);
  if (given.length === 0) return [];
  const searches = given.map(
    (field) => sql.fragment`
      SELECT ${field}::text AS field, slug FROM unnest(${sql.array([...(slugs[field] ?? [])], 'text')}) AS slug
      WHERE NOT EXISTS (SELECT FROM ${sql.identifier([TABLES[field]])} AS t WHERE t.slug = slug.slug)`,
  );
  const rows = await pool.any(sql.type(slugRow)`${sql.join(searches, sql.fragment` UNION ALL `)}`);
  return [...rows];
}
