import type { ClientBase } from 'pg';
import { noteRemoved } from './stale.ts';

/** The number of removed contests and choices, without the choices of removed contests. */
export interface Removal {
  contests: number;
  choices: number;
}

/**
 * Marks contests and choices as removed if they vanished from the elections of the staged contests, and notes
 * that their endorsements must be withdrawn (contract, "Catalogue and submission files").
 *
 * A contest with a refused line has not vanished. A refused line without a key may be any contest, so nothing
 * is removed then.
 */
export async function removeVanished(client: ClientBase): Promise<Removal> {
  const contests = await client.query<{ id: number }>(
    `UPDATE contests SET removed_at = clock_timestamp()
    WHERE removed_at IS NULL
      AND election_id IN (SELECT election_id FROM staged_contests)
      AND key NOT IN (SELECT key FROM staged WHERE kind = 'contests' AND key IS NOT NULL)
      AND NOT EXISTS (SELECT FROM staged WHERE kind = 'contests' AND key IS NULL)
    RETURNING id`,
  );
  const choices = await client.query<{ id: number }>(
    `UPDATE choices SET removed_at = clock_timestamp()
    FROM contests JOIN staged_contests USING (key)
    WHERE choices.contest_id = contests.id AND choices.removed_at IS NULL
      AND NOT EXISTS (
        SELECT FROM staged_choices s WHERE s.contest_id = choices.contest_id AND s.key = choices.key
      )
    RETURNING choices.id`,
  );
  await noteRemoved(client, { contests: contests.rows, choices: choices.rows });
  return { contests: contests.rows.length, choices: choices.rows.length };
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
