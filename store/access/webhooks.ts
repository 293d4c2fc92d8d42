import { z } from 'zod';
import { MOST_WEBHOOKS } from '../accounts/plans.ts';
import { type DatabasePool, noRow, sql, sqlText } from '../connection/read-pool.ts';
import { FOREIGN_KEY_VIOLATION, refusing, UNIQUE_VIOLATION } from '../connection/sql-state.ts';
import { columns, jsonObject, recordRow } from '../reads/json.ts';
import { RESUMED } from '../webhooks/resumed.ts';
import { type Idempotency, madeRow, makeOnce } from './idempotency.ts';
import { isUnchangedSince, NameTakenError, RecordChangedError } from './subscriptions.ts';

/** The settings of a webhook that its account decides. */
export interface WebhookValues {
  name: string;
  url: string;
  /** Null for a webhook with a filter of its own. */
  subscriptionId: number | null;
  /** Null for a webhook that follows a subscription. */
  filter: Readonly<Record<string, readonly string[]>> | null;
}

/** The account has as many webhooks as its plan allows. */
export class TooManyWebhooksError extends Error {
  override name = 'TooManyWebhooksError';
  /** The most webhooks of the account. */
  readonly limit: number;
  /** The number that it has; more than the most after a change of the plan. */
  readonly count: number;

  constructor(limit: number, count: number) {
    super(`at most ${limit} webhooks`);
    this.limit = limit;
    this.count = count;
  }
}

/** The subscription of a webhook was deleted meanwhile. */
export class SubscriptionGoneError extends Error {
  override name = 'SubscriptionGoneError';
}

/** The columns of an attempt in JSON. */
const attemptColumns = {
  ...columns('t', ['message_id', 'is_test']),
  attempted_at: sql.fragment`iso_utc(t.attempted_at)`,
  ...columns('t', ['duration_ms', 'outcome', 'status', 'events', 'bytes', 'answer']),
};
const attempt = jsonObject(attemptColumns);

const record = jsonObject({
  ...columns('w', ['id', 'name', 'url']),
  subscription: sql.fragment`CASE WHEN s.id IS NOT NULL THEN json_build_object('id', s.id, 'name', s.name) END`,
  filter: sql.fragment`COALESCE(s.filter, w.filter)`,
  ...columns('w', [
    'state',
    'reason',
    'cursor',
    'attempts',
    'delivered_batches',
    'delivered_events',
    'failures',
  ]),
  failing_since: sql.fragment`iso_utc(w.failing_since)`,
  next_attempt_at: sql.fragment`iso_utc(w.next_attempt_at)`,
  last_attempt: sql.fragment`(
    SELECT ${attempt} FROM webhook_attempts t WHERE t.webhook_id = w.id AND t.number = w.attempts)`,
  created_at: sql.fragment`iso_utc(w.created_at)`,
  updated_at: sql.fragment`iso_utc(w.updated_at)`,
});
const withSubscription = sql.fragment`w LEFT JOIN subscriptions s ON s.id = w.subscription_id`;

/** Every webhook of an account, by id, as the items of a JSON list. */
export async function listWebhooks(pool: DatabasePool, accountId: number): Promise<string> {
  const rows = await pool.anyFirst(sql.type(recordRow)`
    SELECT ${record}::text AS record FROM webhooks ${withSubscription}
    WHERE w.account_id = ${accountId} ORDER BY w.id`);
  return rows.join(',');
}

/** A webhook of the account as JSON; null if the account has no such id. */
export async function findWebhook(pool: DatabasePool, accountId: number, id: number): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(recordRow)`
    SELECT ${record}::text AS record FROM webhooks ${withSubscription}
    WHERE w.account_id = ${accountId} AND w.id = ${id}::bigint`);
}

const REFUSALS = { [UNIQUE_VIOLATION]: NameTakenError, [FOREIGN_KEY_VIOLATION]: SubscriptionGoneError };

export interface NewWebhook extends WebhookValues {
  accountId: number;
  /** The secret, sealed. */
  secret: Buffer;
  /** Where it begins. */
  cursor: string;
  now: Date;
  /** Null without an Idempotency-Key. */
  idempotency: Idempotency | null;
  /** Makes the answer from the webhook's JSON, as it is remembered for the Idempotency-Key. */
  answer: (record: string) => string;
}

/**
 * Saves a new webhook. If the idempotency key was already used for the same request, saves nothing and returns the
 * earlier answer.
 *
 * @returns the webhook's id and the answer
 * @throws NameTakenError if the account has another webhook of this name
 * @throws TooManyWebhooksError if the account has as many as its plan allows
 * @throws SubscriptionGoneError if the subscription was deleted meanwhile
 * @throws IdempotencyKeyReusedError if the idempotency key was used for a different request
 */
export async function createWebhook(
  pool: DatabasePool,
  { accountId, name, url, subscriptionId, filter, secret, cursor, now, idempotency, answer }: NewWebhook,
): Promise<{ id: number; record: string }> {
  const time = now.toISOString();
  return refusing(REFUSALS, () =>
    pool.transaction(async (transaction) => {
      // The lock on the account's row makes its requests take turns when they count and when they store keys.
      const { limit } = await transaction.one(sql.type(z.object({ limit: z.number() }))`
        SELECT LEAST(COALESCE(p.max_webhooks, ${MOST_WEBHOOKS}), ${MOST_WEBHOOKS}) AS limit
        FROM accounts a JOIN plans p ON p.name = a.plan WHERE a.id = ${accountId} FOR UPDATE OF a`);
      return makeOnce(transaction, { accountId, idempotency, kind: 'webhook', now }, async () => {
        const count = await transaction.oneFirst(sql.type(z.object({ count: z.number() }))`
          SELECT count(*) AS count FROM webhooks WHERE account_id = ${accountId}`);
        if (count >= limit) throw new TooManyWebhooksError(limit, count);
        const saved = await transaction.one(sql.type(madeRow)`
          WITH w AS (
            INSERT INTO webhooks
              (account_id, name, url, subscription_id, filter, secret, cursor, created_at, updated_at)
            VALUES (${accountId}, ${name}, ${url}, ${subscriptionId}, ${filterText(filter)}::jsonb,
              ${sql.binary(secret)}, ${cursor}, ${time}, ${time}) RETURNING *)
          SELECT w.id, ${record}::text AS record FROM ${withSubscription}`);
        return { id: saved.id, record: answer(saved.record) };
      });
    }),
  );
}

const filterText = (filter: WebhookValues['filter']) => (filter === null ? null : JSON.stringify(filter));

/**
 * Replaces what the account decides about a webhook. If its address changes, a failing webhook tries again at once.
 *
 * @param unchangedSince the required `updated_at`, as its JSON shows it; undefined accepts any
 * @returns the webhook's JSON; null if the account has no such id
 * @throws NameTakenError, SubscriptionGoneError as `createWebhook` does
 * @throws RecordChangedError if it was changed
 */
export async function replaceWebhook(
  pool: DatabasePool,
  values: WebhookValues & {
    accountId: number;
    id: number;
    now: Date;
    unchangedSince?: string | undefined;
  },
): Promise<string | null> {
  const { accountId, id, name, url, subscriptionId, filter, now, unchangedSince } = values;
  const time = now.toISOString();
  const replaced = await refusing(REFUSALS, () =>
    pool.maybeOneFirst(sql.type(recordRow)`
      WITH w AS (
        UPDATE webhooks SET name = ${name}, url = ${url}, subscription_id = ${subscriptionId},
          filter = ${filterText(filter)}::jsonb, updated_at = ${time},
          revision = revision + ((url, subscription_id, filter) IS DISTINCT FROM
            (${url}, ${subscriptionId}::integer, ${filterText(filter)}::jsonb))::integer,
          next_attempt_at = CASE WHEN url <> ${url} AND next_attempt_at IS NOT NULL THEN ${time}::timestamptz
            ELSE next_attempt_at END
        WHERE account_id = ${accountId} AND id = ${id}::bigint AND ${isUnchangedSince(unchangedSince)} RETURNING *)
      SELECT ${record}::text AS record FROM ${withSubscription}`),
  );
  if (replaced === null && unchangedSince !== undefined && (await findWebhook(pool, accountId, id))) {
    throw new RecordChangedError();
  }
  return replaced;
}

/** Deletes a webhook with its attempts. @returns false if the account has no such id */
export async function deleteWebhook(pool: DatabasePool, accountId: number, id: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    sql.type(noRow)`DELETE FROM webhooks WHERE account_id = ${accountId} AND id = ${id}::bigint`,
  );
  return rowCount === 1;
}

/**
 * Gives a webhook another secret. The previous one signs too until a time. If the idempotency key was already used for
 * the same request, changes nothing and returns the earlier answer.
 *
 * @param request.secret the new secret, sealed
 * @param request.answer as of `createWebhook`
 * @returns the answer; null if the account has no such id
 * @throws IdempotencyKeyReusedError if the idempotency key was used for a different request
 */
export async function rotateSecret(
  pool: DatabasePool,
  request: {
    accountId: number;
    id: number;
    secret: Buffer;
    previousUntil: Date;
    now: Date;
    idempotency: Idempotency | null;
    answer: (record: string) => string;
  },
): Promise<string | null> {
  const { accountId, id, secret, previousUntil, now, idempotency, answer } = request;
  return pool.transaction(async (transaction) => {
    await transaction.query(sql.type(noRow)`SELECT FROM accounts WHERE id = ${accountId} FOR UPDATE`);
    const held = await transaction.maybeOne(sql.type(noRow)`
      SELECT FROM webhooks WHERE account_id = ${accountId} AND id = ${id}::bigint FOR UPDATE`);
    if (!held) return null;
    const made = await makeOnce(transaction, { accountId, idempotency, kind: 'webhook', now }, async () => {
      const rotated = await transaction.oneFirst(sql.type(recordRow)`
        WITH w AS (
          UPDATE webhooks SET previous_secret = secret, previous_secret_until = ${previousUntil.toISOString()},
            secret = ${sql.binary(secret)}, updated_at = ${now.toISOString()}, revision = revision + 1
          WHERE id = ${id}::bigint RETURNING *)
        SELECT ${record}::text AS record FROM ${withSubscription}`);
      return { id, record: answer(rotated) };
    });
    return made.record;
  });
}

/**
 * Resumes a webhook that operators have not disabled: its next attempt follows at once.
 *
 * @param cursor where it continues, without the batch that it has begun; null to continue where it stood
 * @returns the webhook's JSON; null if the account has no such id, or operators have disabled it
 */
export async function resumeWebhook(
  pool: DatabasePool,
  { accountId, id, cursor, now }: { accountId: number; id: number; cursor: string | null; now: Date },
): Promise<string | null> {
  return pool.transaction(async (transaction) => {
    const resumed = await transaction.maybeOneFirst(sql.type(recordRow)`
      WITH w AS (
        UPDATE webhooks SET ${sqlText(RESUMED)}, cursor = COALESCE(${cursor}, cursor), updated_at = ${now.toISOString()}
        WHERE account_id = ${accountId} AND id = ${id}::bigint AND reason IS DISTINCT FROM 'by_operator' RETURNING *)
      SELECT ${record}::text AS record FROM ${withSubscription}`);
    // A separate statement sees a batch that was stored while the first one waited.
    if (resumed !== null && cursor !== null) {
      await transaction.query(sql.type(noRow)`DELETE FROM webhook_batches WHERE webhook_id = ${id}`);
    }
    return resumed;
  });
}

/** The position of a webhook; null if the account has no such id. */
export async function findWebhookCursor(
  pool: DatabasePool,
  accountId: number,
  id: number,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(z.object({ cursor: z.string() }))`
    SELECT cursor FROM webhooks WHERE account_id = ${accountId} AND id = ${id}::bigint`);
}

/**
 * Asks for a test message, unless one is to be sent already.
 *
 * @param messageId the id of the new message
 * @returns the id of the message that will be sent; null if the account has no such id
 */
export async function requestTest(
  pool: DatabasePool,
  { accountId, id, messageId }: { accountId: number; id: number; messageId: string },
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(z.object({ test_message: z.string() }))`
    UPDATE webhooks SET test_message = COALESCE(test_message, ${messageId})
    WHERE account_id = ${accountId} AND id = ${id}::bigint RETURNING test_message`);
}

/** The newest attempt to deliver a message of a webhook, as JSON; null before the first. */
export async function findAttempt(
  pool: DatabasePool,
  webhookId: number,
  messageId: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(recordRow)`
    SELECT ${attempt}::text AS record FROM webhook_attempts t
    WHERE t.webhook_id = ${webhookId} AND t.message_id = ${messageId} ORDER BY t.number DESC LIMIT 1`);
}
