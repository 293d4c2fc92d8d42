import type pg from 'pg';
import type { ClientBase } from 'pg';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { until } from '../until.ts';

/**
 * Runs two transactions that overlap: the first one commits only after the second one waits for a lock or has ended.
 *
 * @returns the result of the second one
 */
export async function overlap<T>(
  pool: pg.Pool,
  first: (client: ClientBase) => Promise<unknown>,
  second: (client: ClientBase) => Promise<T>,
): Promise<T> {
  let hasEnded = false;
  let overlapping: Promise<T> | undefined;
  await inTransaction(pool, async (client) => {
    await first(client);
    overlapping = inTransaction(pool, second);
    const end = () => {
      hasEnded = true;
    };
    overlapping.then(end, end);
    await until('the second transaction to wait or end', async () => hasEnded || isWaiting(pool));
  });
  return overlapping as Promise<T>;
}

/** Whether a session of this database waits for a lock. */
export async function isWaiting(client: pg.Pool | ClientBase): Promise<boolean> {
  return (await countWaiting(client)) > 0;
}

/** The number of sessions of this database that wait for a lock. */
export async function countWaiting(client: pg.Pool | ClientBase): Promise<number> {
  const { rows } = await client.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows.length;
}
