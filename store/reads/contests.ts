import type { PageState } from '../../schemas/page-cursor.ts';
import type { Language } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import {
  allOf,
  ballotConditions,
  type ContestFilters,
  type ElectionFilters,
  type EndorserFilters,
  electionConditions,
  endorserConditions,
  given,
  isAnyGiven,
  isOneOf,
} from './conditions.ts';
import { columns, jsonObject, localized, recordRow, type Sql } from './json.ts';
import { loadPage, type Page } from './page.ts';
import {
  BALLOT_ORDER,
  BY_NAME,
  CONTEST_ORDER,
  CONTESTS,
  choiceList,
  contestFields,
  contestRecord,
  ENDORSERS,
  endorserRecord,
  jsonList,
  pickFields,
} from './records.ts';

/** The choice of a list's contests. */
export type ListedContestFilters = ContestFilters & {
  /** OCD division ids. */
  districts?: readonly string[] | undefined;
};

export interface ContestQuery {
  filters: ListedContestFilters;
  lang: Language;
  /** The sort keys (`CONTEST_ORDER`) after which the page begins; null for the first page. */
  after: PageState | null;
  limit: number;
}

/**
 * The conditions on the elections of contests, in the leading columns of the order of contests: the index
 * finds the contests of named elections and of states, and reads them in order.
 */
function heldIn({ elections, states, electionsFrom }: ElectionFilters): Sql[] {
  const chosen = allOf(electionConditions({ elections, states, electionsFrom }));
  return given([
    (elections ?? states) &&
      sql.fragment`c.election_slug = ANY(ARRAY(SELECT l.slug FROM elections l WHERE ${chosen}))`,
    electionsFrom !== undefined && sql.fragment`c.election_date >= ${electionsFrom}::date`,
  ]);
}

/** The conditions on contests that a filter chooses. */
function onBallots(filters: ListedContestFilters): Sql[] {
  return given([
    sql.fragment`c.removed_at IS NULL`,
    ...heldIn(filters),
    ...ballotConditions(filters),
    filters.districts && isOneOf(sql.fragment`d.ocd_id`, filters.districts),
  ]);
}

/** SQL of all contests of a filter by id, for an export. @param after only those with a higher id */
export function selectContests(
  filters: ListedContestFilters,
  lang: Language,
  after: number | undefined,
): Sql {
  const conditions = [...onBallots(filters), after !== undefined && sql.fragment`c.id > ${after}::bigint`];
  return sql.fragment`SELECT ${contestRecord(lang)}::text AS record FROM ${CONTESTS} WHERE ${allOf(conditions)} ORDER BY c.id`;
}

/** A page of contests by election, each with its federal, then state, then local ones in ballot order. */
export async function listContests(
  pool: DatabasePool,
  { filters, lang, after, limit }: ContestQuery,
): Promise<Page> {
  const { electionsFrom: _, ...others } = filters;
  const [date = null, slug = null, tier = null, order = null, id = null] = after ?? [];
  return loadPage(pool, {
    record: contestRecord(lang),
    from: CONTESTS,
    where: allOf([
      ...onBallots(filters),
      // (id + 1, >=) means the same as (id, >). But the planner estimates by the date alone, and expects no
      // rows from > if all remaining rows share the date. It would then read and sort all of them.
      after !== null &&
        sql.fragment`(${sql.join(CONTEST_ORDER, sql.fragment`, `)}) >=
          (${date}::date, ${slug}, ${tier}::bigint, ${order}::bigint, ${id}::bigint + 1)`,
    ]),
    keys: CONTEST_ORDER,
    limit,
    // The order begins with the date, so a first date does not change the plan.
    isFiltered: isAnyGiven(others),
  });
}

/** A position (specification, "Position"): an endorser's picks, ranked ones first, then the others in ballot order. */
const positionRecord = (lang: Language): Sql =>
  jsonObject({
    endorser: endorserRecord(lang),
    picks: jsonList(
      jsonObject({
        choice_id: sql.fragment`h.id`,
        ...localized('h', ['label'], lang),
        ...columns('h', ['measure_answer']),
        ...pickFields(lang),
      }),
      sql.fragment`endorsements n JOIN choices h ON h.id = n.choice_id
        WHERE n.contest_id = c.id AND n.endorser_id = e.id`,
      sql.fragment`n.rank NULLS LAST, ${BALLOT_ORDER}`,
    ),
  });

/** The positions of the chosen endorsers in a contest, by their names. */
const positionList = (chosen: readonly Sql[], lang: Language): Sql =>
  jsonList(
    positionRecord(lang),
    sql.fragment`${ENDORSERS}
      WHERE e.id IN (SELECT n.endorser_id FROM endorsements n WHERE n.contest_id = c.id) AND ${allOf(chosen)}`,
    BY_NAME,
  );

/** The JSON of a contest with the positions of the chosen endorsers; null if the contest is on no ballot. */
export async function findContest(
  pool: DatabasePool,
  { id, filters, lang }: { id: number; filters: EndorserFilters; lang: Language },
): Promise<string | null> {
  const chosen = endorserConditions(filters);
  const record = jsonObject({
    ...contestFields(lang),
    choices: choiceList(lang),
    endorsements: positionList(chosen, lang),
  });
  const typed = chosen.length > 0 ? sql.type(recordRow) : sql.prepared(`contest-${lang}`, recordRow);
  return pool.maybeOneFirst(
    typed`
      SELECT ${record}::text AS record FROM ${CONTESTS} WHERE c.id = ${id}::bigint AND c.removed_at IS NULL`,
  );
}
