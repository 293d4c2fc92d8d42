import { createReadPool, type DatabasePool } from '../../../store/connection/read-pool.ts';
import { TcpProxy } from './tcp-proxy.ts';

/** A gateway's pool whose connections to the database can be severed. */
export interface SeverablePool {
  way: TcpProxy;
  pool: DatabasePool;
  /** The number of queries so far. */
  readonly queries: number;
  close(): Promise<void>;
}

/** Creates such a pool, which gives up within a second. */
export async function createSeverablePool(databaseUrl: string, maxConnections = 2): Promise<SeverablePool> {
  let queries = 0;
  const way = await TcpProxy.open(databaseUrl);
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
