import { createReadPool, type DatabasePool } from '../../../store/connection/read-pool.ts';
import { createSeverable, type SeverableServer } from './severable.ts';

/** A pool of a gateway whose way to the database can be severed. */
export interface SeverablePool {
  way: SeverableServer;
  pool: DatabasePool;
  /** The number of queries so far. */
  readonly queries: number;
  close(): Promise<void>;
}

/** Creates such a pool, which gives up within a second. */
export async function createSeverablePool(databaseUrl: string, maxConnections = 2): Promise<SeverablePool> {
  let queries = 0;
  const way = await createSeverable(databaseUrl);
  const pool = await createReadPool({
    databaseUrl: way.url,
    maxConnections,
    connectionTimeoutMs: 1000,
    statementTimeoutMs: 1000,
    onQuery: () => {
      queries += 1;
    },
  });
  return {
    way,
    pool,
    get queries() {
      return queries;
    },
    async close() {
      await pool.end();
      await way.close();
    },
  };
}
