import { type DatabasePool, noRow, sql, type Transaction } from './read-pool.ts';

/** Runs queries that only read, in one snapshot. @param retries how often a transaction that failed is tried again */
export function inSnapshot<Result>(
  pool: DatabasePool,
  read: (connection: Transaction) => Promise<Result>,
  retries?: number,
): Promise<Result> {
  return pool.transaction(async (connection) => {
    await connection.query(sql.type(noRow)`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`);
    return read(connection);
  }, retries);
}
