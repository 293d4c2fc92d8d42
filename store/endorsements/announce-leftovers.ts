import type { Pool, PoolClient } from 'pg';
import { ADVISORY_LOCKS } from '../connection/advisory-locks.ts';
import { type Announced, announceAllStale, hasStale } from './announce.ts';

/**
 * Announces the stale endorsements of an interrupted edit of the catalogue.
 *
 * @param signal stops between two parts
 * @returns null if there are none, or an edit is still at work
 */
export async function announceLeftovers(pool: Pool, signal: AbortSignal): Promise<Announced | null> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    if (!(await hasStale(client)) || !(await tryLock(client))) return null;
    const announced = await announceAllStale(client, { signal });
    await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.catalogueImport]);
    return announced;
  } catch (error) {
    // Closes the connection, which also releases the lock.
    broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

async function tryLock(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
    ADVISORY_LOCKS.catalogueImport,
  ]);
  return rows[0]?.locked ?? false;
}
