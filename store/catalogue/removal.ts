import type { ClientBase } from 'pg';
import { withdrawEndorsementsOfChoices } from '../endorsements/withdraw.ts';

/** How much the elections of an import have lost. */
export interface Removal {
  contests: number;
  choices: number;
  endorsements: number;
}

/**
 * Marks contests and choices as removed if they vanished from the elections of the staged contests, and withdraws their
 * endorsements (contract, "Catalogue and submission files"). Takes the stream's lock, so it must come last.
 *
 * A contest whose line was refused has not vanished. A refused line without a key may be any contest, so that none is
 * removed then.
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
  const ofContests = await client.query<{ id: number }>('SELECT id FROM choices WHERE contest_id = ANY($1)', [
    contests.rows.map(({ id }) => id),
  ]);
  const choiceIds = [...choices.rows, ...ofContests.rows].map(({ id }) => id);
  return {
    contests: contests.rows.length,
    choices: choices.rows.length,
    endorsements: await withdrawEndorsementsOfChoices(client, choiceIds),
  };
}
