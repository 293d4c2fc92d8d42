import { z } from 'zod';
import type { PageState } from '../../schemas/page-cursor.ts';
import type { Language } from '../../schemas/vocabulary.ts';
import { NATIONAL } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { allOf, columns, given, inEachLanguage, isOneOf, jsonObject, localized, type Sql } from './json.ts';
import { type Page, pageOf, pageRow } from './page.ts';
import { candidateRecord, districtRecord, electionRecord, endorserRecord, isAtHomeIn } from './records.ts';
import { offsetsAfter, type StoredStreamPosition } from './stream-position.ts';

/** Filters of a list of endorsements: fields combine with AND, values with OR; absent ones match everything. */
interface EndorsementFilters {
  categories?: readonly string[] | undefined;
  endorsers?: readonly string[] | undefined;
  endorser_states?: readonly string[] | undefined;
  states?: readonly string[] | undefined;
  elections?: readonly string[] | undefined;
  contest_kinds?: readonly string[] | undefined;
  levels?: readonly string[] | undefined;
  /** A contest id. */
  contest?: number | undefined;
  /** Only elections on or after this date, YYYY-MM-DD. */
  electionsFrom?: string | undefined;
}

export interface EndorsementQuery {
  filters: EndorsementFilters;
  lang: Language;
  /** The sort keys, an id, after which the page begins; null for the first page. */
  after: PageState | null;
  limit: number;
}

export interface EndorsementPage extends Page {
  /** The position of the stream that this page shows exactly: read in the same snapshot. */
  stream: StoredStreamPosition;
}

const row = pageRow.extend({ epoch: z.number(), sequence: z.number(), offsets: z.array(z.number()) });

/** Conditions on the endorser, of which some name few of them. */
function endorserConditions({ categories, endorsers, endorser_states }: EndorsementFilters): Sql[] {
  return given([
    categories && isOneOf(sql.fragment`e.category`, categories),
    endorsers && isOneOf(sql.fragment`e.slug`, endorsers),
    endorser_states && isAtHomeIn(endorser_states),
  ]);
}

function electionConditions({ states, elections, electionsFrom }: EndorsementFilters): Sql[] {
  return given([
    states && isOneOf(sql.fragment`l.state`, states),
    elections && isOneOf(sql.fragment`l.slug`, elections),
    electionsFrom !== undefined && sql.fragment`l.date >= ${electionsFrom}::date`,
  ]);
}

/**
 * A condition on the contest, if there is one. OFFSET 0 keeps it a look-up of each endorsement's contest, of which a page
 * needs few; as a join it tempts the planner to read all contests.
 */
function contestConditions({ contest_kinds, levels }: EndorsementFilters): Sql[] {
  const conditions = given([
    contest_kinds && isOneOf(sql.fragment`c.kind`, contest_kinds),
    levels && isOneOf(sql.fragment`d.level`, levels),
  ]);
  if (conditions.length === 0) return [];
  return [
    sql.fragment`EXISTS (
      SELECT FROM contests c JOIN districts d ON d.id = c.district_id
      WHERE c.id = n.contest_id AND ${allOf(conditions)} OFFSET 0)`,
  ];
}

/** The ids of a page and of one record more, in order: all that the filters need is looked at, and nothing else. */
function pickIds({ filters, after, limit }: Omit<EndorsementQuery, 'lang'>): Sql {
  const elections = electionConditions(filters);
  const endorsers = endorserConditions(filters);
  const contests = contestConditions(filters);
  const own = given([
    after !== null && sql.fragment`n.id > ${after[0] ?? null}`,
    filters.contest !== undefined && sql.fragment`n.contest_id = ${filters.contest}`,
  ]);
  const none = sql.fragment``;
  const joined = endorsers.length > 0 ? sql.fragment`JOIN endorsers e ON e.id = n.endorser_id` : none;
  const search = (join: Sql, conditions: Sql[]) => sql.fragment`
    SELECT n.id FROM endorsements n ${join}
    WHERE ${allOf([...conditions, ...own, ...contests])}
    ORDER BY n.id LIMIT ${limit + 1}`;

  // Few elections, or few endorsers, are searched one by one along an index, and what they give is merged: however
  // rare their endorsements are among all, none of the others is looked at.
  if (elections.length > 0) {
    return sql.fragment`SELECT found.id FROM elections l
      CROSS JOIN LATERAL (${search(joined, [sql.fragment`n.election_id = l.id`, ...endorsers])}) AS found
      WHERE ${allOf(elections)} ORDER BY found.id LIMIT ${limit + 1}`;
  }
  const { endorsers: slugs, endorser_states } = filters;
  if (slugs || (endorser_states && !endorser_states.includes(NATIONAL))) {
    return sql.fragment`SELECT found.id FROM endorsers e
      CROSS JOIN LATERAL (${search(none, [sql.fragment`n.endorser_id = e.id`])}) AS found
      WHERE ${allOf(endorsers)} ORDER BY found.id LIMIT ${limit + 1}`;
  }
  return search(joined, endorsers);
}

/**
 * SQL of one record of `from`, which is what follows FROM in a query of its own. The planner takes four small queries in
 * a fraction of the time that it needs to order the joins of one large one.
 */
const lookUp = (record: Sql, from: Sql): Sql => sql.fragment`(SELECT ${record} FROM ${from})`;

const record = inEachLanguage((lang) =>
  jsonObject({
    ...columns('n', ['id', 'rank']),
    ...localized('n', ['statement'], lang),
    ...columns('n', ['source_url', 'published_on']),
    updated_at: sql.fragment`iso_utc(n.updated_at)`,
    endorser: lookUp(
      endorserRecord(lang),
      sql.fragment`endorsers e JOIN endorser_categories k ON k.slug = e.category WHERE e.id = n.endorser_id`,
    ),
    contest: lookUp(
      jsonObject({
        ...columns('c', ['id']),
        ...localized('c', ['title', 'short_title'], lang),
        ...columns('c', ['kind']),
        district: districtRecord(lang),
      }),
      sql.fragment`contests c JOIN districts d ON d.id = c.district_id WHERE c.id = n.contest_id`,
    ),
    election: lookUp(electionRecord(lang), sql.fragment`elections l WHERE l.id = n.election_id`),
    choice: lookUp(
      jsonObject({
        ...columns('h', ['id']),
        ...localized('h', ['label'], lang),
        ...columns('h', ['measure_answer']),
        candidate: candidateRecord,
        ...columns('h', ['party']),
      }),
      sql.fragment`choices h LEFT JOIN candidates p ON p.id = h.candidate_id WHERE h.id = n.choice_id`,
    ),
  }),
);

/**
 * A page of endorsements by id, with the stream position that it shows: one statement, hence one snapshot. Changes up
 * to that position are in the page, later ones are not, since the order of sequences is the order of commits (INV-2).
 */
export async function listEndorsements(
  pool: DatabasePool,
  { lang, ...query }: EndorsementQuery,
): Promise<EndorsementPage> {
  const page = pageOf({
    record: record(lang),
    from: sql.fragment`(${pickIds(query)}) AS picked JOIN endorsements n ON n.id = picked.id`,
    where: sql.fragment`true`,
    keys: [sql.fragment`n.id`],
    limit: query.limit,
  });
  const { items, last, hasMore, ...stream } = await pool.one(sql.type(row)`
    SELECT page.*, s.epoch, s.last_sequence AS sequence, ${offsetsAfter(sql.fragment`s.last_sequence`)} AS offsets
    FROM stream_head s, (${page}) AS page`);
  return { items, last, hasMore, stream };
}
