import type { ClientBase } from 'pg';
import type { Removal } from '../../domain/removal-guard.ts';
import type { Equals } from './adopt-keys.ts';
import { noteRemoved, WITHDRAWN } from './settled.ts';

/** The number of removed contests and choices, without the choices of removed contests. */
export interface RemovedCounts {
  contests: number;
  choices: number;
}

/** Whether a contest `c` stays as it is: no line changes it, and it has not vanished (`removeVanished`). $1 is `keepMissing`. */
export const STAYS = `(c.key NOT IN (SELECT key FROM staged WHERE kind = 'contests' AND NOT refused)
  AND ($1 OR c.key IN (SELECT key FROM staged WHERE kind = 'contests' AND key IS NOT NULL)
    OR EXISTS (SELECT FROM staged WHERE kind = 'contests' AND key IS NULL)
    OR split_part(c.key, '/', 1) NOT IN (
      SELECT split_part(key, '/', 1) FROM staged WHERE kind = 'contests' AND NOT refused)))`;

/**
 * Marks contests and choices as removed if they vanished from the elections of the staged contests, and notes
 * that their endorsements must be withdrawn (contract, "Catalogue and submission files").
 *
 * A contest with a refused line has not vanished. A refused line without a key may be any contest, so nothing
 * is removed then.
 *
 * @param options.keepMissing keeps what vanished
 * @param options.equals rows to remove in any case, because the staged lines name others as these
 */
export async function removeVanished(
  client: ClientBase,
  { keepMissing, equals }: { keepMissing: boolean; equals: Equals },
): Promise<RemovedCounts> {
  const contests = await client.query<{ id: number }>(
    `UPDATE contests SET removed_at = clock_timestamp()
    WHERE removed_at IS NULL AND (id = ANY($1)
      OR NOT $2 AND election_id IN (SELECT election_id FROM staged_contests)
      AND key NOT IN (SELECT key FROM staged WHERE kind = 'contests' AND key IS NOT NULL)
      AND NOT EXISTS (SELECT FROM staged WHERE kind = 'contests' AND key IS NULL))
    RETURNING id`,
    [equals.contests, keepMissing],
  );
  const choices = await client.query<{ id: number }>(
    `UPDATE choices SET removed_at = clock_timestamp()
    FROM contests JOIN staged_contests USING (key)
    WHERE choices.contest_id = contests.id AND choices.removed_at IS NULL AND (choices.id = ANY($1)
      OR NOT $2 AND NOT EXISTS (
        SELECT FROM staged_choices s WHERE s.contest_id = choices.contest_id AND s.key = choices.key))
    RETURNING choices.id`,
    [equals.choices, keepMissing],
  );
  await noteRemoved(client, { contests: contests.rows, choices: choices.rows });
  return { contests: contests.rows.length, choices: choices.rows.length };
}

/** Counts what the edit takes away, by election: removed contests and choices, and withdrawn endorsements. */
export async function countByElection(client: ClientBase): Promise<Removal[]> {
  const { rows } = await client.query<{
    election: string;
    contests: number;
    choices: number;
    endorsements: number;
    ofContests: number;
    ofEndorsements: number;
  }>(
    `WITH taken (election_id, contests, choices, endorsements) AS (
      SELECT c.election_id, 1, 0, 0 FROM removed_contests JOIN contests c USING (id)
      UNION ALL
      SELECT c.election_id, 0, 1, 0
      FROM emptied_choices e JOIN choices h USING (id) JOIN contests c ON c.id = h.contest_id WHERE e.removed
      UNION ALL
      SELECT election_id, 0, 0, 1 FROM (${WITHDRAWN}) AS withdrawn
    )
    SELECT l.slug AS election, sum(contests)::int AS contests, sum(choices)::int AS choices,
      sum(endorsements)::int AS endorsements,
      (SELECT count(*)::int FROM contests c WHERE c.election_id = l.id
        AND (c.removed_at IS NULL OR c.id IN (SELECT id FROM removed_contests))) AS "ofContests",
      (SELECT count(*)::int FROM endorsements n WHERE n.election_id = l.id) AS "ofEndorsements"
    FROM taken JOIN elections l ON l.id = taken.election_id
    GROUP BY l.id ORDER BY l.date, l.slug`,
  );
  return rows.map(({ election, contests, choices, endorsements, ofContests, ofEndorsements }) => ({
    from: election,
    records: [
      { kind: 'contests', removed: contests, of: ofContests },
      // With those of removed contests.
      { kind: 'choices', removed: choices, of: null },
      { kind: 'endorsements', removed: endorsements, of: ofEndorsements },
    ],
  }));
}

/**
 * Marks an election and all its contests as removed. They keep their ids for a later import.
 *
 * @returns null if the election does not exist
 */
export async function removeElection(client: ClientBase, slug: string): Promise<RemovedCounts | null> {
  const elections = await client.query<{ id: number }>(
    'UPDATE elections SET removed_at = clock_timestamp() WHERE slug = $1 AND removed_at IS NULL RETURNING id',
    [slug],
  );
  const [election] = elections.rows;
  if (!election) return null;
  const contests = await client.query<{ id: number }>(
    'UPDATE contests SET removed_at = clock_timestamp() WHERE election_id = $1 AND removed_at IS NULL RETURNING id',
    [election.id],
  );
  await noteRemoved(client, { contests: contests.rows, choices: [] });
  return { contests: contests.rows.length, choices: 0 };
}
