import type { ClientBase } from 'pg';
import type { Removal } from '../../domain/removal-guard.ts';
import { MAX_PICKS } from '../../schemas/submission.ts';
import { CONTENDER, MOST_MARKED } from '../endorsements/contenders.ts';
import { MISSING, WANTED } from './staged.ts';

/*
 * The consequences of sending what is staged, as people see them before they decide.
 */

/** The effect on an endorsement of sending the staged rows. */
type Effect = 'created' | 'changed' | 'unchanged' | 'withdrawn';

export interface EffectRow {
  effect: Effect;
  endorser: string;
  contest: string;
  choice: string;
  /** The endorser's name, the contest's title and district, and the choice's label. */
  name: string;
  title: string;
  district: string;
  label: string;
}

/**
 * A query of the endorsers and contests whose positions the staged rows may change.
 *
 * @param replace whether what the rows lack is withdrawn
 */
export const touchedPositions = (replace: boolean): string =>
  `SELECT endorser, contest FROM staged_rows ${replace ? `UNION SELECT endorser, contest FROM (${MISSING}) AS missing` : 'GROUP BY 1, 2'}`;

const EFFECTS = (withdraw: boolean) => `WITH ${WANTED}
  SELECT CASE WHEN n.id IS NULL THEN 'created'
    WHEN (n.rank, n.statement, n.statement_es, n.source_url, n.published_on)
      IS DISTINCT FROM (w.rank, w.statement, w.statement_es, w.source_url, w.published_on) THEN 'changed'
    ELSE 'unchanged' END AS effect, w.endorser, w.contest, w.choice,
    md5(ROW(w.rank, w.statement, w.statement_es, w.source_url, w.published_on, w.details,
      n.rank, n.statement, n.statement_es, n.source_url, n.published_on)::text) AS texts
  FROM wanted w
  JOIN endorsers e ON e.slug = w.endorser
  JOIN contests c ON c.key = w.contest
  JOIN choices h ON h.contest_id = c.id AND h.key = w.choice
  LEFT JOIN endorsements n ON n.endorser_id = e.id AND n.choice_id = h.id
  ${withdraw ? `UNION ALL SELECT 'withdrawn', endorser, contest, choice, '' FROM (${MISSING}) AS missing` : ''}`;

/** The staged rows beside the stored endorsements. */
export interface StageComparison {
  /** The number of rows with each effect. */
  counts: Record<Effect, number>;
  /** The first rows that change something. */
  rows: EffectRow[];
  /** The number of rows that repeat an earlier one. */
  repeated: number;
  /** It differs if anything is staged or stored that was not before. */
  digest: string;
}

/** Compares the staged rows with the stored endorsements. @param replace whether what the rows lack is withdrawn */
export async function compareStage(
  client: ClientBase,
  { replace, most }: { replace: boolean; most: number },
): Promise<StageComparison> {
  const counted = await client.query<{ effect: Effect; count: number }>(
    `SELECT effect, count(*)::int AS count FROM (${EFFECTS(replace)}) AS effects GROUP BY effect`,
  );
  const shown = await client.query<EffectRow>(
    `WITH shown AS (
      SELECT effect, endorser, contest, choice FROM (${EFFECTS(replace)}) AS effects WHERE effect <> 'unchanged'
      ORDER BY effect DESC, endorser, contest, choice LIMIT $1)
    SELECT shown.*, e.name, c.title, d.name AS district, h.label FROM shown JOIN endorsers e ON e.slug = shown.endorser
      JOIN contests c ON c.key = shown.contest JOIN districts d ON d.id = c.district_id JOIN choices h ON h.contest_id = c.id AND h.key = shown.choice
    ORDER BY effect DESC, endorser, contest, choice`,
    [most],
  );
  const digested = await client.query<{ digest: string }>(
    `SELECT md5(COALESCE(string_agg(effects::text, ';' ORDER BY endorser, contest, choice), '')) AS digest
    FROM (${EFFECTS(replace)}) AS effects`,
  );
  const repeated = await client.query<{ count: number }>(
    `SELECT (count(*) - count(DISTINCT (endorser, contest, choice)))::int AS count FROM staged_rows`,
  );
  const counts = { created: 0, changed: 0, unchanged: 0, withdrawn: 0 };
  for (const { effect, count } of counted.rows) counts[effect] = count;
  return {
    counts,
    rows: shown.rows,
    repeated: repeated.rows[0]?.count ?? 0,
    digest: digested.rows[0]?.digest ?? '',
  };
}

/** A position that the staged rows add choices to. */
export interface CrowdedPosition {
  endorser: string;
  /** The contest's id. */
  contest: number;
  /** The endorser's name, the contest's title, and its district. */
  name: string;
  title: string;
  district: string;
  /** The labels of its choices, in the order of the ballot. */
  labels: string[];
  /** Whether two of them have one rank. */
  hasRankTwice: boolean;
}

/**
 * The positions that get a choice, and then have more of them than a voter may mark, or a rank twice; at most `most`.
 *
 * @param replace whether what the rows lack is withdrawn
 */
export async function findCrowded(
  client: ClientBase,
  { replace, most }: { replace: boolean; most: number },
): Promise<CrowdedPosition[]> {
  const { rows } = await client.query<CrowdedPosition>(
    `WITH ${WANTED}, meant AS (
      SELECT e.id AS endorser_id, h.contest_id, h.id AS choice_id, w.rank, n.id IS NULL OR n.rank IS DISTINCT FROM w.rank AS is_new
      FROM wanted w JOIN endorsers e ON e.slug = w.endorser JOIN contests c ON c.key = w.contest
        JOIN choices h ON h.contest_id = c.id AND h.key = w.choice
        LEFT JOIN endorsements n ON n.endorser_id = e.id AND n.choice_id = h.id
    ), picks AS (
      SELECT * FROM meant
      ${
        replace
          ? ''
          : `UNION ALL SELECT endorser_id, contest_id, n.choice_id, n.rank, false
        FROM (SELECT DISTINCT endorser_id, contest_id FROM meant WHERE is_new) AS m JOIN endorsements n USING (endorser_id, contest_id)
        WHERE (endorser_id, n.choice_id) NOT IN (SELECT endorser_id, choice_id FROM meant)`
      }
    )
    SELECT e.slug AS endorser, c.id::float8 AS contest, e.name, c.title, d.name AS district,
      array_agg(h.label ORDER BY h.ballot_order, h.id) AS labels, count(rank) > count(DISTINCT rank) AS "hasRankTwice"
    FROM picks p JOIN endorsers e ON e.id = p.endorser_id JOIN contests c ON c.id = p.contest_id
      JOIN districts d ON d.id = c.district_id JOIN choices h ON h.id = p.choice_id
    GROUP BY e.id, c.id, d.id
    HAVING bool_or(is_new) AND (count(rank) > count(DISTINCT rank)
      OR count(DISTINCT ${CONTENDER}) > ${MOST_MARKED})
    ORDER BY e.name, c.title, c.id LIMIT $1`,
    [most],
  );
  return rows;
}

/** Counts the endorsements that replacing would withdraw, by endorser and election. */
export async function countWithdrawals(client: ClientBase): Promise<Removal[]> {
  const { rows } = await client.query<{ endorser: string; election: string; removed: number; of: number }>(
    `SELECT endorser, l.slug AS election, count(*)::int AS removed,
      (SELECT g.endorsements FROM endorsing g JOIN endorsers e ON e.id = g.endorser_id
        WHERE e.slug = missing.endorser AND g.election_id = l.id) AS of
    FROM (${MISSING}) AS missing JOIN elections l ON l.id = missing.election_id
    GROUP BY endorser, l.id, l.slug ORDER BY endorser, l.slug`,
  );
  return rows.map(({ endorser, election, removed, of }) => ({
    from: `${endorser} in ${election}`,
    records: [{ kind: 'endorsements', removed, of }],
  }));
}

/** The endorsers and contests whose staged position has more picks than a submission can. */
export async function findOversizedPositions(
  client: ClientBase,
): Promise<{ endorser: string; contest: string }[]> {
  const { rows } = await client.query<{ endorser: string; contest: string }>(
    `SELECT endorser, contest FROM staged_rows GROUP BY endorser, contest
    HAVING count(DISTINCT choice) > ${MAX_PICKS} LIMIT 5`,
  );
  return rows;
}
