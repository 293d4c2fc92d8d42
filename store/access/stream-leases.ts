import { z } from 'zod';
import { type DatabasePool, noRow, sql } from '../connection/read-pool.ts';

/** A place among the open streams of an account. */
export interface StreamLease {
  /** A UUID of the gateway's making, so that it can ask again where it missed the answer. */
  id: string;
  accountId: number;
  /** A UUID of the process that has the stream. */
  gatewayId: string;
  /** How long it counts without being renewed, in milliseconds. */
  expiryMs: number;
}

const idRow = z.object({ id: z.string() });

/** When a lease expires that is given or renewed now. Not now(), which is when the transaction began to wait. */
const expiry = (ms: number) => sql.fragment`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/**
 * Takes a place, where the account has fewer than `max`. Those who come at the same time, on whatever gateway, are
 * looked at one after the other: the account's row is locked until it is decided.
 *
 * @returns false where there is none.
 */
export async function acquireStreamLease(
  pool: DatabasePool,
  { id, accountId, gatewayId, expiryMs }: StreamLease,
  max: number,
): Promise<boolean> {
  return pool.transaction(async (transaction) => {
    await transaction.query(sql.type(noRow)`
      SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
    // A statement of its own, that sees what was decided while this one waited.
    const acquired = await transaction.maybeOne(sql.type(idRow)`
      WITH expired AS (
        DELETE FROM stream_leases WHERE account_id = ${accountId} AND expires_at <= clock_timestamp()
      )
      INSERT INTO stream_leases (id, account_id, gateway_id, expires_at)
      SELECT ${id}, ${accountId}, ${gatewayId}, ${expiry(expiryMs)}
      WHERE ${max} > (
        SELECT count(*) FROM stream_leases WHERE account_id = ${accountId} AND expires_at > clock_timestamp()
      )
      RETURNING id`);
    return acquired !== null;
  });
}

/** Renews the leases of a gateway. @returns the ids of those that are still there. */
export async function renewStreamLeases(
  pool: DatabasePool,
  { gatewayId, ids, expiryMs }: { gatewayId: string; ids: readonly string[]; expiryMs: number },
): Promise<ReadonlySet<string>> {
  const rows = await pool.any(sql.type(idRow)`
    UPDATE stream_leases SET expires_at = ${expiry(expiryMs)}
    WHERE gateway_id = ${gatewayId} AND id = ANY(${sql.array(ids, 'uuid')}) RETURNING id`);
  return new Set(rows.map(({ id }) => id));
}

/** Puts leases back that expired while their streams went on, whether or not there is a place for them. */
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

/** Gives places back. */
export async function releaseStreamLeases(pool: DatabasePool, ids: readonly string[]): Promise<void> {
  await pool.query(sql.type(noRow)`DELETE FROM stream_leases WHERE id = ANY(${sql.array(ids, 'uuid')})`);
}
