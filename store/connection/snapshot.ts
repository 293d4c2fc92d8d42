import { type DatabasePool, noRow, sql } from './read-pool.ts';

/** A connection on which all queries read the same snapshot. */
export type SnapshotConnection = Parameters<Parameters<DatabasePool['transaction']>[0]>[0];

/** Runs queries that only read, in one snapshot. @param retries how often a transaction that failed is tried again */
export function inSnapshot<Result>(
  pool: DatabasePool,
  read: (connection: SnapshotConnection) => Promise<Result>,
  retries?: number,
): Promise<Result> {
  return pool.transaction(async (connection) => {
    await connection.query(sql.type(noRow)`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);
    return read(connection);
  }, retries);
}
