import { z } from 'zod';
import { type DatabasePool, sql } from '../connection/read-pool.ts';

const contestRow = z.object({ id: z.number(), key: z.string() });
const choiceRow = contestRow.extend({ contest: z.string() });

/** The keys of contests and choices by their ids; of a choice, the key of its contest too. */
export interface BallotKeys {
  contests: ReadonlyMap<number, string>;
  choices: ReadonlyMap<number, { key: string; contest: string }>;
}

/** Finds the keys of contests and choices on present ballots. Unknown ids are missing. */
export async function findBallotKeys(
  pool: DatabasePool,
  { contests, choices }: { contests: readonly number[]; choices: readonly number[] },
): Promise<BallotKeys> {
  const foundContests = await pool.any(sql.type(contestRow)`
    SELECT id, key FROM contests WHERE id = ANY(${sql.array([...contests], 'int4')}) AND removed_at IS NULL`);
  const foundChoices = await pool.any(sql.type(choiceRow)`
    SELECT h.id, h.key, c.key AS contest FROM choices h JOIN contests c ON c.id = h.contest_id
    WHERE h.id = ANY(${sql.array([...choices], 'int4')}) AND h.removed_at IS NULL`);
  return {
    contests: new Map(foundContests.map(({ id, key }) => [id, key])),
    choices: new Map(foundChoices.map(({ id, key, contest }) => [id, { key, contest }])),
  };
}
