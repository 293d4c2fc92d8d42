import type { ClientBase, Pool } from 'pg';
import type { Language } from '../../schemas/vocabulary.ts';

/** The name of an election, in English without a translation; null if the election does not exist. */
export async function findElectionName(
  client: ClientBase | Pool,
  slug: string,
  lang: Language,
): Promise<string | null> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT CASE WHEN $2 = 'es' THEN COALESCE(name_es, name) ELSE name END AS name
     FROM elections WHERE slug = $1 AND removed_at IS NULL`,
    [slug, lang],
  );
  return rows[0]?.name ?? null;
}
