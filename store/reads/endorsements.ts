import type { PageState } from '../../schemas/page-cursor.ts';
import { type Language, NATIONAL } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import {
  allOf,
  ballotConditions,
  type ContestFilters,
  type EndorserFilters,
  electionConditions,
  endorserConditions,
  given,
  isAnyGiven,
} from './conditions.ts';
import { columns, inEachLanguage, jsonObject, localized, type Sql } from './json.ts';
import { type Page, pageOf, pageRow, sizeOf } from './page.ts';
import { prepareRepeated } from './prepare.ts';
import {
  candidateRecord,
  districtRecord,
  ENDORSERS,
  electionRecord,
  endorsementFields,
  endorserRecord,
} from './records.ts';
import { offsetsAfter, pointRow, type StreamPoint } from './stream-points.ts';

/** The choice of endorsements. */
export type EndorsementFilters = EndorserFilters &
  ContestFilters & {
    /** A contest id. */
    contest?: number | undefined;
  };

export interface EndorsementQuery {
  filters: EndorsementFilters;
  lang: Language;
  /** The sort key (id) after which the page begins; null for the first page. */
  after: PageState | null;
  limit: number;
}

export interface EndorsementPage extends Page {
  /** The exact point of the stream of this page, from the same snapshot. */
  stream: StreamPoint;
}

const row = pageRow.extend(pointRow.shape);

/**
 * The conditions on the contest as one. OFFSET 0 keeps it a look-up of each endorsement's contest, of which a
 * page has few. With a join, the planner may read all contests.
 */
function lookUpContest(conditions: readonly Sql[]): Sql {
  return sql.fragment`EXISTS (
    SELECT FROM contests c JOIN districts d ON d.id = c.district_id
    WHERE c.id = n.contest_id AND ${allOf(conditions)} OFFSET 0)`;
}

/** The ids of a page and of one more record, in order. Reads only the columns that the filters need. */
function pickIds({ filters, after, limit }: Omit<EndorsementQuery, 'lang'>): Sql {
  const elections = electionConditions(filters);
  const endorsers = endorserConditions(filters);
  const contests = ballotConditions(filters);
  const own = given([
    after !== null && sql.fragment`n.id > ${after[0] ?? null}::bigint`,
    filters.contest !== undefined && sql.fragment`n.contest_id = ${filters.contest}::bigint`,
    contests.length > 0 && lookUpContest(contests),
  ]);
  const none = sql.fragment``;
  const size = sizeOf(limit + 1, isAnyGiven(filters));
  const joined = endorsers.length > 0 ? sql.fragment`JOIN endorsers e ON e.id = n.endorser_id` : none;
  const search = (join: Sql, conditions: Sql[]) => sql.fragment`
    SELECT n.id FROM endorsements n ${join}
    WHERE ${allOf([...conditions, ...own])}
    ORDER BY n.id LIMIT ${size}`;

  // Filters name few elections or endorsers. Searching each along an index and merging the results never
  // reads other endorsements, however rare the matches are.
  if (elections.length > 0) {
    return sql.fragment`SELECT found.id FROM elections l
      CROSS JOIN LATERAL (${search(joined, [sql.fragment`n.election_id = l.id`, ...endorsers])}) AS found
      WHERE ${allOf(elections)} ORDER BY found.id LIMIT ${size}`;
  }
  const { endorsers: slugs, endorser_states } = filters;
  if (slugs || (endorser_states && !endorser_states.includes(NATIONAL))) {
    return sql.fragment`SELECT found.id FROM endorsers e
      CROSS JOIN LATERAL (${search(none, [sql.fragment`n.endorser_id = e.id`])}) AS found
      WHERE ${allOf(endorsers)} ORDER BY found.id LIMIT ${size}`;
  }
  return search(joined, endorsers);
}

/** The parts of an endorsement's record that many endorsements have in common, each with the FROM of its one row. */
const partsOf = inEachLanguage(
  (lang): Record<'endorser' | 'contest' | 'election' | 'choice', Sql> => ({
    endorser: sql.fragment`SELECT ${endorserRecord(lang)} AS record FROM ${ENDORSERS} WHERE e.id = n.endorser_id`,
    contest: sql.fragment`
    SELECT ${jsonObject({
      ...columns('c', ['id']),
      ...localized('c', ['title', 'short_title'], lang),
      ...columns('c', ['kind']),
      district: districtRecord(lang),
    })} AS record
    FROM contests c JOIN districts d ON d.id = c.district_id WHERE c.id = n.contest_id`,
    election: sql.fragment`SELECT ${electionRecord(lang)} AS record FROM elections l WHERE l.id = n.election_id`,
    choice: sql.fragment`
    SELECT ${jsonObject({
      ...columns('h', ['id']),
      ...localized('h', ['label'], lang),
      ...columns('h', ['measure_answer']),
      candidate: candidateRecord,
      ...columns('h', ['party']),
    })} AS record
    FROM choices h LEFT JOIN candidates p ON p.id = h.candidate_id WHERE h.id = n.choice_id`,
  }),
);

const mapParts = (lang: Language, change: (part: Sql, name: string) => Sql): Record<string, Sql> =>
  Object.fromEntries(Object.entries(partsOf(lang)).map(([name, part]) => [name, change(part, name)]));

/** Looks up each part. Planning four small queries takes a fraction of the time of ordering the joins of a large one. */
const record = inEachLanguage((lang) =>
  jsonObject({ ...endorsementFields(lang), ...mapParts(lang, (part) => sql.fragment`(${part})`) }),
);

/**
 * The FROM of all endorsements with their parts, each rendered once for many endorsements: Postgres remembers the rows
 * of a lateral join (Memoize). OFFSET 0 keeps the rendering inside.
 */
const joinedParts = inEachLanguage((lang) => {
  const joins = mapParts(
    lang,
    (part, name) =>
      sql.fragment`LEFT JOIN LATERAL (${part} OFFSET 0) AS ${sql.identifier([`of_${name}`])} ON true`,
  );
  return sql.fragment`endorsements n ${sql.join(Object.values(joins), sql.fragment` `)}`;
});
const joinedRecord = inEachLanguage((lang) =>
  jsonObject({
    ...endorsementFields(lang),
    ...mapParts(lang, (_, name) => sql.fragment`${sql.identifier([`of_${name}`, 'record'])}`),
  }),
);

/**
 * A page of endorsements by id, with the point of the stream that it shows. Both come from one statement and
 * so from one snapshot. Sequences are in the order of commits, so the page holds the changes up to that point
 * and no later ones (INV-2).
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
    isFiltered: isAnyGiven(query.filters),
  });
  const { items, last, hasMore, ...stream } = await pool.one(
    prepareRepeated(
      pool,
      sql.type(row)`
      SELECT page.*, s.epoch, s.last_sequence AS sequence, ${offsetsAfter(sql.fragment`s.last_sequence`)} AS offsets
      FROM stream_head s, (${page}) AS page`,
    ),
  );
  return { items, last, hasMore, stream };
}

/** SQL of all endorsements of a filter by id, for an export. @param after only those with a higher id */
export function selectEndorsements(
  filters: EndorsementFilters,
  lang: Language,
  after: number | undefined,
): Sql {
  const elections = electionConditions(filters);
  const endorsers = endorserConditions(filters);
  const contests = ballotConditions(filters);
  const conditions = given([
    after !== undefined && sql.fragment`n.id > ${after}::bigint`,
    filters.contest !== undefined && sql.fragment`n.contest_id = ${filters.contest}::bigint`,
    elections.length > 0 &&
      sql.fragment`n.election_id IN (SELECT l.id FROM elections l WHERE ${allOf(elections)})`,
    endorsers.length > 0 &&
      sql.fragment`n.endorser_id IN (SELECT e.id FROM endorsers e WHERE ${allOf(endorsers)})`,
    contests.length > 0 && lookUpContest(contests),
  ]);
  return sql.fragment`
    SELECT ${joinedRecord(lang)}::text AS record FROM ${joinedParts(lang)}
    WHERE ${allOf(conditions)} ORDER BY n.id`;
}
