import type { Language } from '../schemas/vocabulary.ts';
import { NATIONAL } from '../schemas/vocabulary.ts';
import { columns, jsonObject, localized, type Sql } from './json.ts';
import { sql } from './pool.ts';

/*
 * The JSON of records that stand within others, over fixed aliases: `endorsers e`, `endorser_categories k`,
 * `contests c`, `districts d`, `elections l`, `choices h`, `candidates p`.
 */

export const homeState: Sql = sql.fragment`COALESCE(e.state, ${NATIONAL})`;

/** {slug, name} */
export const categoryRecord = (lang: Language): Sql =>
  jsonObject({ ...columns('k', ['slug']), ...localized('k', ['name'], lang) });

/** {id, slug, name, category, state} */
export const endorserRecord = (lang: Language): Sql =>
  jsonObject({ ...columns('e', ['id', 'slug', 'name']), category: categoryRecord(lang), state: homeState });

/** {id, ocd_id, name, level, type, state} */
export const districtRecord = (lang: Language): Sql =>
  jsonObject({
    ...columns('d', ['id', 'ocd_id']),
    ...localized('d', ['name'], lang),
    ...columns('d', ['level', 'type', 'state']),
  });

/** {id, slug, name, date, state, type} */
export const electionRecord = (lang: Language): Sql =>
  jsonObject({
    ...columns('l', ['id', 'slug']),
    ...localized('l', ['name'], lang),
    ...columns('l', ['date', 'state', 'type']),
  });

/** {id, full_name}, or null where a choice is no candidate. */
export const candidateRecord: Sql = sql.fragment`CASE WHEN p.id IS NOT NULL THEN ${jsonObject(columns('p', ['id', 'full_name']))} END`;
