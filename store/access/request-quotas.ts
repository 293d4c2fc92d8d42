import { z } from 'zod';
import { type DatabasePool, noRow, sql } from '../connection/read-pool.ts';

export type QuotaKind = 'minute' | 'day';

/** A gateway's request for a share of an account's limit. */
export interface QuotaRequest {
  accountId: number;
  kind: QuotaKind;
  /** The beginning of the window, in milliseconds since 1970. */
  windowStart: number;
  /** The most requests in the window, across all gateways. */
  limit: number;
  /** How many requests to lease. */
  size: number;
}

const leaseRow = z.object({ granted: z.number(), used: z.number() });

/** The granted requests, from 0 to `size`, and the use of the limit after the grant. */
export type QuotaLease = z.infer<typeof leaseRow>;

/** Leases requests of an account's window. Concurrent leases wait for the row. */
export async function leaseRequests(
  pool: DatabasePool,
  { accountId, kind, windowStart, limit, size }: QuotaRequest,
): Promise<QuotaLease> {
  const first = Math.min(size, limit);
  return pool.one(sql.type(leaseRow)`
    INSERT INTO request_quotas AS quota (account_id, kind, window_start, used, granted)
    VALUES (${accountId}, ${kind}, to_timestamp(${windowStart / 1000}), ${first}, ${first})
    ON CONFLICT (account_id, kind, window_start) DO UPDATE SET
      used = quota.used + GREATEST(0, LEAST(excluded.used, ${limit} - quota.used)),
      granted = GREATEST(0, LEAST(excluded.used, ${limit} - quota.used))
    RETURNING granted, used`);
}

/**
 * Deletes past windows.
 *
 * @param starts the beginning of the earliest window of each kind to keep, in milliseconds since 1970.
 */
export async function forgetQuotas(
  pool: DatabasePool,
  starts: Readonly<Record<QuotaKind, number>>,
): Promise<void> {
  await pool.query(sql.type(noRow)`
    DELETE FROM request_quotas
    WHERE (kind = 'minute' AND window_start < to_timestamp(${starts.minute / 1000}))
      OR (kind = 'day' AND window_start < to_timestamp(${starts.day / 1000}))`);
}
