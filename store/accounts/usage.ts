import type { ClientBase, Pool } from 'pg';

/** An account's requests by the kind of answer. Gateways write them about every ten seconds. */
export interface RequestTotals {
  /** All of them. */
  requests: number;
  /** Those of status 429: refused by a limit of the plan. */
  limited: number;
  /** Those of any other status from 400 to 499. */
  faulty: number;
  /** Those of status 500 and above. */
  failed: number;
}

export interface PeriodUsage extends RequestTotals {
  /** The beginning of the hour or day, UTC. */
  start: Date;
}

export interface RouteUsage extends RequestTotals {
  /** The path template of an endpoint; `none` for paths without one. */
  route: string;
}

export interface KeyUsage extends RequestTotals {
  /** Null for requests of sessions instead of keys. */
  keyId: number | null;
  /** The name of the key, which may be empty; null for sessions. */
  name: string | null;
}

const TOTALS = `
  COALESCE(sum(requests), 0)::float8 AS requests,
  COALESCE(sum(requests) FILTER (WHERE status = 429), 0)::float8 AS limited,
  COALESCE(sum(requests) FILTER (WHERE status BETWEEN 400 AND 499 AND status <> 429), 0)::float8 AS faulty,
  COALESCE(sum(requests) FILTER (WHERE status >= 500), 0)::float8 AS failed`;

/** The usage of an account in each of the last 48 UTC hours, the present one included, oldest first. */
export async function loadHourlyUsage(client: ClientBase | Pool, accountId: number): Promise<PeriodUsage[]> {
  const { rows } = await client.query<PeriodUsage>(
    `WITH span AS (SELECT date_trunc('hour', now(), 'UTC') AS present)
     SELECT start, ${TOTALS}
     FROM span CROSS JOIN generate_series(present - interval '47 hours', present, interval '1 hour') AS start
       LEFT JOIN usage_hours ON account_id = $1 AND hour = start
     GROUP BY start ORDER BY start`,
    [accountId],
  );
  return rows;
}

/** The usage of an account on each of the last 30 UTC days, today included, oldest first. */
export async function loadDailyUsage(client: ClientBase | Pool, accountId: number): Promise<PeriodUsage[]> {
  const { rows } = await client.query<PeriodUsage>(
    `WITH span AS (
       SELECT today, today - interval '696 hours' AS first FROM date_trunc('day', now(), 'UTC') AS today
     )
     SELECT start, ${TOTALS}
     FROM span CROSS JOIN generate_series(first, today, interval '24 hours') AS start
       LEFT JOIN (
         SELECT date_trunc('day', hour, 'UTC') AS day, status, sum(requests) AS requests FROM usage_hours
         WHERE account_id = $1 AND hour >= ${firstDay('30')} GROUP BY day, status) AS used ON day = start
     GROUP BY start ORDER BY start`,
    [accountId],
  );
  return rows;
}

/** Deliveries to the webhooks of an account on a UTC day, without tests. Deliverers count them at once. */
export interface DeliveryUsage {
  /** The beginning of the day, UTC. */
  start: Date;
  /** Attempts that receivers accepted, and the others. */
  accepted: number;
  failed: number;
  /** The events of accepted messages. */
  events: number;
}

/** Deliveries to the webhooks of an account on each of the last 30 UTC days, today included, oldest first. */
export async function loadDailyDeliveries(
  client: ClientBase | Pool,
  accountId: number,
): Promise<DeliveryUsage[]> {
  const { rows } = await client.query<DeliveryUsage>(
    `WITH span AS (SELECT date_trunc('day', now(), 'UTC') AS today)
     SELECT start, COALESCE(accepted, 0)::float8 AS accepted, COALESCE(failed, 0)::float8 AS failed,
       COALESCE(events, 0)::float8 AS events
     FROM span CROSS JOIN generate_series(today - interval '696 hours', today, interval '24 hours') AS start
       LEFT JOIN webhook_usage_days ON account_id = $1 AND day = (start AT TIME ZONE 'UTC')::date
     ORDER BY start`,
    [accountId],
  );
  return rows;
}

/** The usage of an account by route, the most used first. @param days the number of UTC days up to today, 1 to 33 */
export async function loadUsageByRoute(
  client: ClientBase | Pool,
  accountId: number,
  days: number,
): Promise<RouteUsage[]> {
  const { rows } = await client.query<RouteUsage>(
    `SELECT route, ${TOTALS}
     FROM usage_hours WHERE account_id = $1 AND hour >= ${firstDay('$2')}
     GROUP BY 1 ORDER BY requests DESC, 1`,
    [accountId, days],
  );
  return rows;
}

/**
 * The usage of an account by key, the newest first and the console last. Includes revoked keys, but not keys without a
 * request.
 *
 * @param page.days the number of UTC days up to today, 1 to 33
 * @param page.limit the most keys
 * @param page.before only keys with a lower id, and the console; null for all
 */
export async function loadUsageByKey(
  client: ClientBase | Pool,
  accountId: number,
  { days, limit, before = null }: { days: number; limit: number; before?: number | null },
): Promise<KeyUsage[]> {
  const { rows } = await client.query<KeyUsage>(
    `SELECT usage.*, key.name FROM (
       SELECT key_id AS "keyId", ${TOTALS}
       FROM usage_hours
       WHERE account_id = $1 AND hour >= ${firstDay('$2')} AND ($4::int IS NULL OR COALESCE(key_id, 0) < $4)
       GROUP BY key_id ORDER BY COALESCE(key_id, 0) DESC LIMIT $3) AS usage
     LEFT JOIN api_keys key ON key.id = usage."keyId"
     ORDER BY COALESCE("keyId", 0) DESC`,
    [accountId, days, limit, before],
  );
  return rows;
}

/** The kinds of totals, in the order of the tables that show them. */
export const TOTAL_KINDS = [
  'requests',
  'faulty',
  'limited',
  'failed',
] as const satisfies (keyof RequestTotals)[];
export type TotalKind = (typeof TOTAL_KINDS)[number];

export interface AccountUsage extends RequestTotals {
  accountId: number;
  account: string;
  plan: string;
  /** The events that its webhooks accepted. */
  events: number;
}

export interface UsageSearch {
  /** The number of UTC days up to today, 1 to 33. */
  days: number;
  /** The totals by which accounts are sorted, the highest first. */
  by: TotalKind;
  /** The most accounts. */
  limit: number;
  /** The accounts to leave out, the highest first; by default none. */
  offset?: number;
}

/** The usage of every account with a request or a delivery, the highest first, then by name. */
export async function loadUsageByAccount(
  client: ClientBase | Pool,
  { days, by, limit, offset = 0 }: UsageSearch,
): Promise<AccountUsage[]> {
  // A scan would find the first day anew for each hour, which takes longer than all else.
  const { rows: found } = await client.query<{ first: Date }>(`SELECT ${firstDay('$1')} AS first`, [days]);
  const { rows } = await client.query<AccountUsage>(
    `WITH usage AS (
       SELECT account_id, ${TOTALS} FROM usage_hours WHERE hour >= $1 GROUP BY account_id
     ), deliveries AS (
       SELECT account_id, sum(events)::float8 AS events FROM webhook_usage_days
       WHERE day >= $1::timestamptz AT TIME ZONE 'UTC' GROUP BY account_id
     )
     SELECT a.id AS "accountId", a.name AS account, a.plan, ${TOTAL_KINDS.map((kind) => `COALESCE(${kind}, 0) AS ${kind}`).join(', ')},
       COALESCE(events, 0) AS events
     FROM usage FULL JOIN deliveries USING (account_id) JOIN accounts a ON a.id = account_id
     ORDER BY COALESCE(${by}, 0) DESC, a.name LIMIT $2 OFFSET $3`,
    [found[0]?.first, limit, offset],
  );
  return rows;
}

const firstDay = (days: string): string =>
  `date_trunc('day', now(), 'UTC') - (${days}::int - 1) * interval '24 hours'`;

/** An account's open streams, and its limit. */
export interface OpenStreamCount {
  /** Over all gateways. */
  open: number;
  /** The limit of the plan; null is unlimited. */
  max: number | null;
}

/**
 * Counts the open streams of an account over all gateways.
 *
 * Counts only Server-Sent Events. Each stream that began while the plan limited them has a lease in the database;
 * gateways report the others every five seconds. The count is temporarily wrong in three cases:
 *
 * - The streams of a killed gateway count until their leases expire, up to 30 seconds.
 * - Streams that began during an outage of the database count from the next renewal of leases, within ten
 *   seconds.
 * - Streams that began before the account moved from an unlimited plan to a limited one count within seconds.
 *
 * @returns null if the account does not exist.
 */
export async function countOpenStreams(
  client: ClientBase | Pool,
  accountId: number,
): Promise<OpenStreamCount | null> {
  const { rows } = await client.query<OpenStreamCount>(
    `SELECT p.max_streams AS max,
       (SELECT count(*)::int FROM stream_leases l WHERE l.account_id = a.id AND l.expires_at > clock_timestamp())
         + CASE WHEN p.max_streams IS NULL THEN (
             SELECT COALESCE(sum((g.details -> 'unlimitedStreams' ->> a.id::text)::int), 0)::int FROM processes g
             WHERE g.seen_at > clock_timestamp() - interval '1 minute'
           ) ELSE 0 END AS open
     FROM accounts a JOIN plans p ON p.name = a.plan WHERE a.id = $1`,
    [accountId],
  );
  return rows[0] ?? null;
}
