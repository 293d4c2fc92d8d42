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
