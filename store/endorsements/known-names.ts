import type { ClientBase, Pool } from 'pg';

/** The most names that are loaded, to find similar ones. */
const MAX_NAMES = 200_000;

/** The slugs of elections that are not removed. */
export async function listElectionSlugs(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ slug: string }>(
    'SELECT slug FROM elections WHERE removed_at IS NULL ORDER BY date DESC, slug LIMIT $1',
    [MAX_NAMES],
  );
  return rows.map(({ slug }) => slug);
}

/** The keys of an election's contests. */
export async function listContestKeys(client: ClientBase, election: string): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(
    'SELECT key FROM contests WHERE election_slug = $1 AND removed_at IS NULL ORDER BY key LIMIT $2',
    [election, MAX_NAMES],
  );
  return rows.map(({ key }) => key);
}

/** The keys of a contest's choices. */
export async function listChoiceKeys(client: ClientBase, contest: string): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(
    `SELECT h.key FROM choices h JOIN contests c ON c.id = h.contest_id
     WHERE c.key = $1 AND h.removed_at IS NULL AND c.removed_at IS NULL ORDER BY h.ballot_order LIMIT $2`,
    [contest, MAX_NAMES],
  );
  return rows.map(({ key }) => key);
}

/** The id of a contest that is not removed; null without one. */
export async function findContestId(client: ClientBase | Pool, key: string): Promise<number | null> {
  const { rows } = await client.query<{ id: number }>(
    'SELECT id FROM contests WHERE key = $1 AND removed_at IS NULL',
    [key],
  );
  return rows[0]?.id ?? null;
}
