import { z } from 'zod';
import { normalizeText } from '../../schemas/text.ts';
import { type DatabasePool, noRow, sql } from '../connection/read-pool.ts';
import { FOREIGN_KEY_VIOLATION, refusing, UNIQUE_VIOLATION } from '../connection/sql-state.ts';
import { columns, jsonObject, recordRow } from '../reads/json.ts';
import { type Idempotency, madeRow, makeOnce } from './idempotency.ts';

/** The values of a saved filter: a name, and values by filter field. */
export interface SubscriptionValues {
  name: string;
  filter: Readonly<Record<string, readonly string[]>>;
}

/** The account has another subscription of this name. */
export class NameTakenError extends Error {
  override name = 'NameTakenError';
}

/** The record was changed after the client read it. */
export class RecordChangedError extends Error {
  override name = 'RecordChangedError';
}

/** A webhook follows the subscription. */
export class SubscriptionInUseError extends Error {
  override name = 'SubscriptionInUseError';
}

/** The account has reached its limit of subscriptions. */
export class TooManySubscriptionsError extends Error {
  override name = 'TooManySubscriptionsError';
}

/** The JSON of a subscription (specification, "Subscription"). */
const record = jsonObject({
  ...columns('s', ['id', 'name', 'filter']),
  created_at: sql.fragment`iso_utc(s.created_at)`,
  updated_at: sql.fragment`iso_utc(s.updated_at)`,
});
const countRow = z.object({ count: z.number() });

/** Every subscription of an account, by id, as the items of a JSON list. */
export async function listSubscriptions(pool: DatabasePool, accountId: number): Promise<string> {
  const rows = await pool.anyFirst(
    sql.type(recordRow)`
      SELECT ${record}::text AS record FROM subscriptions s WHERE s.account_id = ${accountId} ORDER BY s.id`,
  );
  return rows.join(',');
}

/** A subscription of the account as JSON; null if the account has no such id. */
export async function findSubscription(
  pool: DatabasePool,
  accountId: number,
  id: number,
): Promise<string | null> {
  return pool.maybeOneFirst(
    sql.type(recordRow)`
      SELECT ${record}::text AS record FROM subscriptions s WHERE s.account_id = ${accountId} AND s.id = ${id}::bigint`,
  );
}

const storedRow = z.object({
  id: z.number(),
  name: z.string(),
  filter: z.record(z.string(), z.array(z.string())),
});

/** A subscription as parsed values. */
export type StoredSubscription = z.infer<typeof storedRow>;

/** Finds the account's subscription by id or, if the text is not all digits, by name; null if not found. */
export async function resolveSubscription(
  pool: DatabasePool,
  accountId: number,
  idOrName: string,
): Promise<StoredSubscription | null> {
  const id = /^[0-9]{1,16}$/.test(idOrName) ? Number(idOrName) : -1;
  return pool.maybeOne(
    sql.type(storedRow)`
      SELECT s.id, s.name, s.filter FROM subscriptions s
      WHERE s.account_id = ${accountId} AND (s.id = ${id}::bigint OR s.name = ${normalizeText(idOrName)})`,
  );
}

/** The filters of subscriptions of any account, by id, without deleted subscriptions. */
export async function loadSubscriptionFilters(
  pool: DatabasePool,
  ids: readonly number[],
): Promise<Map<number, StoredSubscription['filter']>> {
  const rows = await pool.any(
    sql.type(storedRow.pick({ id: true, filter: true }))`
      SELECT s.id, s.filter FROM subscriptions s WHERE s.id = ANY(${sql.array([...ids], 'int4')})`,
  );
  return new Map(rows.map(({ id, filter }) => [id, filter]));
}

export interface NewSubscription extends SubscriptionValues {
  accountId: number;
  /** The account's limit of subscriptions. */
  limit: number;
  now: Date;
  /** Null without an Idempotency-Key. */
  idempotency: Idempotency | null;
}

const TAKEN = { [UNIQUE_VIOLATION]: NameTakenError };

/**
 * Saves a new subscription. If the idempotency key was already used for the same request, saves nothing and
 * returns the earlier answer.
 *
 * @returns the subscription's id and JSON.
 * @throws NameTakenError if the account has another subscription of this name.
 * @throws TooManySubscriptionsError if the account has `limit` subscriptions.
 * @throws IdempotencyKeyReusedError if the idempotency key was used for a different request.
 */
export async function createSubscription(
  pool: DatabasePool,
  { accountId, name, filter, limit, now, idempotency }: NewSubscription,
): Promise<{ id: number; record: string }> {
  const time = now.toISOString();
  return refusing(TAKEN, () =>
    pool.transaction(async (transaction) => {
      // The lock on the account's row makes its requests take turns when they count and when they store keys.
      await transaction.query(sql.type(noRow)`SELECT FROM accounts WHERE id = ${accountId} FOR UPDATE`);
      return makeOnce(transaction, { accountId, idempotency, kind: 'subscription', now }, async () => {
        const count = await transaction.oneFirst(
          sql.type(countRow)`
            SELECT count(*) AS count FROM subscriptions WHERE account_id = ${accountId}`,
        );
        if (count >= limit) throw new TooManySubscriptionsError();
        return transaction.one(sql.type(madeRow)`
          WITH s AS (
            INSERT INTO subscriptions (account_id, name, filter, created_at, updated_at)
            VALUES (${accountId}, ${name}, ${JSON.stringify(filter)}::jsonb, ${time}, ${time}) RETURNING *)
          SELECT s.id, ${record}::text AS record FROM s`);
      });
    }),
  );
}

/** Whether a row was not changed after a time, as its JSON shows it; undefined accepts any. */
export const isUnchangedSince = (time: string | undefined) =>
  time === undefined ? sql.fragment`true` : sql.fragment`iso_utc(updated_at) = ${time}`;

/**
 * Replaces a subscription's name and filter.
 *
 * @param unchangedSince the required `updated_at`, as its JSON shows it; undefined accepts any
 * @returns the subscription's JSON; null if the account has no such id.
 * @throws NameTakenError if the account has another subscription of this name.
 * @throws RecordChangedError if it was changed.
 */
export async function replaceSubscription(
  pool: DatabasePool,
  values: SubscriptionValues & {
    accountId: number;
    id: number;
    now: Date;
    unchangedSince?: string | undefined;
  },
): Promise<string | null> {
  const { accountId, id, name, filter, now, unchangedSince } = values;
  const replaced = await refusing(TAKEN, () =>
    pool.maybeOneFirst(sql.type(recordRow)`
      WITH s AS (
        UPDATE subscriptions
        SET name = ${name}, filter = ${JSON.stringify(filter)}::jsonb, updated_at = ${now.toISOString()}
        WHERE account_id = ${accountId} AND id = ${id}::bigint AND ${isUnchangedSince(unchangedSince)} RETURNING *)
      SELECT ${record}::text AS record FROM s`),
  );
  if (replaced === null && unchangedSince !== undefined && (await findSubscription(pool, accountId, id))) {
    throw new RecordChangedError();
  }
  return replaced;
}

/**
 * Deletes a subscription.
 *
 * @returns false if the account has no such id
 * @throws SubscriptionInUseError if a webhook follows it
 */
export async function deleteSubscription(
  pool: DatabasePool,
  accountId: number,
  id: number,
): Promise<boolean> {
  const { rowCount } = await refusing({ [FOREIGN_KEY_VIOLATION]: SubscriptionInUseError }, () =>
    pool.query(
      sql.type(noRow)`DELETE FROM subscriptions WHERE account_id = ${accountId} AND id = ${id}::bigint`,
    ),
  );
  return rowCount === 1;
}
