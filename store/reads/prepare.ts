import { type DatabasePool, type Statement, sql } from '../connection/read-pool.ts';
import { StatementNames } from '../connection/statement-names.ts';

/** A pool's connections share names. Each prepares a statement when it first runs it. */
const namesOfPools = new WeakMap<DatabasePool, StatementNames>();

/** Names a statement built for its request once its text repeats, so that the pool's connections prepare it. */
export function prepareRepeated<Query extends Statement>(pool: DatabasePool, query: Query): Query {
  const names = namesOfPools.get(pool) ?? new StatementNames();
  namesOfPools.set(pool, names);
  const name = names.nameOf(query.sql);
  return name === undefined ? query : { ...query, name };
}

/**
 * A condition that is always true, for statements whose best plan depends on their values: a plan for the few
 * records of Wyoming is slow for the many of California. Postgres uses one plan for all values of a prepared
 * statement if it expects no higher cost from it. This condition makes that plan count to a trillion, as far
 * as Postgres knows, while a plan for given values drops the condition.
 */
export const PLANNED_FOR_VALUES = sql.fragment`(${true} OR (SELECT count(*) FROM generate_series(1, 1000000000000)) > 0)`;
