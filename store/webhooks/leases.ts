import type { Pool } from 'pg';
import type { WebhookState } from '../../domain/webhooks/state.ts';

/* Which process delivers which webhooks. A process that does not renew its row in time loses them (by this database's clock). */

/** The webhooks that get messages now: of accounts that are not suspended, and not disabled, except for a test. */
const DELIVERABLE = `w.account_id IN (SELECT id FROM accounts WHERE suspended_at IS NULL)
  AND (w.state <> 'disabled' OR w.test_message IS NOT NULL)`;

/** Whether any account has a webhook. */
export async function hasWebhooks(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query({ name: 'find any webhook', text: 'SELECT FROM webhooks LIMIT 1' });
  return rowCount === 1;
}

/** Renews the row of a process, or makes it. */
export async function renewLease(pool: Pool, id: string, leaseMs: number): Promise<void> {
  await pool.query({
    name: 'renew webhook lease',
    text: `INSERT INTO webhook_deliverers (id, expires_at) VALUES ($1, clock_timestamp() + $2 * interval '1 ms')
      ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`,
    values: [id, leaseMs],
  });
}

/** Ends a lease: other processes can have its webhooks at once. */
export async function endLease(pool: Pool, id: string): Promise<void> {
  await pool.query('DELETE FROM webhook_deliverers WHERE id = $1', [id]);
}

/** The share of a process, as numbers of webhooks. */
export interface Share {
  held: number;
  /** An equal part of all webhooks, rounded up. */
  fair: number;
}

/**
 * Takes the webhooks of expired processes away from them, and waiting ones up to a fair share.
 *
 * @returns the share after that
 */
export async function claimShare(pool: Pool, id: string): Promise<Share> {
  await pool.query({
    name: 'expire webhook leases',
    text: 'DELETE FROM webhook_deliverers WHERE expires_at < clock_timestamp()',
  });
  const { rows } = await pool.query<Share & { free: number }>({
    name: 'count webhook shares',
    text: `SELECT count(*) FILTER (WHERE w.deliverer_id = $1)::integer AS held,
        count(*) FILTER (WHERE w.deliverer_id IS NULL)::integer AS free,
        ceil(count(*)::numeric / GREATEST(1, (SELECT count(*) FROM webhook_deliverers)))::integer AS fair
      FROM webhooks w WHERE ${DELIVERABLE}`,
    values: [id],
  });
  const { held, fair, free } = rows[0] ?? { held: 0, fair: 0, free: 0 };
  if (free === 0 || held >= fair) return { held, fair };
  const { rowCount } = await pool.query({
    name: 'claim webhooks',
    text: `UPDATE webhooks SET deliverer_id = $1 WHERE id IN (
        SELECT w.id FROM webhooks w WHERE w.deliverer_id IS NULL AND ${DELIVERABLE}
        ORDER BY w.id LIMIT $2 FOR UPDATE SKIP LOCKED)
      AND EXISTS (SELECT FROM webhook_deliverers WHERE id = $1)`,
    values: [id, fair - held],
  });
  return { held: held + (rowCount ?? 0), fair };
}

/** Gives webhooks back, for other processes. */
export async function releaseWebhooks(pool: Pool, id: string, webhookIds: readonly number[]): Promise<void> {
  await pool.query('UPDATE webhooks SET deliverer_id = NULL WHERE deliverer_id = $1 AND id = ANY($2)', [
    id,
    webhookIds,
  ]);
}

/** A webhook that a process holds. */
export interface HeldWebhook {
  id: number;
  /** Changes whenever its deliverer must load it again. */
  stamp: string;
  /** Whether it gets events now. */
  isEnabled: boolean;
  /** The id of a test message to send; null without one. */
  testMessage: string | null;
}

/** The webhooks that a process holds. */
export async function listHeld(pool: Pool, id: string): Promise<HeldWebhook[]> {
  const { rows } = await pool.query<HeldWebhook>({
    name: 'list held webhooks',
    text: `SELECT w.id, concat(w.revision, ' ', s.updated_at) AS stamp, w.state <> 'disabled' AS "isEnabled",
        w.test_message AS "testMessage"
      FROM webhooks w LEFT JOIN subscriptions s ON s.id = w.subscription_id
      WHERE w.deliverer_id = $1 AND ${DELIVERABLE}`,
    values: [id],
  });
  return rows;
}

/** Everything that delivering to a webhook needs. Times are milliseconds since 1970. */
export type LoadedWebhook = WebhookState & {
  id: number;
  accountId: number;
  url: string;
  filter: Readonly<Record<string, readonly string[]>>;
  /** Sealed. */
  secret: Buffer;
  previousSecret: Buffer | null;
  previousSecretUntil: number | null;
  cursor: string;
  revision: number;
  /** Whether it has begun to send a batch. */
  hasBatch: boolean;
  createdAt: number;
};

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

/** Loads webhooks that a process holds and still may deliver. */
export async function loadHeld(
  pool: Pool,
  id: string,
  webhookIds: readonly number[],
): Promise<LoadedWebhook[]> {
  const { rows } = await pool.query<LoadedWebhook>({
    name: 'load held webhooks',
    text: `SELECT w.id, w.account_id AS "accountId", w.url, COALESCE(s.filter, w.filter) AS filter,
        w.secret, w.previous_secret AS "previousSecret", ${ms('w.previous_secret_until')} AS "previousSecretUntil",
        w.cursor, w.state, w.reason, w.failures, ${ms('w.failing_since')} AS "failingSince",
        ${ms('w.next_attempt_at')} AS "nextAttemptAt", w.revision::float8 AS revision,
        EXISTS (SELECT FROM webhook_batches b WHERE b.webhook_id = w.id) AS "hasBatch",
        ${ms('w.created_at')} AS "createdAt"
      FROM webhooks w LEFT JOIN subscriptions s ON s.id = w.subscription_id
      WHERE w.deliverer_id = $1 AND w.id = ANY($2) AND ${DELIVERABLE}`,
    values: [id, webhookIds],
  });
  return rows;
}
