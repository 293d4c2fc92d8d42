import type { ClientBase, Pool } from 'pg';

/** Why a rejection needs nothing more: an operator has dismissed it, or has sent a correction. */
export type Settled = 'dismissed' | 'corrected';

/** Longer than Kafka keeps rejections, in days. */
const KEPT_DAYS = 40;

/**
 * Notes that a rejection needs nothing more, until the caller's transaction ends at least. A correction replaces a
 * dismissal. Forgets those of rejections that are gone.
 *
 * @param name PARTITION/OFFSET@TIME
 * @returns false if a correction was sent already, or it was dismissed already and is dismissed again
 */
export async function settleRejection(client: ClientBase, name: string, how: Settled): Promise<boolean> {
  await client.query(`DELETE FROM settled_rejections WHERE settled_at < now() - $1 * interval '1 day'`, [
    KEPT_DAYS,
  ]);
  const { rowCount } = await client.query(
    `INSERT INTO settled_rejections AS held (name, how) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET how = excluded.how, settled_at = now()
       WHERE held.how = 'dismissed' AND excluded.how = 'corrected'`,
    [name, how],
  );
  return rowCount === 1;
}

/**
 * Finds the person who dismissed or corrected a rejection last, and the time; null if nobody did. Reads the audit log back
 * to it.
 *
 * @param name PARTITION/OFFSET@TIME
 */
export async function findSettler(
  client: ClientBase | Pool,
  name: string,
): Promise<{ author: string; at: Date } | null> {
  const { rows } = await client.query<{ author: string; at: Date }>(
    `SELECT COALESCE(person, os_user, database_user) AS author, occurred_at AS at FROM audit_log
     WHERE action IN ('submission.corrected', 'submission.dismissed')
       AND (details ->> 'origin' = $1 OR details -> 'origins' ? $1)
     ORDER BY id DESC LIMIT 1`,
    [name],
  );
  return rows[0] ?? null;
}

/** Of these rejections, those that need nothing more, by name. */
export async function loadSettled(
  client: ClientBase | Pool,
  names: readonly string[],
): Promise<ReadonlyMap<string, Settled>> {
  const { rows } = await client.query<{ name: string; how: Settled }>(
    'SELECT name, how FROM settled_rejections WHERE name = ANY($1)',
    [names],
  );
  return new Map(rows.map(({ name, how }) => [name, how]));
}
