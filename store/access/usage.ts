import type { RequestError as ListedError } from '../accounts/request-errors.ts';
import { type DatabasePool, noRow, sql } from '../connection/read-pool.ts';

/** The number of an account's similar requests in an hour. */
export interface UsageCount {
  accountId: number;
  /** Null for requests of a session instead of a key. */
  keyId: number | null;
  /** The beginning of the UTC hour, in milliseconds since 1970. */
  hour: number;
  /** The path template of the endpoint; `none` if the path has none. */
  route: string;
  status: number;
  requests: number;
}

/** An answer of status 400 or above. Its message has no characters that Postgres cannot store. */
export interface RequestError extends Omit<ListedError, 'id' | 'occurredAt'> {
  accountId: number;
  /** The time of the answer, in milliseconds since 1970. */
  at: number;
}

/** A request that was answered without an error. */
export interface RequestSample extends Omit<RequestError, 'code' | 'message'> {
  /** The time until the answer began, in milliseconds. */
  ms: number;
}

export interface UsageBatch {
  /** Each combination of account, key, hour, route and status at most once. */
  counts: readonly UsageCount[];
  errors: readonly RequestError[];
  samples: readonly RequestSample[];
}

/** The UUID of the writing process, and the number of its batch: 1, 2, 3… */
export interface BatchName {
  writerId: string;
  number: number;
}

/** The most errors kept for an account: refusals by limits, which come in floods, and all others. */
const KEPT_REFUSALS = 100;
const KEPT_OTHERS = 900;
/** A request that took so long, in milliseconds, is slow. */
export const SLOW_MS = 1000;
/** The most samples kept for an account: slow requests, and all others. */
const KEPT_SLOW = 200;
const KEPT_QUICK = 800;
/** The most expired rows that one statement deletes from a table. */
const MAX_FORGOTTEN = 50_000;

/** The columns that errors and samples share. */
const ANSWERED = sql.fragment`"accountId" int4, "keyId" int4, at float8, "requestId" text, method text, route text,
  status int2`;

/**
 * Adds a batch to the stored usage. Writing a batch again adds nothing, so that a caller can retry after a
 * lost answer.
 */
export async function writeUsage(
  pool: DatabasePool,
  { writerId, number }: BatchName,
  { counts, errors, samples }: UsageBatch,
): Promise<void> {
  // Concurrent gateways lock rows in the same order, so that they cannot deadlock.
  await pool.query(sql.type(noRow)`
    WITH batch AS (
      INSERT INTO usage_writers AS writer (id, last_batch) VALUES (${writerId}, ${number})
      ON CONFLICT (id) DO UPDATE SET last_batch = excluded.last_batch, written_at = now()
        WHERE writer.last_batch < excluded.last_batch
      RETURNING id
    ), counted AS (
      INSERT INTO usage_hours AS usage (account_id, key_id, hour, route, status, requests)
      SELECT count."accountId", count."keyId", to_timestamp(count.hour / 1000), count.route, count.status, count.requests
      FROM batch, jsonb_to_recordset(${JSON.stringify(counts)}::jsonb)
        AS count ("accountId" int4, "keyId" int4, hour float8, route text, status int2, requests int8)
      ORDER BY 1, 2, 3, 4, 5
      ON CONFLICT (account_id, hour, key_id, route, status)
        DO UPDATE SET requests = usage.requests + excluded.requests
    ), sampled AS (
      INSERT INTO request_samples (account_id, key_id, occurred_at, request_id, method, route, status, ms)
      SELECT sample."accountId", sample."keyId", to_timestamp(sample.at / 1000), sample."requestId", sample.method,
        sample.route, sample.status, sample.ms
      FROM batch, jsonb_to_recordset(${JSON.stringify(samples)}::jsonb)
        AS sample (${ANSWERED}, ms int4)
      ORDER BY sample.at
    )
    INSERT INTO request_errors
      (account_id, key_id, occurred_at, request_id, method, route, status, code, message)
    SELECT error."accountId", error."keyId", to_timestamp(error.at / 1000), error."requestId", error.method, error.route,
      error.status, error.code, error.message
    FROM batch, jsonb_to_recordset(${JSON.stringify(errors)}::jsonb)
      AS error (${ANSWERED}, code text, message text)
    ORDER BY error.at`);
}

/** Trims each account to its newest errors: 100 of status 429, and 900 others. */
export const trimErrors = (pool: DatabasePool, accountIds: readonly number[]): Promise<void> =>
  trim(pool, accountIds, {
    table: 'request_errors',
    isOfFirst: sql.fragment`status = 429`,
    kept: { first: KEPT_REFUSALS, others: KEPT_OTHERS },
  });

/** Trims each account to its newest samples: 200 slow ones, and 800 others. */
export const trimSamples = (pool: DatabasePool, accountIds: readonly number[]): Promise<void> =>
  trim(pool, accountIds, {
    table: 'request_samples',
    isOfFirst: sql.fragment`ms >= ${SLOW_MS}`,
    kept: { first: KEPT_SLOW, others: KEPT_QUICK },
  });

interface Trimmed {
  table: string;
  /** Whether a row is of the first of two kinds, of which each account keeps the newest. */
  isOfFirst: ReturnType<typeof sql.fragment>;
  kept: { first: number; others: number };
}

async function trim(
  pool: DatabasePool,
  accountIds: readonly number[],
  { table, isOfFirst, kept }: Trimmed,
): Promise<void> {
  const rows = sql.identifier([table]);
  await pool.query(sql.type(noRow)`
    DELETE FROM ${rows} WHERE id IN (
      SELECT id FROM ${rows} WHERE id IN (
        SELECT surplus.id
        FROM unnest(${sql.array([...accountIds], 'int4')}) AS account (id),
          (VALUES (true, ${kept.first}::int), (false, ${kept.others}::int)) AS kind (is_first, kept),
          LATERAL (
            SELECT item.id FROM ${rows} AS item
            WHERE item.account_id = account.id AND (${isOfFirst}) = kind.is_first
            ORDER BY item.occurred_at DESC, item.id DESC OFFSET kind.kept
          ) AS surplus
      ) FOR UPDATE SKIP LOCKED
    )`);
}

/**
 * Deletes old usage, up to 50,000 rows of each kind at a time.
 *
 * @param starts the earliest hour, and the earliest error and sample to keep, in milliseconds since 1970.
 */
export async function forgetUsage(
  pool: DatabasePool,
  starts: Readonly<Record<'hours' | 'errors', number>>,
): Promise<void> {
  const firstHour = sql.fragment`to_timestamp(${starts.hours / 1000})`;
  await pool.query(sql.type(noRow)`
    WITH forgotten_hours AS (
      DELETE FROM usage_hours WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM usage_hours WHERE hour < ${firstHour} LIMIT ${MAX_FORGOTTEN} FOR UPDATE SKIP LOCKED
      ))
    ), forgotten_deliveries AS (
      DELETE FROM webhook_usage_days WHERE day < (${firstHour} AT TIME ZONE 'UTC')::date
    ), forgotten_writers AS (
      DELETE FROM usage_writers WHERE written_at < ${firstHour}
    ), forgotten_samples AS (
      DELETE FROM request_samples WHERE id IN (
        SELECT id FROM request_samples WHERE occurred_at < to_timestamp(${starts.errors / 1000})
        LIMIT ${MAX_FORGOTTEN} FOR UPDATE SKIP LOCKED
      )
    )
    DELETE FROM request_errors WHERE id IN (
      SELECT id FROM request_errors WHERE occurred_at < to_timestamp(${starts.errors / 1000})
      LIMIT ${MAX_FORGOTTEN} FOR UPDATE SKIP LOCKED
    )`);
}
