import type { PageState } from '../../schemas/page-cursor.ts';
import type { Language } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { allOf, endorserConditions, isAnyGiven, isNamed, isOneOf } from './conditions.ts';
import { columns, inEachLanguage, jsonObject, localized, recordRow, type Sql } from './json.ts';
import { loadPage, type Page } from './page.ts';
import { ENDORSERS, endorserFields, jsonList } from './records.ts';

/** Filters of a list of endorsers. */
interface EndorserFilters {
  categories?: readonly string[] | undefined;
  /** Home states: USPS codes, or the word national. */
  states?: readonly string[] | undefined;
  /** Slugs of elections: only endorsers with endorsements in these. */
  elections?: readonly string[] | undefined;
  /** Part of the name, as people type it. */
  q?: string | undefined;
}

export interface EndorserQuery {
  filters: EndorserFilters;
  lang: Language;
  /** The sort keys (name_order, id) after which the page begins; null for the first page. */
  after: PageState | null;
  limit: number;
}

function condition({ categories, states, elections, q }: EndorserFilters): Sql {
  return allOf([
    ...endorserConditions({ categories, endorser_states: states }),
    elections &&
      sql.fragment`e.id IN (
        SELECT g.endorser_id FROM endorsing g JOIN elections l ON l.id = g.election_id
        WHERE ${isOneOf(sql.fragment`l.slug`, elections)})`,
    q !== undefined && isNamed(sql.fragment`e`, q),
  ]);
}

const fields = (lang: Language): Record<string, Sql> => ({
  ...endorserFields(lang),
  ...localized('e', ['description'], lang),
  ...columns('e', ['website_url', 'logo_url']),
  endorsement_count: sql.fragment`(SELECT COALESCE(sum(g.endorsements), 0) FROM endorsing g WHERE g.endorser_id = e.id)`,
});

/** The elections that an endorser has endorsed in, newest first, with the number of contests in each. */
const electionList = (lang: Language): Sql =>
  jsonList(
    jsonObject({
      election: sql.fragment`l.slug`,
      ...localized('l', ['name'], lang),
      ...columns('l', ['date']),
      ...columns('backed', ['contests']),
    }),
    sql.fragment`(
      SELECT n.election_id, count(DISTINCT n.contest_id) AS contests
      FROM endorsements n WHERE n.endorser_id = e.id GROUP BY n.election_id) AS backed
      JOIN elections l ON l.id = backed.election_id`,
    sql.fragment`l.date DESC, l.slug`,
  );

const listed = inEachLanguage((lang) => jsonObject(fields(lang)));
const full = inEachLanguage((lang) => jsonObject({ ...fields(lang), elections: electionList(lang) }));

/** A page of endorsers by name, ignoring case and accents, then id. */
export async function listEndorsers(
  pool: DatabasePool,
  { filters, lang, after, limit }: EndorserQuery,
): Promise<Page> {
  const [name = null, id = null] = after ?? [];
  return loadPage(pool, {
    record: listed(lang),
    from: ENDORSERS,
    where: allOf([
      condition(filters),
      after !== null && sql.fragment`(e.name_order, e.id) > (${name}, ${id}::bigint)`,
    ]),
    keys: [sql.fragment`e.name_order`, sql.fragment`e.id`],
    limit,
    isFiltered: isAnyGiven(filters),
  });
}

/** The JSON of one endorser with the elections it has endorsed in; null if it does not exist. */
export async function findEndorser(pool: DatabasePool, slug: string, lang: Language): Promise<string | null> {
  return pool.maybeOneFirst(
    sql.prepared(`endorser-${lang}`, recordRow)`
      SELECT ${full(lang)}::text AS record FROM ${ENDORSERS} WHERE e.slug = ${slug}`,
  );
}
