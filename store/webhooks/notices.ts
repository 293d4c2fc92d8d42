import type { Pool } from 'pg';
import type { DisabledReason } from '../../schemas/vocabulary.ts';

/** A webhook that the service has disabled, and the people of its account. */
export interface DueNotice {
  id: number;
  revision: string;
  name: string;
  url: string;
  reason: DisabledReason;
  account: string;
  /** The addresses of the account's people. */
  people: string[];
}

/**
 * Some of the notices that are due, of webhooks that are still disabled; at most this number. By chance, so that those that
 * are never accepted hold up no others.
 */
export async function listDueNotices(pool: Pool, limit: number): Promise<DueNotice[]> {
  const { rows } = await pool.query<DueNotice>(
    `SELECT w.id, w.revision, w.name, w.url, w.reason, a.name AS account, ARRAY(
       SELECT p.email FROM account_members m JOIN people p ON p.id = m.person_id
       WHERE m.account_id = w.account_id ORDER BY p.email) AS people
     FROM webhooks w JOIN accounts a ON a.id = w.account_id
     WHERE w.notice_due AND w.state = 'disabled' ORDER BY random() LIMIT $1`,
    [limit],
  );
  return rows;
}

/** Notes that the people of a webhook were told. A webhook that was resumed meanwhile, and disabled again, has another notice. */
export async function noteTold(pool: Pool, { id, revision }: DueNotice): Promise<void> {
  await pool.query('UPDATE webhooks SET notice_due = false WHERE id = $1 AND revision = $2', [id, revision]);
}
