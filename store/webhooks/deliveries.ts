import type { Pool } from 'pg';
import type { WebhookState } from '../../domain/webhooks/state.ts';
import type { AttemptOutcome } from '../../schemas/vocabulary.ts';

/*
 * The statements by which a deliverer writes about webhooks. Each is for many webhooks, and changes only those that the process
 * still holds and that nobody has changed since it loaded them (`revision`).
 */

/** Names a webhook as a process has loaded it. */
export interface HeldRevision {
  id: number;
  revision: number;
}

/** A batch before its first attempt. */
export interface NewBatch extends HeldRevision {
  messageId: string;
  body: Buffer;
  events: number;
  /** The position after it. */
  cursor: string;
}

/**
 * Stores batches. They must be stored before they are sent, so that every later attempt sends the same.
 *
 * @returns the ids of the webhooks whose batches are stored
 */
export async function saveBatches(
  pool: Pool,
  id: string,
  batches: readonly NewBatch[],
): Promise<Set<number>> {
  const { rows } = await pool.query<{ id: number }>({
    name: 'save webhook batches',
    text: `WITH held AS (
        SELECT w.id, g.message_id, g.body, g.events, g.cursor
        FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::bytea[], $6::integer[], $7::text[])
          AS g (id, revision, message_id, body, events, cursor)
        JOIN webhooks w ON w.id = g.id AND w.revision = g.revision AND w.deliverer_id = $1 FOR UPDATE OF w)
      INSERT INTO webhook_batches (webhook_id, message_id, body, events, cursor) SELECT * FROM held
      ON CONFLICT DO NOTHING RETURNING webhook_id AS id`,
    values: [
      id,
      batches.map((batch) => batch.id),
      batches.map(({ revision }) => revision),
      batches.map(({ messageId }) => messageId),
      batches.map(({ body }) => body),
      batches.map(({ events }) => events),
      batches.map(({ cursor }) => cursor),
    ],
  });
  return new Set(rows.map((row) => row.id));
}

/** The batch that a webhook has begun to send; null without one. */
export async function loadBatch(
  pool: Pool,
  webhookId: number,
): Promise<Pick<NewBatch, 'messageId' | 'body' | 'events' | 'cursor'> | null> {
  const { rows } = await pool.query<Pick<NewBatch, 'messageId' | 'body' | 'events' | 'cursor'>>({
    name: 'load webhook batch',
    text: `SELECT message_id AS "messageId", body, events, cursor FROM webhook_batches WHERE webhook_id = $1`,
    values: [webhookId],
  });
  return rows[0] ?? null;
}

/** An attempt, without its time. */
export interface AttemptRecord {
  messageId: string;
  isTest: boolean;
  durationMs: number;
  outcome: AttemptOutcome;
  /** Null without an answer. */
  status: number | null;
  events: number;
  /** The size of the body that was sent. */
  bytes: number;
  /** The beginning of the answer, at most 1024 characters. */
  answer: string;
}

/** An attempt, and the state of its webhook after it. Times are milliseconds since 1970. */
export interface RecordedAttempt extends HeldRevision, AttemptRecord {
  /** A UUID of its own, by which it is recorded once. */
  attemptId: string;
  attemptedAt: number;
  /**
   * The state after it, and the position after a delivered batch, or null if the batch was not delivered; null for
   * a test, which changes none.
   */
  after: (WebhookState & { cursor: string | null }) | null;
}

/** Whether an attempt may change the state of its webhook: the process holds it, and nobody has changed it meanwhile. */
const FITS = '(g.changes AND w.revision = g.revision AND w.deliverer_id = $1)';

/** The most attempts that are kept for each webhook. */
const KEPT_ATTEMPTS = 1000;
/** How long attempts are kept, in days. */
const KEPT_ATTEMPT_DAYS = 7;
const MAX_DELETED = 10_000;

/**
 * Records attempts, at most one for each webhook, and counts them as usage of its account. A delivered batch is
 * forgotten, and the position moves past it. An attempt that is recorded already changes and counts nothing, so that a
 * caller can retry after a lost answer.
 *
 * @returns the ids of the webhooks whose states were changed
 */
export async function recordAttempts(
  pool: Pool,
  id: string,
  attempts: readonly RecordedAttempt[],
): Promise<Set<number>> {
  const given = attempts.map(({ after, ...attempt }) => ({ ...attempt, ...after, changes: after !== null }));
  const { rows } = await pool.query<{ id: number }>({
    name: 'record webhook attempts',
    text: `WITH given AS (
        SELECT * FROM jsonb_to_recordset($2) AS g (
          id integer, revision bigint, "attemptId" uuid, "messageId" text, "isTest" boolean, "attemptedAt" float8,
          "durationMs" integer, outcome text, status smallint, events integer, bytes integer, answer text,
          changes boolean, state text, reason text, failures integer, "failingSince" float8, "nextAttemptAt" float8,
          cursor text)
      ), noted AS (
        UPDATE webhooks w SET attempts = w.attempts + 1,
          last_attempt = CASE WHEN g."isTest" THEN w.last_attempt ELSE g."attemptId" END,
          test_message = NULLIF(w.test_message, CASE WHEN g."isTest" THEN g."messageId" END),
          state = CASE WHEN ${FITS} THEN g.state ELSE w.state END,
          reason = CASE WHEN ${FITS} THEN g.reason ELSE w.reason END,
          notice_due = CASE WHEN ${FITS} THEN g.state = 'disabled' ELSE w.notice_due END,
          failures = CASE WHEN ${FITS} THEN g.failures ELSE w.failures END,
          failing_since = CASE WHEN ${FITS} THEN to_timestamp(g."failingSince" / 1000) ELSE w.failing_since END,
          next_attempt_at = CASE WHEN ${FITS} THEN to_timestamp(g."nextAttemptAt" / 1000) ELSE w.next_attempt_at END,
          cursor = CASE WHEN ${FITS} THEN COALESCE(g.cursor, w.cursor) ELSE w.cursor END,
          delivered_batches = w.delivered_batches + (g.outcome = 'delivered' AND NOT g."isTest")::integer,
          delivered_events = w.delivered_events
            + CASE WHEN g.outcome = 'delivered' AND NOT g."isTest" THEN g.events ELSE 0 END
        FROM given g WHERE w.id = g.id AND w.last_attempt IS DISTINCT FROM g."attemptId"
        RETURNING w.id, w.account_id, w.attempts, ${FITS} AS fits, g.cursor IS NOT NULL AS delivered, g."messageId", g."isTest",
          g."attemptedAt", g."durationMs", g.outcome, g.status, g.events, g.bytes, g.answer
      ), listed AS (
        INSERT INTO webhook_attempts (webhook_id, number, message_id, is_test, attempted_at, duration_ms, outcome,
          status, events, bytes, answer)
        SELECT n.id, n.attempts, n."messageId", n."isTest", to_timestamp(n."attemptedAt" / 1000), n."durationMs",
          n.outcome, n.status, n.events, n.bytes, n.answer FROM noted n
      ), counted AS (
        -- Concurrent processes lock rows in the same order, so that they cannot deadlock.
        INSERT INTO webhook_usage_days AS used (account_id, day, accepted, failed, events)
        SELECT account_id, (to_timestamp("attemptedAt" / 1000) AT TIME ZONE 'UTC')::date,
          count(*) FILTER (WHERE outcome = 'delivered'), count(*) FILTER (WHERE outcome <> 'delivered'),
          COALESCE(sum(events) FILTER (WHERE outcome = 'delivered'), 0)
        FROM noted WHERE NOT "isTest" GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (account_id, day) DO UPDATE SET accepted = used.accepted + excluded.accepted,
          failed = used.failed + excluded.failed, events = used.events + excluded.events
      ), forgotten AS (
        DELETE FROM webhook_attempts t USING noted n
        WHERE t.webhook_id = n.id AND t.number <= n.attempts - ${KEPT_ATTEMPTS}
      ), finished AS (
        DELETE FROM webhook_batches b USING noted n
        WHERE b.webhook_id = n.id AND b.message_id = n."messageId" AND n.fits AND n.delivered
      )
      SELECT id FROM noted WHERE fits`,
    values: [id, JSON.stringify(given)],
  });
  return new Set(rows.map((row) => row.id));
}

/**
 * Moves positions past changes that did not match, and never back: a later batch may be delivered meanwhile. A webhook with
 * a begun batch is not to be given.
 */
export async function movePositions(
  pool: Pool,
  id: string,
  positions: readonly (HeldRevision & { cursor: string })[],
): Promise<void> {
  await pool.query({
    name: 'move webhook positions',
    // Cursors compare as texts in the order of the stream.
    text: `UPDATE webhooks w SET cursor = g.cursor
      FROM unnest($2::integer[], $3::bigint[], $4::text[]) AS g (id, revision, cursor)
      WHERE w.id = g.id AND w.revision = g.revision AND w.deliverer_id = $1 AND w.cursor COLLATE "C" < g.cursor
        AND NOT EXISTS (SELECT FROM webhook_batches b WHERE b.webhook_id = w.id)`,
    values: [
      id,
      positions.map((position) => position.id),
      positions.map(({ revision }) => revision),
      positions.map(({ cursor }) => cursor),
    ],
  });
}

/** Disables a webhook whose events are no longer kept, if nobody has changed it. */
export async function expireWebhook(
  pool: Pool,
  id: string,
  { id: webhookId, revision }: HeldRevision,
): Promise<void> {
  await pool.query(
    `UPDATE webhooks SET state = 'disabled', reason = 'position_expired', next_attempt_at = NULL, notice_due = true
     WHERE id = $1 AND revision = $2 AND deliverer_id = $3`,
    [webhookId, revision, id],
  );
}

/** Deletes the attempts that are too old, a bounded number at a time. */
export async function deleteOldAttempts(pool: Pool): Promise<void> {
  let deleted: number | null = MAX_DELETED;
  while (deleted === MAX_DELETED) {
    ({ rowCount: deleted } = await pool.query(
      `DELETE FROM webhook_attempts WHERE (webhook_id, number) IN (
         SELECT webhook_id, number FROM webhook_attempts
         WHERE attempted_at < clock_timestamp() - ${KEPT_ATTEMPT_DAYS} * interval '1 day'
         ORDER BY attempted_at LIMIT ${MAX_DELETED} FOR UPDATE SKIP LOCKED)`,
    ));
  }
}
