import type { ClientBase, Pool } from 'pg';
import type { DisabledReason } from '../../schemas/vocabulary.ts';
import { type Actor, recordAudit } from '../accounts/audit-log.ts';
import type { AttemptRecord } from './deliveries.ts';
import { RESUMED } from './resumed.ts';

/* The views of webhooks that the console and commands have besides the API, and the changes that they make. */

/** An attempt, as a page or a command lists it. */
export interface ListedAttempt extends AttemptRecord {
  /** 1, 2, 3… of the webhook. */
  number: number;
  attemptedAt: Date;
}

/** The attempts of a webhook before a number, the newest first; null begins with the newest. */
export async function listAttempts(
  client: ClientBase | Pool,
  webhookId: number,
  { before, limit }: { before: number | null; limit: number },
): Promise<ListedAttempt[]> {
  const { rows } = await client.query<ListedAttempt>(
    `SELECT number::float8 AS number, message_id AS "messageId", is_test AS "isTest", attempted_at AS "attemptedAt",
       duration_ms AS "durationMs", outcome, status, events, bytes, answer
     FROM webhook_attempts WHERE webhook_id = $1 AND number < COALESCE($2::bigint, 9223372036854775807)
     ORDER BY number DESC LIMIT $3`,
    [webhookId, before, limit],
  );
  return rows;
}

/**
 * Disables a webhook, in the caller's transaction. Operators also take the right to resume a disabled one. Writes to the
 * audit log only what changes.
 *
 * @param accountId the account that must have it; null for operators
 * @returns false if there is no such webhook
 */
export async function disableWebhook(
  client: ClientBase,
  { id, accountId }: { id: number; accountId: number | null },
  actor: Actor,
): Promise<boolean> {
  const held = await lockWebhook(client, id, accountId);
  if (!held) return false;
  const reason: DisabledReason = accountId === null ? 'by_operator' : 'by_account';
  const isOver = held.state === 'disabled' && (accountId !== null || held.reason === reason);
  if (isOver) return true;
  await client.query(
    `UPDATE webhooks SET state = 'disabled', reason = $2, next_attempt_at = NULL, revision = revision + 1 WHERE id = $1`,
    [id, reason],
  );
  await recordAudit(client, actor, {
    action: 'webhook.disabled',
    subject: `webhook ${id}`,
    accountId: held.accountId,
  });
  return true;
}

/**
 * Lets a failing webhook try again at once, and a disabled one continue where it stood, in the caller's transaction.
 *
 * @returns false if there is no such webhook
 */
export async function retryWebhook(client: ClientBase, id: number, actor: Actor): Promise<boolean> {
  const held = await lockWebhook(client, id, null);
  if (!held) return false;
  await client.query(`UPDATE webhooks SET ${RESUMED} WHERE id = $1`, [id]);
  await recordAudit(client, actor, {
    action: 'webhook.retried',
    subject: `webhook ${id}`,
    accountId: held.accountId,
  });
  return true;
}

async function lockWebhook(client: ClientBase, id: number, accountId: number | null) {
  const { rows } = await client.query<{ state: string; reason: string | null; accountId: number }>(
    `SELECT state, reason, account_id AS "accountId" FROM webhooks
     WHERE id = $1 AND ($2::integer IS NULL OR account_id = $2) FOR UPDATE`,
    [id, accountId],
  );
  return rows[0];
}

/** A webhook, as operators see it. */
export interface ListedWebhook {
  id: number;
  account: string;
  name: string;
  url: string;
  state: 'active' | 'failing' | 'disabled';
  reason: DisabledReason | null;
  cursor: string;
  failures: number;
  failingSince: Date | null;
  nextAttemptAt: Date | null;
  attempts: number;
  deliveredEvents: number;
  lastAttemptAt: Date | null;
}

/** The webhooks of all accounts by id. @param chosen an id, an account or a state that they must have; null for any */
export async function listAllWebhooks(
  client: ClientBase | Pool,
  {
    id = null,
    accountId = null,
    state = null,
    after = 0,
    limit,
  }: { id?: number | null; accountId?: number | null; state?: string | null; after?: number; limit: number },
): Promise<ListedWebhook[]> {
  const { rows } = await client.query<ListedWebhook>(
    `SELECT w.id, a.name AS account, w.name, w.url, w.state, w.reason, w.cursor, w.failures,
       w.failing_since AS "failingSince", w.next_attempt_at AS "nextAttemptAt", w.attempts::float8 AS attempts,
       w.delivered_events::float8 AS "deliveredEvents", t.attempted_at AS "lastAttemptAt"
     FROM webhooks w JOIN accounts a ON a.id = w.account_id
       LEFT JOIN webhook_attempts t ON t.webhook_id = w.id AND t.number = w.attempts
     WHERE ($1::integer IS NULL OR w.id = $1) AND ($2::integer IS NULL OR a.id = $2)
       AND ($3::text IS NULL OR w.state = $3) AND w.id > $4
     ORDER BY w.id LIMIT $5`,
    [id, accountId, state, after, limit],
  );
  return rows;
}
