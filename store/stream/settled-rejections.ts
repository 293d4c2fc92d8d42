import type { ClientBase, Pool } from 'pg';

/** Why a rejection needs nothing more: an operator has dismissed it, or has sent a correction. */
export type Settled = 'dismissed' | 'corrected';

/** Longer than Kafka keeps rejections, in days. */
const KEPT_DAYS = 40;

/**
 * Notes that rejections need nothing more, until the caller's transaction ends at least. A correction replaces a
 * dismissal. Forgets those of rejections that are gone.
 *
 * @param names PARTITION/OFFSET@TIME
 * @returns the names without those that were corrected already, or dismissed already and are dismissed again
 */
export async function settleRejections(
  client: ClientBase,
  names: readonly string[],
  how: Settled,
): Promise<string[]> {
  await client.query(`DELETE FROM settled_rejections WHERE settled_at < now() - $1 * interval '1 day'`, [
    KEPT_DAYS,
  ]);
  // Each transaction takes its locks in the same order, so that two with the same names cannot deadlock.
  const { rows } = await client.query<{ name: string }>(
    `INSERT INTO settled_rejections AS held (name, how)
     SELECT DISTINCT name, $2 FROM unnest($1::text[]) AS given (name) ORDER BY name
     ON CONFLICT (name) DO UPDATE SET how = excluded.how, settled_at = now()
       WHERE held.how = 'dismissed' AND excluded.how = 'corrected'
     RETURNING name`,
    [names, how],
  );
  return rows.map(({ name }) => name);
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
