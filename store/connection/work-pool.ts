import type pg from 'pg';
import type { ClientConfig } from 'pg';
import { createClientPool } from './client.ts';
import { WATCHFUL_SESSION, watchSession } from './session.ts';

/**
 * Creates a pool of watched sessions, for an unattended process.
 *
 * A lost connection fails the query that it was answering, which callers see. pg also emits an error, on the
 * pool for an idle connection and on the client for one in use. Without listeners for both, the error would
 * end the process.
 *
 * @param max the most connections at a time
 * @param onLost is told of each lost idle connection
 * @param timeouts replaces those of a watchful session
 */
export function createWorkPool(
  databaseUrl: string,
  max: number,
  onLost: (error: Error) => void,
  timeouts: Pick<ClientConfig, 'connectionTimeoutMillis' | 'query_timeout'> = {},
): pg.Pool {
  const pool = createClientPool(databaseUrl, {
    max,
    ...WATCHFUL_SESSION,
    ...timeouts,
    onConnect: watchSession,
  });
  pool.on('error', onLost);
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
