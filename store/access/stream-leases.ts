import { z } from 'zod';
import { type DatabasePool, noRow, sql } from '../connection/read-pool.ts';

/** A lease of one of the open streams that an account may have. */
export interface StreamLease {
  /** A UUID of version 7 that the gateway chooses, so that it can retry after a lost answer. A later stream's is greater. */
  id: string;
  accountId: number;
  /** A UUID of the gateway process that serves the stream. */
  gatewayId: string;
  /** The lease's duration without a renewal. */
  expiryMs: number;
}

const idRow = z.object({ id: z.string() });

/** The expiry of a lease acquired or renewed now. now() would give the time before the transaction waited. */
const expiry = (ms: number) => sql.fragment`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/**
 * Acquires a lease if the account has fewer than `max` others. The lock on the account's row makes concurrent
 * requests, on any gateway, take turns.
 *
 * @returns false if the account has reached its limit.
 */
export async function acquireStreamLease(
  pool: DatabasePool,
  { id, accountId, gatewayId, expiryMs }: StreamLease,
  max: number,
): Promise<boolean> {
  return pool.transaction(async (transaction) => {
    await transaction.query(sql.type(noRow)`
      SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
    // A separate statement sees leases that were acquired while the first one waited.
    const acquired = await transaction.maybeOne(sql.type(idRow)`
      WITH expired AS (
        DELETE FROM stream_leases WHERE account_id = ${accountId} AND expires_at <= clock_timestamp()
      )
      INSERT INTO stream_leases (id, account_id, gateway_id, expires_at)
      SELECT ${id}, ${accountId}, ${gatewayId}, ${expiry(expiryMs)}
      WHERE ${max} > (
        SELECT count(*) FROM stream_leases
        WHERE account_id = ${accountId} AND id <> ${id} AND expires_at > clock_timestamp()
      )
      ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
      RETURNING id`);
    return acquired !== null;
  });
}

/** Renews the leases of a gateway. @returns the ids of the leases that still exist. */
export async function renewStreamLeases(
  pool: DatabasePool,
  { gatewayId, ids, expiryMs }: { gatewayId: string; ids: readonly string[]; expiryMs: number },
): Promise<ReadonlySet<string>> {
  const rows = await pool.any(sql.type(idRow)`
    UPDATE stream_leases SET expires_at = ${expiry(expiryMs)}
    WHERE gateway_id = ${gatewayId} AND id = ANY(${sql.array(ids, 'uuid')}) RETURNING id`);
  return new Set(rows.map(({ id }) => id));
}

/** Restores leases that expired while their streams continued, even beyond the account's limit. */
export async function restoreStreamLeases(
  pool: DatabasePool,
  leases: readonly Pick<StreamLease, 'id' | 'accountId'>[],
  { gatewayId, expiryMs }: Pick<StreamLease, 'gatewayId' | 'expiryMs'>,
): Promise<void> {
  const ids = leases.map(({ id }) => id);
  const accountIds = leases.map(({ accountId }) => accountId);
  await pool.query(sql.type(noRow)`
    INSERT INTO stream_leases (id, account_id, gateway_id, expires_at)
    SELECT lease.id, lease.account_id, ${gatewayId}, ${expiry(expiryMs)}
    FROM unnest(${sql.array(ids, 'uuid')}, ${sql.array(accountIds, 'int4')}) AS lease (id, account_id)
    ON CONFLICT (id) DO NOTHING`);
}

/** Releases leases. */
export async function releaseStreamLeases(pool: DatabasePool, ids: readonly string[]): Promise<void> {
  await pool.query(sql.type(noRow)`DELETE FROM stream_leases WHERE id = ANY(${sql.array(ids, 'uuid')})`);
}

const accountRow = z.object({ accountId: z.number() });

/** The accounts, of those given, whose plan limits open streams. */
export async function findLimitedAccounts(
  pool: DatabasePool,
  accountIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (accountIds.length === 0) return new Set();
  const rows = await pool.any(sql.type(accountRow)`
    SELECT a.id AS "accountId" FROM accounts a JOIN plans p ON p.name = a.plan
    WHERE a.id = ANY(${sql.array(accountIds, 'int4')}) AND p.max_streams IS NOT NULL`);
  return new Set(rows.map(({ accountId }) => accountId));
}

/**
 * Finds a gateway's leases beyond the limits of their accounts' plans. Every gateway counts the leases of all
 * gateways in the same order, the newest first, so that together they end exactly the surplus.
 */
export async function findSurplusLeases(
  pool: DatabasePool,
  { gatewayId, accountIds }: { gatewayId: string; accountIds: readonly number[] },
): Promise<ReadonlySet<string>> {
  if (accountIds.length === 0) return new Set();
  const rows = await pool.any(sql.type(idRow)`
    SELECT id FROM (
      SELECT l.id, l.gateway_id, p.max_streams,
        row_number() OVER (PARTITION BY l.account_id ORDER BY l.id DESC) AS place
      FROM stream_leases l JOIN accounts a ON a.id = l.account_id JOIN plans p ON p.name = a.plan
      WHERE l.account_id = ANY(${sql.array(accountIds, 'int4')}) AND l.expires_at > clock_timestamp()) AS lease
    WHERE gateway_id = ${gatewayId} AND place > max_streams`);
  return new Set(rows.map(({ id }) => id));
}
