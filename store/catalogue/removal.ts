import type { ClientBase } from 'pg';
import type { ElectionRemoval } from '../../domain/removal-guard.ts';
import type { Equals } from './adopt-keys.ts';
import { noteRemoved } from './stale.ts';

/** The number of removed contests and choices, without the choices of removed contests. */
export interface Removal {
  contests: number;
  choices: number;
}

/** What vanished with the staged contests, in all and by election. */
export interface Vanished extends Removal {
  elections: ElectionRemoval[];
}

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
): Promise<Vanished> {
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
  const [contestIds, choiceIds] = [contests.rows, choices.rows].map((rows) => rows.map(({ id }) => id));
  const elections = await countByElection(client, contestIds ?? [], choiceIds ?? []);
  return { contests: contests.rows.length, choices: choices.rows.length, elections };
}

/** Counts what these removed contests and choices take away. */
async function countByElection(
  client: ClientBase,
  contestIds: number[],
  choiceIds: number[],
): Promise<ElectionRemoval[]> {
  const { rows } = await client.query<ElectionRemoval>(
    `WITH gone AS MATERIALIZED (
      SELECT h.id, c.election_id FROM choices h JOIN contests c ON c.id = h.contest_id
      WHERE h.id = ANY($2) OR h.contest_id = ANY($1) AND h.removed_at IS NULL
    )
    SELECT l.slug AS election,
      (SELECT count(*)::int FROM contests c WHERE c.election_id = l.id AND c.id = ANY($1)) AS contests,
      (SELECT count(*)::int FROM gone WHERE gone.election_id = l.id) AS choices,
      (SELECT count(*)::int FROM endorsements n JOIN gone ON gone.id = n.choice_id
        WHERE gone.election_id = l.id) AS endorsements,
      (SELECT count(*)::int FROM contests c
        WHERE c.election_id = l.id AND (c.removed_at IS NULL OR c.id = ANY($1))) AS "ofContests",
      (SELECT count(*)::int FROM endorsements n WHERE n.election_id = l.id) AS "ofEndorsements"
    FROM elections l
    WHERE l.id IN (SELECT election_id FROM gone UNION SELECT election_id FROM contests WHERE id = ANY($1))
    ORDER BY l.date, l.slug`,
    [contestIds, choiceIds],
  );
  return rows;
}

/**
 * Marks an election and all its contests as removed. They keep their ids for a later import.
 *
 * @returns null if the election does not exist
 */
export async function removeElection(client: ClientBase, slug: string): Promise<Removal | null> {
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
