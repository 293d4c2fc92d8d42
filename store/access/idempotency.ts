import { z } from 'zod';
import { noRow, sql, type Transaction } from '../connection/read-pool.ts';

/** A client's Idempotency-Key, and the hash of the request's body. */
export interface Idempotency {
  key: string;
  requestHash: Buffer;
}

/** The Idempotency-Key was used for another request. */
export class IdempotencyKeyReusedError extends Error {
  override name = 'IdempotencyKeyReusedError';
}

/** A record that a request has made: its id and its JSON. */
export const madeRow = z.object({ id: z.number(), record: z.string() });
export type MadeRecord = z.infer<typeof madeRow>;
const earlierRow = madeRow.extend({ same: z.boolean() });

/** How long an Idempotency-Key is remembered, in hours. */
const REMEMBERED_HOURS = 24;
/** The most keys that are remembered of an account, the newest ones: their answers take room (INV-15). */
const MAX_OF_ACCOUNT = 1000;
/** How many expired keys storing a key deletes: more than one, so that their number falls. */
const FORGOTTEN_AT_ONCE = 100;

/**
 * Makes a record once for an Idempotency-Key: the same request returns the earlier record, and makes nothing. The caller
 * holds a lock in the transaction that makes the account's requests take turns.
 *
 * @param request.idempotency null for a request without a key, which always makes a record
 * @param request.kind the kind of record
 * @param request.now the time by which keys are remembered
 * @throws IdempotencyKeyReusedError if the key was used for a different request, and the errors of `make`
 */
export async function makeOnce(
  transaction: Transaction,
  request: {
    accountId: number;
    idempotency: Idempotency | null;
    kind: 'subscription' | 'publication' | 'webhook';
    now: Date;
  },
  make: () => Promise<MadeRecord>,
): Promise<MadeRecord> {
  const { accountId, idempotency, kind } = request;
  if (!idempotency) return make();
  const time = request.now.toISOString();
  const { key, requestHash } = idempotency;
  const earlier = await transaction.maybeOne(sql.type(earlierRow)`
    SELECT COALESCE(subscription_id, publication_id, webhook_id) AS id, answer AS record,
      request_hash = ${sql.binary(requestHash)} AS same
    FROM idempotency_keys WHERE account_id = ${accountId} AND key = ${key}
      AND created_at > ${time}::timestamptz - ${REMEMBERED_HOURS} * interval '1 hour'`);
  if (earlier && !earlier.same) throw new IdempotencyKeyReusedError();
  if (earlier) return { id: earlier.id, record: earlier.record };
  const made = await make();
  const idOf = (each: typeof kind) => (each === kind ? made.id : null);
  await transaction.query(sql.type(noRow)`
    INSERT INTO idempotency_keys AS held
      (account_id, key, request_hash, subscription_id, publication_id, webhook_id, answer, created_at)
    VALUES (${accountId}, ${key}, ${sql.binary(requestHash)}, ${idOf('subscription')}, ${idOf('publication')},
      ${idOf('webhook')}, ${made.record}, ${time})
    ON CONFLICT (account_id, key) DO UPDATE SET request_hash = excluded.request_hash,
      subscription_id = excluded.subscription_id, publication_id = excluded.publication_id,
      webhook_id = excluded.webhook_id, answer = excluded.answer, created_at = excluded.created_at`);
  await transaction.query(sql.type(noRow)`
    DELETE FROM idempotency_keys WHERE account_id = ${accountId} AND (created_at, key) <= (
      SELECT created_at, key FROM idempotency_keys WHERE account_id = ${accountId}
      ORDER BY created_at DESC, key DESC OFFSET ${MAX_OF_ACCOUNT} LIMIT 1)`);
  // Runs last and skips locked rows, so that transactions do not wait for each other.
  await transaction.query(sql.type(noRow)`
    DELETE FROM idempotency_keys WHERE (account_id, key) IN (
      SELECT account_id, key FROM idempotency_keys
      WHERE created_at <= ${time}::timestamptz - ${REMEMBERED_HOURS} * interval '1 hour'
      ORDER BY created_at LIMIT ${FORGOTTEN_AT_ONCE} FOR UPDATE SKIP LOCKED)`);
  return made;
}
