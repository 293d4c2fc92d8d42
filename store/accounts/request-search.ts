import type { ClientBase, Pool } from 'pg';
import type { ErrorPlace, RequestError } from './request-errors.ts';

/** The search of an operator. Null stands for anything. */
export interface RequestSearch {
  /** A part of the account's name, as searches compare names. */
  account: string | null;
  keyId: number | null;
  /** The path template of the endpoint, or its beginning. */
  route: string | null;
  status: number | null;
  requestId: string | null;
  /** Whether requests were answered with an error; null for both. */
  isError: boolean | null;
}

/** A kept request, and the account that it belongs to. */
export interface FoundRequest extends Omit<RequestError, 'code' | 'message'> {
  accountId: number;
  account: string;
  /** Of an error. */
  code: string | null;
  message: string | null;
  /** The time until the answer began, in milliseconds; null for an error. */
  ms: number | null;
}

/** The most errors, and the most other requests, that a search looks through, the newest first. */
const MAX_LOOKED_THROUGH = 50_000;

/**
 * The newest rows of a table that may fit. A row's place in the search is twice its id, and one more in the second table,
 * so that no two rows have the same.
 */
const lookThrough = (table: string, { odd, rest }: { odd: 0 | 1; rest: string }) => `
  SELECT id * 2 + ${odd} AS place, account_id, key_id, occurred_at, request_id, method, route, status, ${rest} FROM ${table}
  WHERE ($1::timestamptz IS NULL OR (occurred_at, id) < ($1, ($2::bigint + 1 - ${odd}) / 2))
    AND ($3::text IS NULL OR request_id = $3)
    AND ($4::int IS NULL OR account_id = (SELECT k.account_id FROM api_keys k WHERE k.id = $4))
  ORDER BY occurred_at DESC, id DESC LIMIT $5`;

/**
 * Looks for kept requests of all accounts, the newest first: the errors, and a sample of the others. Its cost is bounded,
 * so that a page can have fewer requests than the limit although others follow.
 *
 * @param limit the most requests of the page, at least 1
 * @param after the previous page's `next`; null for the first page
 */
export async function searchRequests(
  client: ClientBase | Pool,
  { account, keyId, route, status, requestId, isError }: RequestSearch,
  { limit, after = null }: { limit: number; after?: ErrorPlace | null },
): Promise<{ requests: FoundRequest[]; next: ErrorPlace | null }> {
  const { rows } = await client.query<FoundRequest & { fits: boolean; isLast: boolean }>(
    `WITH looked_through AS (
       SELECT * FROM (
         SELECT * FROM (${lookThrough('request_errors', { odd: 0, rest: 'code, message, NULL::int AS ms' })}) AS errors
         WHERE $10::boolean IS DISTINCT FROM false
         UNION ALL
         SELECT * FROM (${lookThrough('request_samples', { odd: 1, rest: 'NULL, NULL, ms' })}) AS others
         WHERE $10::boolean IS DISTINCT FROM true) AS both_kinds
       ORDER BY occurred_at DESC, place DESC LIMIT $5),
     judged AS (
       SELECT l.*, a.name, row_number() OVER (ORDER BY occurred_at DESC, place DESC) = $5 AS is_last,
         ($4::int IS NULL OR key_id = $4)
           AND ($6::text IS NULL OR account_id IN (
             SELECT id FROM accounts WHERE strpos(name_search(name), name_search($6)) > 0))
           AND ($7::text IS NULL OR starts_with(route, $7))
           AND ($8::int IS NULL OR status = $8) AS fits
       FROM looked_through l JOIN accounts a ON a.id = account_id)
     SELECT place::float8 AS id, occurred_at AS "occurredAt", key_id AS "keyId", request_id AS "requestId", method, route,
       status, code, message, ms, account_id AS "accountId", name AS account, fits, is_last AS "isLast"
     FROM judged WHERE fits OR is_last ORDER BY occurred_at DESC, place DESC LIMIT $9`,
    [
      after?.occurredAt ?? null,
      after?.id ?? null,
      requestId,
      keyId,
      MAX_LOOKED_THROUGH,
      account,
      route,
      status,
      limit + 1,
      isError,
    ],
  );
  const found = rows.filter(({ fits }) => fits);
  const requests = found.slice(0, limit);
  // Without further matches, the search continues after the last request that it may look through.
  const last = found.length > limit ? requests.at(-1) : rows.find(({ isLast }) => isLast);
  return { requests, next: last ? { occurredAt: last.occurredAt, id: last.id } : null };
}
