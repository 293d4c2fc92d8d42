import { createReadPool, type DatabasePool, type PoolOptions } from '../../../store/connection/read-pool.ts';

/** A pool of one connection that gives up after five seconds, unless the options differ. The test ends it. */
export function openReadPool(databaseUrl: string, options: Partial<PoolOptions> = {}): Promise<DatabasePool> {
  const limits = { maxConnections: 1, connectionTimeoutMs: 5000, statementTimeoutMs: 5000 };
  return createReadPool({ databaseUrl, ...limits, ...options });
}
