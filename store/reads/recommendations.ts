import { z } from 'zod';
import type { EndorsedContest } from '../../domain/recommendation.ts';
import type { Language } from '../../schemas/vocabulary.ts';
import { type DatabasePool, noRow, sql } from '../connection/read-pool.ts';
import {
  allOf,
  type ContestFilters,
  contestConditions,
  type EndorserFilters,
  endorserConditions,
} from './conditions.ts';
import { columns, jsonObject, type Sql } from './json.ts';
import {
  BALLOT_CHOICES,
  BALLOT_ORDER,
  BY_NAME,
  CONTEST_ORDER,
  CONTESTS,
  choiceRecord,
  contestFields,
  ENDORSERS,
  electionFields,
  endorserRecord,
  pickFields,
} from './records.ts';

/** The choice of contests to recommend in. */
export interface ContestSelection extends ContestFilters {
  /** Contest ids. */
  contests?: readonly number[] | undefined;
}

export interface RecommendationQuery {
  /** A contest must match each of these. */
  contests: readonly ContestSelection[];
  endorsers: EndorserFilters;
  /** Only contests in which one of the endorsers took a position. */
  onlyEndorsed: boolean;
  lang: Language;
}

const contestRow = z.object({
  electionId: z.number(),
  /** The JSON of the contest without its choices. */
  record: z.string(),
  /** The JSON of an EndorsedContest. */
  endorsed: z.string(),
  /** The JSON of its choices, one on each line, in the order of `endorsed`. */
  choices: z.string(),
  /** The JSON of its picks without their endorsers, one on each line, in the order of `endorsed`. */
  picks: z.string(),
});

/** A contest as text. The caller parses one at a time. */
export type StoredContest = z.infer<typeof contestRow>;

/** The data for recommendations. */
export interface StoredRecommendations {
  /** By the election's date and slug, then federal, state and local, then by ballot order. */
  contests: readonly StoredContest[];
  /** The JSON of elections and of endorsers, by their ids. */
  elections: ReadonlyMap<number, string>;
  endorsers: ReadonlyMap<number, string>;
}

function isChosenContest({ contests, ...filters }: ContestSelection): Sql {
  return allOf([
    contests && sql.fragment`c.id = ANY(${sql.array([...contests], 'int8')})`,
    ...contestConditions(filters),
  ]);
}

const isChosenEndorser = (filters: EndorserFilters): Sql => allOf(endorserConditions(filters));

/** SQL of all rows of `from` as one: `facts`, a JSON list, and `records`, one on each line. JSON has no line breaks. */
function listed({ facts, record, from, order }: Record<'facts' | 'record' | 'from' | 'order', Sql>): Sql {
  return sql.fragment`(
    SELECT COALESCE(json_agg(${facts} ORDER BY ${order}), '[]') AS facts,
      COALESCE(string_agg(${record}::text, E'\n' ORDER BY ${order}), '') AS records
    FROM ${from})`;
}

const choicesOf = (lang: Language): Sql =>
  listed({
    facts: jsonObject({ ...columns('h', ['id', 'withdrawn']), candidate: sql.fragment`h.candidate_id` }),
    record: choiceRecord(lang),
    from: BALLOT_CHOICES,
    order: BALLOT_ORDER,
  });

const picksOf = (endorsers: EndorserFilters, lang: Language): Sql =>
  listed({
    facts: jsonObject({
      endorser: sql.fragment`n.endorser_id`,
      choice: sql.fragment`n.choice_id`,
      rank: sql.fragment`n.rank`,
    }),
    record: jsonObject(pickFields(lang)),
    from: sql.fragment`endorsements n JOIN endorsers e ON e.id = n.endorser_id
      WHERE n.contest_id = c.id AND ${isChosenEndorser(endorsers)}`,
    order: sql.fragment`${BY_NAME}, n.id`,
  });

function contestRows({ contests, endorsers, onlyEndorsed, lang }: RecommendationQuery): Sql {
  const endorsed = jsonObject({
    ...columns('c', ['vote_method', 'votes_allowed', 'ranks_allowed']),
    choices: sql.fragment`hs.facts`,
    picks: sql.fragment`ns.facts`,
  } satisfies Record<keyof EndorsedContest, Sql>);
  const where = [
    sql.fragment`c.removed_at IS NULL`,
    ...contests.map(isChosenContest),
    onlyEndorsed && sql.fragment`ns.records <> ''`,
  ];
  return sql.fragment`
    SELECT c.election_id AS "electionId", ${jsonObject(contestFields(lang))}::text AS record,
      ${endorsed}::text AS endorsed, hs.records AS choices, ns.records AS picks
    FROM ${CONTESTS}
      CROSS JOIN LATERAL ${choicesOf(lang)} AS hs
      CROSS JOIN LATERAL ${picksOf(endorsers, lang)} AS ns
    WHERE ${allOf(where)}
    ORDER BY ${sql.join(CONTEST_ORDER, sql.fragment`, `)}`;
}

const keyedRow = z.object({ id: z.number(), record: z.string() });
const byId = (rows: readonly z.infer<typeof keyedRow>[]) =>
  new Map(rows.map(({ id, record }) => [id, record]));

/**
 * Loads the data for recommendations, in one snapshot. Many contests share elections and endorsers, so these
 * are rendered once.
 */
export function loadRecommendations(
  pool: DatabasePool,
  query: RecommendationQuery,
): Promise<StoredRecommendations> {
  const { contests: chosen, endorsers: counted, lang } = query;
  return pool.transaction(async (transaction) => {
    await transaction.query(sql.type(noRow)`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);
    const contests = await transaction.any(sql.type(contestRow)`${contestRows(query)}`);
    const electionIds = [...new Set(contests.map(({ electionId }) => electionId))];
    const elections = await transaction.any(sql.type(keyedRow)`
      SELECT l.id, ${jsonObject(electionFields(lang))}::text AS record
      FROM elections l WHERE l.id = ANY(${sql.array(electionIds, 'int4')})`);
    const endorsers = await transaction.any(sql.type(keyedRow)`
      SELECT e.id, ${endorserRecord(lang)}::text AS record
      FROM ${ENDORSERS}
      WHERE ${isChosenEndorser(counted)} AND e.id IN (
        SELECT n.endorser_id
        FROM ${CONTESTS} JOIN endorsements n ON n.contest_id = c.id
        WHERE ${allOf(chosen.map(isChosenContest))})`);
    return { contests, elections: byId(elections), endorsers: byId(endorsers) };
  });
}
