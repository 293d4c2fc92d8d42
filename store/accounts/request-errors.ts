import type { ClientBase, Pool } from 'pg';

/** An answer of status 400 or above. */
export interface RequestError extends ErrorPlace {
  /** Null for a request of a session instead of a key. */
  keyId: number | null;
  requestId: string;
  method: string;
  /** The path template of the endpoint; `none` if the path has none. */
  route: string;
  status: number;
  /** The code of the error body, such as `invalid_parameter`. */
  code: string;
  /** The first 500 characters of the error body's message. */
  message: string;
}

/** An error's place in the list. */
export interface ErrorPlace {
  occurredAt: Date;
  id: number;
}

export interface ErrorPage {
  errors: RequestError[];
  /** The place after which the next page begins; null on the last page. */
  next: ErrorPlace | null;
}

/**
 * Lists the newest errors of an account first. Gateways write them about every ten seconds, and keep a sample
 * of the last seven days: the newest 100 of status 429 and the newest 900 others. In a flood they keep only
 * some of them. The usage counts all.
 *
 * @param limit the most errors of the page, at least 1.
 * @param after the previous page's `next`; null for the first page.
 */
export async function listRequestErrors(
  client: ClientBase | Pool,
  accountId: number,
  { limit, after = null }: { limit: number; after?: ErrorPlace | null },
): Promise<ErrorPage> {
  const { rows } = await client.query<RequestError>(
    `SELECT id::float8 AS id, occurred_at AS "occurredAt", key_id AS "keyId", request_id AS "requestId", method,
       route, status, code, message
     FROM request_errors
     WHERE account_id = $1 AND ($2::timestamptz IS NULL OR (occurred_at, id) < ($2, $3::bigint))
     ORDER BY occurred_at DESC, id DESC LIMIT $4`,
    [accountId, after?.occurredAt ?? null, after?.id ?? null, limit + 1],
  );
  const errors = rows.slice(0, limit);
  const last = errors.at(-1);
  const next = rows.length > limit && last ? { occurredAt: last.occurredAt, id: last.id } : null;
  return { errors, next };
}

/** What operators look for. Null stands for anything. */
export interface ErrorSearch {
  /** A part of the account's name, in any case. */
  account: string | null;
  keyId: number | null;
  /** The path template of the endpoint, or its beginning. */
  route: string | null;
  status: number | null;
  requestId: string | null;
}

/** An error, and the account that it belongs to. */
export interface AccountError extends RequestError {
  accountId: number;
  account: string;
}

/** The most errors that a search looks through, the newest first. */
const MAX_LOOKED_THROUGH = 50_000;

/**
 * Looks for kept errors of all accounts, the newest first. Its cost is bounded, so that a page can have fewer errors
 * than the limit although others follow.
 *
 * @param limit the most errors of the page, at least 1
 * @param after the previous page's `next`; null for the first page
 */
export async function searchRequestErrors(
  client: ClientBase | Pool,
  { account, keyId, route, status, requestId }: ErrorSearch,
  { limit, after = null }: { limit: number; after?: ErrorPlace | null },
): Promise<{ errors: AccountError[]; next: ErrorPlace | null }> {
  const { rows } = await client.query<AccountError & { fits: boolean }>(
    `WITH looked_through AS (
       SELECT * FROM request_errors
       WHERE ($1::timestamptz IS NULL OR (occurred_at, id) < ($1, $2::bigint))
         AND ($3::text IS NULL OR request_id = $3)
         AND ($4::int IS NULL OR account_id = (SELECT k.account_id FROM api_keys k WHERE k.id = $4))
       ORDER BY occurred_at DESC, id DESC LIMIT $5),
     found AS (
       SELECT e.*, a.name, true AS fits FROM looked_through e JOIN accounts a ON a.id = e.account_id
       WHERE ($4::int IS NULL OR e.key_id = $4)
         AND ($6::text IS NULL OR strpos(lower(a.name), lower($6)) > 0)
         AND ($7::text IS NULL OR starts_with(e.route, $7))
         AND ($8::int IS NULL OR e.status = $8)
       ORDER BY e.occurred_at DESC, e.id DESC LIMIT $9),
     rest AS (
       SELECT l.*, '' AS name, false AS fits FROM looked_through l
       WHERE (SELECT count(*) FROM looked_through) = $5 AND (SELECT count(*) FROM found) < $9
       ORDER BY l.occurred_at, l.id LIMIT 1)
     SELECT id::float8 AS id, occurred_at AS "occurredAt", key_id AS "keyId", request_id AS "requestId", method, route,
       status, code, message, account_id AS "accountId", name AS account, fits
     FROM (SELECT * FROM found UNION ALL SELECT * FROM rest) AS shown
     ORDER BY fits DESC, occurred_at DESC, id DESC`,
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
    ],
  );
  const found = rows.filter(({ fits }) => fits);
  const errors = found.slice(0, limit);
  // Without further matches, the search goes on after the last error that it has looked through.
  const last = found.length > limit ? errors.at(-1) : rows.find(({ fits }) => !fits);
  return { errors, next: last ? { occurredAt: last.occurredAt, id: last.id } : null };
}
