import { z } from 'zod';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { columns, jsonObject } from './json.ts';

const coverageRow = z.object({ code: z.string(), record: z.string() });

/**
 * The JSON of the coverage of these states (specification, "Coverage"), by code. An endorser counts in the states of its
 * endorsements, wherever its home is.
 *
 * @param electionsFrom counts only elections on or after this date, YYYY-MM-DD.
 */
export async function loadCoverage(
  pool: DatabasePool,
  states: readonly string[],
  electionsFrom: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const record = jsonObject({
    state: sql.fragment`s.code`,
    ...columns('s', ['name']),
    election_count: sql.fragment`COALESCE(held.elections, 0)`,
    contest_count: sql.fragment`COALESCE(held.contests, 0)`,
    measure_count: sql.fragment`COALESCE(held.measures, 0)`,
    endorser_count: sql.fragment`COALESCE(backed.endorsers, 0)`,
    endorsement_count: sql.fragment`COALESCE(held.endorsements, 0)`,
    endorsed_contest_count: sql.fragment`COALESCE(held.endorsed, 0)`,
    first_election: sql.fragment`held.first`,
    last_election: sql.fragment`held.last`,
    updated_at: sql.fragment`iso_utc(changed.updated_at)`,
  });
  const chosen = sql.array([...states], 'text');
  const rows = await pool.any(
    sql.prepared(states.length === 1 ? 'coverage of a state' : 'coverage', coverageRow)`
      WITH dated AS (
        SELECT * FROM elections
        WHERE state = ANY(${chosen}) AND date >= ${electionsFrom ?? '-infinity'}::date),
      counted AS (
        SELECT * FROM dated WHERE removed_at IS NULL),
      held AS (
        SELECT state, count(*) AS elections, sum(ballot.contests) AS contests, sum(ballot.measures) AS measures,
          sum(activity.endorsements) AS endorsements, sum(activity.endorsed_contests) AS endorsed,
          min(date) AS first, max(date) AS last
        FROM counted LEFT JOIN ballot_sizes ballot ON ballot.election_id = id
          LEFT JOIN endorsement_activity activity ON activity.election_id = id
        GROUP BY state),
      -- Other changes: a removal, the second day after an election, which then is no longer upcoming, and an
      -- import that moves an election to another state or date while it counts here.
      changed AS (
        SELECT state, max(changed_at) AS updated_at
        FROM (
          SELECT state, GREATEST(dated.updated_at, removed_at, ballot.changed_at, activity.changed_at) AS changed_at
          FROM dated LEFT JOIN ballot_sizes ballot ON ballot.election_id = id
            LEFT JOIN endorsement_activity activity ON activity.election_id = id
          UNION ALL
          SELECT state, (date + 2)::timestamp AT TIME ZONE 'UTC'
          FROM elections WHERE state = ANY(${chosen}) AND date < ${electionsFrom ?? '-infinity'}::date
          UNION ALL
          SELECT state, CASE WHEN date >= ${electionsFrom ?? '-infinity'}::date THEN left_at
            ELSE LEAST(left_at, (date + 2)::timestamp AT TIME ZONE 'UTC') END
          FROM left_elections WHERE state = ANY(${chosen})) AS changes
        GROUP BY state),
      -- An endorser in several elections of a state counts once. DISTINCT hashes, which is faster than
      -- count(DISTINCT).
      backed AS (
        SELECT state, count(*) AS endorsers
        FROM (SELECT DISTINCT state, endorser_id FROM counted JOIN endorsing ON election_id = id) AS backers
        GROUP BY state)
      SELECT s.code, ${record}::text AS record
      FROM states s LEFT JOIN held ON held.state = s.code LEFT JOIN backed ON backed.state = s.code
        LEFT JOIN changed ON changed.state = s.code
      WHERE s.code = ANY(${chosen})`,
  );
  return new Map(rows.map(({ code, record: json }) => [code, json]));
}
