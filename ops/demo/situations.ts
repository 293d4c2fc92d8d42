import type pg from 'pg';
import type { DemoSituation } from './changes.ts';

/**
 * Chooses a demo endorser and an upcoming demo contest by two numbers from 0 up to 1. Half of the time the endorser has
 * a position in the contest. Null if the store has no demo, or no match for the numbers.
 */
export async function findSituation(
  pool: pg.Pool,
  today: string,
  [first, second]: readonly [number, number],
): Promise<DemoSituation | null> {
  const pair =
    first < 0.5 ? await endorsedPair(pool, today, second) : await anyPair(pool, today, first, second);
  if (!pair) return null;
  const { rows } = await pool.query<DemoSituation>(
    `SELECT endorsers.slug AS endorser, contests.key AS contest, contests.vote_method AS "voteMethod",
      ARRAY(
        SELECT key FROM choices
        WHERE contest_id = contests.id AND removed_at IS NULL AND NOT withdrawn AND option IS NULL
        ORDER BY ballot_order
      ) AS choices,
      ARRAY(
        SELECT json_build_object('choice', choices.key, 'rank', endorsements.rank)
        FROM endorsements JOIN choices ON choices.id = endorsements.choice_id
        WHERE endorsements.endorser_id = endorsers.id AND endorsements.contest_id = contests.id
        ORDER BY endorsements.rank, choices.ballot_order
      ) AS picks
    FROM contests, endorsers
    WHERE contests.id = $1 AND endorsers.id = $2`,
    [pair.contest_id, pair.endorser_id],
  );
  return rows[0] ?? null;
}

interface Pair {
  contest_id: number;
  endorser_id: number;
}

/** The position of some demo endorser: that of the first endorsement after a point in the numbering. */
async function endorsedPair(pool: pg.Pool, today: string, at: number): Promise<Pair | null> {
  const { rows } = await pool.query<Pair>(
    `SELECT endorsements.contest_id, endorsements.endorser_id
    FROM endorsements
    JOIN endorsers ON endorsers.id = endorsements.endorser_id
    JOIN elections ON elections.id = endorsements.election_id
    WHERE endorsements.id >= (SELECT min(id) + floor((max(id) - min(id)) * $1::float8) FROM endorsements)
      AND endorsers.source ->> 'dataset' = 'demo' AND elections.date >= $2
    ORDER BY endorsements.id
    LIMIT 1`,
    [at, today],
  );
  return rows[0] ?? null;
}

/** Any upcoming demo contest, and any demo endorser of its state. */
async function anyPair(pool: pg.Pool, today: string, first: number, second: number): Promise<Pair | null> {
  const { rows } = await pool.query<Pair>(
    `WITH contest AS (
      SELECT contests.id, elections.state
      FROM contests JOIN elections ON elections.id = contests.election_id
      WHERE contests.id >= (SELECT floor(max(id) * $1::float8) FROM contests)
        AND contests.source ->> 'dataset' = 'demo' AND contests.removed_at IS NULL AND elections.date >= $3
      ORDER BY contests.id
      LIMIT 1
    )
    SELECT contest.id AS contest_id, endorsers.id AS endorser_id
    FROM contest JOIN endorsers ON endorsers.state = contest.state OR endorsers.state IS NULL
    WHERE endorsers.source ->> 'dataset' = 'demo'
    ORDER BY endorsers.id
    OFFSET (
      SELECT floor(count(*) * $2::float8) FROM endorsers
      WHERE (state = (SELECT state FROM contest) OR state IS NULL) AND source ->> 'dataset' = 'demo'
    )
    LIMIT 1`,
    [(first - 0.5) * 2, second, today],
  );
  return rows[0] ?? null;
}
