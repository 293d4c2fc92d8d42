/*
 * Finds the held picks that an edit of the catalogue makes impossible, and decides what becomes of them (contract,
 * "Edits that make held picks impossible"). The announcer carries it out (`store/endorsements/announce.ts`).
 */
import type { ClientBase } from 'pg';

/** Makes the temporary tables of one edit. They live until the transaction ends. */
export async function beginSettling(client: ClientBase): Promise<void> {
  await client.query(`
    CREATE TEMPORARY TABLE removed_contests (id integer PRIMARY KEY) ON COMMIT DROP;
    -- Choices that lose all endorsements. Without removed, they stay, but mean something else.
    CREATE TEMPORARY TABLE emptied_choices (id integer PRIMARY KEY, removed boolean NOT NULL) ON COMMIT DROP;
    CREATE TEMPORARY TABLE unranked_contests (id integer PRIMARY KEY) ON COMMIT DROP`);
}

/** Notes the contests and choices that the edit removes. The choices of the contests are not removed yet. */
export async function noteRemoved(
  client: ClientBase,
  { contests, choices }: Record<'contests' | 'choices', readonly { id: number }[]>,
): Promise<void> {
  const [contestIds, choiceIds] = [contests.map(({ id }) => id), choices.map(({ id }) => id)];
  await client.query('INSERT INTO removed_contests SELECT unnest($1::int[])', [contestIds]);
  await client.query(
    `INSERT INTO emptied_choices SELECT id, true FROM choices
     WHERE id = ANY($1) OR contest_id = ANY($2) AND removed_at IS NULL`,
    [choiceIds, contestIds],
  );
}

/** Notes the contests that stop being ranked. To be called before the staged contests are merged. */
export async function noteUnranked(client: ClientBase): Promise<void> {
  await client.query(`
    INSERT INTO unranked_contests SELECT t.id FROM contests t JOIN staged_contests s USING (key)
    WHERE t.vote_method = 'ranked_choice' AND s.vote_method <> 'ranked_choice'`);
}

/** The answer of a choice, if it is one, or that it is a candidate; otherwise null. */
const meaning = (alias: string) =>
  `COALESCE(${alias}.measure_answer, CASE WHEN ${alias}.candidate_id IS NOT NULL THEN 'candidate' END)`;

/**
 * Notes the choices that keep their keys but mean something else: a yes becomes a no, or a candidate becomes
 * `none_of_these`. Nobody has endorsed the new meaning. To be called before the staged choices are merged.
 */
export async function noteChangedMeanings(client: ClientBase): Promise<void> {
  await client.query(`
    INSERT INTO emptied_choices SELECT t.id, false
    FROM choices t JOIN staged_choices s USING (contest_id, key)
    WHERE t.option IS DISTINCT FROM s.option OR ${meaning('t')} <> ${meaning('s')}`);
}

/**
 * The held picks of contests that stop being ranked, and how the edit settles them: of the picks with ranks, an
 * endorser keeps the first among the standing choices, without its rank. As in a recommendation, a pick without a rank
 * is a first choice. It stays as it is.
 */
const PICKS_OF_UNRANKED = `
  SELECT id, election_id, CASE WHEN standing AND rank = best THEN 'unranked' ELSE 'withdrawn' END AS settled
  FROM (
    SELECT n.id, n.election_id, n.rank, NOT h.withdrawn AS standing,
      min(COALESCE(n.rank, 1)) FILTER (WHERE NOT h.withdrawn) OVER (PARTITION BY n.contest_id, n.endorser_id) AS best
    FROM unranked_contests u JOIN endorsements n ON n.contest_id = u.id JOIN choices h ON h.id = n.choice_id
    WHERE n.choice_id NOT IN (SELECT id FROM emptied_choices)
  ) AS held WHERE rank IS NOT NULL`;

/** The endorsements that the edit withdraws, one row with its `election_id` each. */
export const WITHDRAWN = `
  SELECT n.election_id FROM emptied_choices e JOIN endorsements n ON n.choice_id = e.id
  UNION ALL
  SELECT election_id FROM (${PICKS_OF_UNRANKED}) AS settled WHERE settled = 'withdrawn'`;

/** Lists the endorsements of emptied choices as stale. @param after only endorsements with a higher id */
export async function listEmptied(client: ClientBase, after: number): Promise<void> {
  await client.query(
    `INSERT INTO stale_announcements (endorsement_id, settled)
     SELECT n.id, 'withdrawn' FROM emptied_choices e JOIN endorsements n ON n.choice_id = e.id WHERE n.id > $1
     ON CONFLICT (endorsement_id) DO UPDATE SET settled = excluded.settled`,
    [after],
  );
}

/**
 * Lists the picks with ranks of contests that stop being ranked. A new pick can change which of an endorser's picks
 * stays, so the caller holds the stream's lock or rolls back.
 */
export async function listUnranked(client: ClientBase): Promise<void> {
  await client.query(
    `INSERT INTO stale_announcements (endorsement_id, settled) SELECT id, settled FROM (${PICKS_OF_UNRANKED}) AS settled
     ON CONFLICT (endorsement_id) DO UPDATE SET settled = excluded.settled`,
  );
}
