import type { PageState } from '../../schemas/page-cursor.ts';
import type { Language } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { allOf, type ElectionFilters, electionConditions, isAnyGiven, isOneOf } from './conditions.ts';
import { inEachLanguage, jsonObject } from './json.ts';
import { loadPage, type Page } from './page.ts';
import { electionFields } from './records.ts';

export interface ElectionQuery {
  filters: ElectionFilters & {
    types?: readonly string[] | undefined;
    /** The first and the last date, YYYY-MM-DD. */
    from?: string | undefined;
    to?: string | undefined;
  };
  lang: Language;
  /** The sort keys (date, slug) after which the page begins; null for the first page. */
  after: PageState | null;
  limit: number;
}

/** An election with its counts (specification, "Election"). */
const record = inEachLanguage((lang) =>
  jsonObject({
    ...electionFields(lang),
    contest_count: sql.fragment`COALESCE((SELECT b.contests FROM ballot_sizes b WHERE b.election_id = l.id), 0)`,
    endorsement_count: sql.fragment`COALESCE((SELECT a.endorsements FROM endorsement_activity a WHERE a.election_id = l.id), 0)`,
  }),
);

/** A page of elections by date, then slug. */
export async function listElections(
  pool: DatabasePool,
  { filters, lang, after, limit }: ElectionQuery,
): Promise<Page> {
  const { types, from, to, electionsFrom: _, ...others } = filters;
  const [date = null, slug = null] = after ?? [];
  return loadPage(pool, {
    record: record(lang),
    from: sql.fragment`elections l`,
    where: allOf([
      sql.fragment`l.removed_at IS NULL`,
      ...electionConditions(filters),
      types && isOneOf(sql.fragment`l.type`, types),
      from !== undefined && sql.fragment`l.date >= ${from}::date`,
      to !== undefined && sql.fragment`l.date <= ${to}::date`,
      after !== null && sql.fragment`(l.date, l.slug) > (${date}::date, ${slug})`,
    ]),
    keys: [sql.fragment`l.date`, sql.fragment`l.slug`],
    limit,
    // The order begins with the date, so a first date does not change the plan.
    isFiltered: isAnyGiven({ types, to, ...others }),
  });
}
