import type { Language } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { columns, itemsRow, jsonObject, localized, type Sql } from './json.ts';

/** The singular name, or else the name. */
const singularName = (lang: Language): Sql => {
  const { name, singular_name } = localized('k', ['name', 'singular_name'], lang);
  return sql.fragment`COALESCE(${singular_name}, ${name})`;
};

/** Every endorser category with its number of endorsers, by slug, as the items of a JSON list. */
export async function listEndorserCategories(pool: DatabasePool, lang: Language): Promise<string> {
  const record = jsonObject({
    ...columns('k', ['slug']),
    ...localized('k', ['name'], lang),
    singular_name: singularName(lang),
    endorser_count: sql.fragment`(SELECT count(*) FROM endorsers e WHERE e.category = k.slug)`,
  });
  return pool.oneFirst(
    sql.prepared(`endorser-categories-${lang}`, itemsRow)`
      SELECT COALESCE(string_agg(${record}::text, ',' ORDER BY k.slug), '') AS items FROM endorser_categories k`,
  );
}
