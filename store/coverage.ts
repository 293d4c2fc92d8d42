import { columns, itemsRow, jsonObject } from './json.ts';
import { type DatabasePool, sql } from './pool.ts';

/**
 * What there is of every state (specification, "Coverage"), in the order of codes: the items of a JSON list. An
 * endorser counts where it has endorsed, wherever it is at home.
 *
 * @param electionsFrom counts only elections on or after this date, YYYY-MM-DD.
 */
export async function listCoverage(pool: DatabasePool, electionsFrom: string | undefined): Promise<string> {
  const record = jsonObject({
    state: sql.fragment`s.code`,
    ...columns('s', ['name']),
    election_count: sql.fragment`COALESCE(held.elections, 0)`,
    contest_count: sql.fragment`COALESCE(held.contests, 0)`,
    measure_count: sql.fragment`COALESCE(held.measures, 0)`,
    endorser_count: sql.fragment`COALESCE(backed.endorsers, 0)`,
    endorsement_count: sql.fragment`COALESCE(backed.endorsements, 0)`,
    endorsed_contest_count: sql.fragment`COALESCE(held.endorsed, 0)`,
    first_election: sql.fragment`held.first`,
    last_election: sql.fragment`held.last`,
    updated_at: sql.fragment`iso_utc(held.updated_at)`,
  });
  return pool.oneFirst(
    sql.type(itemsRow)`
      WITH counted AS (SELECT * FROM elections WHERE date >= ${electionsFrom ?? '-infinity'}::date),
      on_ballot AS (
        SELECT c.election_id, count(*) AS contests, count(*) FILTER (WHERE c.kind = 'measure') AS measures,
          count(*) FILTER (WHERE EXISTS (SELECT FROM endorsements n WHERE n.contest_id = c.id)) AS endorsed
        FROM contests c JOIN counted l ON l.id = c.election_id WHERE c.removed_at IS NULL GROUP BY c.election_id),
      -- Contests that were removed count no more, and say when that was.
      changed AS (SELECT election_id, max(updated_at) AS updated_at FROM contests GROUP BY election_id),
      held AS (
        SELECT state, count(*) AS elections, sum(contests) AS contests, sum(measures) AS measures,
          sum(endorsed) AS endorsed, min(date) AS first, max(date) AS last,
          max(GREATEST(counted.updated_at, changed.updated_at, activity.changed_at)) AS updated_at
        FROM counted LEFT JOIN on_ballot ON on_ballot.election_id = id LEFT JOIN changed ON changed.election_id = id
          LEFT JOIN endorsement_activity activity ON activity.election_id = id
        GROUP BY state),
      backed AS (
        SELECT state, count(DISTINCT endorser_id) AS endorsers, sum(endorsements) AS endorsements
        FROM counted JOIN endorsing ON election_id = id GROUP BY state)
      SELECT string_agg(${record}::text, ',' ORDER BY s.code) AS items
      FROM states s LEFT JOIN held ON held.state = s.code LEFT JOIN backed ON backed.state = s.code`,
  );
}
