import type { PageState } from '../../schemas/page-cursor.ts';
import type { Language } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { allOf, columns, isOneOf, jsonObject, localized, recordRow, type Sql } from './json.ts';
import { loadPage, type Page } from './page.ts';
import { choiceList, contestFields, contestRecord, endorserRecord, isAtHomeIn, jsonList } from './records.ts';

/** Filters of a list of contests: fields combine with AND, values with OR; absent ones match everything. */
interface ContestFilters {
  /** Election slugs. */
  elections?: readonly string[] | undefined;
  /** States that hold the election. */
  states?: readonly string[] | undefined;
  levels?: readonly string[] | undefined;
  contest_kinds?: readonly string[] | undefined;
  /** OCD division ids. */
  districts?: readonly string[] | undefined;
  /** Only elections on or after this date, YYYY-MM-DD. */
  electionsFrom?: string | undefined;
}

export interface ContestQuery {
  filters: ContestFilters;
  lang: Language;
  /** The sort keys, tier, ballot order and id, after which the page begins; null for the first page. */
  after: PageState | null;
  limit: number;
}

/** Which endorsers' positions a contest is shown with; absent fields match everyone. */
interface PositionFilters {
  categories?: readonly string[] | undefined;
  endorsers?: readonly string[] | undefined;
  endorser_states?: readonly string[] | undefined;
}

const CONTESTS = sql.fragment`contests c
  JOIN districts d ON d.id = c.district_id JOIN elections l ON l.id = c.election_id`;

function condition(filters: ContestFilters): Sql {
  const { elections, states, levels, contest_kinds, districts, electionsFrom } = filters;
  return allOf([
    sql.fragment`c.removed_at IS NULL`,
    elections && isOneOf(sql.fragment`l.slug`, elections),
    states && isOneOf(sql.fragment`l.state`, states),
    levels && isOneOf(sql.fragment`d.level`, levels),
    contest_kinds && isOneOf(sql.fragment`c.kind`, contest_kinds),
    districts && isOneOf(sql.fragment`d.ocd_id`, districts),
    electionsFrom !== undefined && sql.fragment`l.date >= ${electionsFrom}::date`,
  ]);
}

/** A page of contests: federal, then state, then local ones, each in ballot order. */
export async function listContests(
  pool: DatabasePool,
  { filters, lang, after, limit }: ContestQuery,
): Promise<Page> {
  const [tier = null, order = null, id = null] = after ?? [];
  return loadPage(pool, {
    record: contestRecord(lang),
    from: CONTESTS,
    where: allOf([
      condition(filters),
      after !== null &&
        sql.fragment`(c.tier, c.ballot_order, c.id) > (${tier}::bigint, ${order}::bigint, ${id}::bigint)`,
    ]),
    keys: [sql.fragment`c.tier`, sql.fragment`c.ballot_order`, sql.fragment`c.id`],
    limit,
  });
}

/** A position (specification, "Position"): an endorser's picks, ranked ones first, the others in ballot order. */
const positionRecord = (lang: Language): Sql =>
  jsonObject({
    endorser: endorserRecord(lang),
    picks: jsonList(
      jsonObject({
        choice_id: sql.fragment`h.id`,
        ...localized('h', ['label'], lang),
        ...columns('h', ['measure_answer']),
        ...columns('n', ['rank']),
        ...localized('n', ['statement'], lang),
        ...columns('n', ['source_url', 'published_on']),
      }),
      sql.fragment`endorsements n JOIN choices h ON h.id = n.choice_id
        WHERE n.contest_id = c.id AND n.endorser_id = e.id`,
      sql.fragment`n.rank NULLS LAST, h.ballot_order, h.id`,
    ),
  });

const isFiltered = (filters: PositionFilters): boolean =>
  Object.values(filters).some((values) => values !== undefined);

/** The positions of the chosen endorsers in a contest, by their names. */
function positionList({ categories, endorsers, endorser_states }: PositionFilters, lang: Language): Sql {
  const chosen = allOf([
    categories && isOneOf(sql.fragment`e.category`, categories),
    endorsers && isOneOf(sql.fragment`e.slug`, endorsers),
    endorser_states && isAtHomeIn(endorser_states),
  ]);
  return jsonList(
    positionRecord(lang),
    sql.fragment`endorsers e JOIN endorser_categories k ON k.slug = e.category
      WHERE e.id IN (SELECT n.endorser_id FROM endorsements n WHERE n.contest_id = c.id) AND ${chosen}`,
    sql.fragment`e.name, e.id`,
  );
}

/** The JSON of one contest with the positions of the chosen endorsers, or null where it is on no ballot. */
export async function findContest(
  pool: DatabasePool,
  { id, filters, lang }: { id: number; filters: PositionFilters; lang: Language },
): Promise<string | null> {
  const record = jsonObject({
    ...contestFields(lang),
    choices: choiceList(lang),
    endorsements: positionList(filters, lang),
  });
  const typed = isFiltered(filters) ? sql.type(recordRow) : sql.prepared(`contest-${lang}`, recordRow);
  return pool.maybeOneFirst(
    typed`
      SELECT ${record}::text AS record FROM ${CONTESTS} WHERE c.id = ${id}::bigint AND c.removed_at IS NULL`,
  );
}
