import { z } from 'zod';
import { type DatabasePool, sql } from '../connection/read-pool.ts';

/** The slugs of a stream's filter. Only the store can check them. */
export interface NamedSlugs {
  categories: readonly string[];
  endorsers: readonly string[];
  elections: readonly string[];
}

const slugRow = z.object({ field: z.enum(['categories', 'endorsers', 'elections']), slug: z.string() });

/** The unknown slugs among these, with their fields. */
export async function findUnknownSlugs(
  pool: DatabasePool,
  { categories, endorsers, elections }: NamedSlugs,
): Promise<{ field: keyof NamedSlugs; slug: string }[]> {
  const given = (slugs: readonly string[]) => sql.array([...slugs], 'text');
  const rows = await pool.any(sql.type(slugRow)`
    SELECT 'categories' AS field, slug FROM unnest(${given(categories)}) AS slug
    WHERE NOT EXISTS (SELECT FROM endorser_categories k WHERE k.slug = slug.slug)
    UNION ALL
    SELECT 'endorsers', slug FROM unnest(${given(endorsers)}) AS slug
    WHERE NOT EXISTS (SELECT FROM endorsers e WHERE e.slug = slug.slug)
    UNION ALL
    SELECT 'elections', slug FROM unnest(${given(elections)}) AS slug
    WHERE NOT EXISTS (SELECT FROM elections l WHERE l.slug = slug.slug)`);
  return [...rows];
}
