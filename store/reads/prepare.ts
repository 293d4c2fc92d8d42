import { type DatabasePool, type Statement, sql } from '../connection/read-pool.ts';
import { StatementNames } from '../connection/statement-names.ts';

/** The connections of a pool have the same names, and each prepares a statement when it runs it for the first time. */
const namesOfPools = new WeakMap<DatabasePool, StatementNames>();

/** Has a pool's connections prepare a statement that was put together for its request, once the same text is run again. */
export function prepareRepeated<Query extends Statement>(pool: DatabasePool, query: Query): Query {
  let names = namesOfPools.get(pool);
  if (names === undefined) {
    names = new StatementNames();
    namesOfPools.set(pool, names);
  }
  const name = names.nameOf(query.sql);
  return name === undefined ? query : { ...query, name };
}

/**
 * A condition that is always true, for statements whose best plan depends on their values: the plan that finds the few of
 * Wyoming is slow for the many of California. Postgres keeps one plan for all values of a prepared statement once it
 * expects that to cost no more than a plan for each. But a plan for all values would have to count to a trillion, as far
 * as it knows, while one for these values drops the condition.
 */
export const PLANNED_FOR_VALUES = sql.fragment`(${true} OR (SELECT count(*) FROM generate_series(1, 1000000000000)) > 0)`;
