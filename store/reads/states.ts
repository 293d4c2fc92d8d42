import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { columns, itemsRow, jsonObject } from './json.ts';

const STATES = sql.prepared('states', itemsRow)`
  SELECT string_agg(${jsonObject(columns('states', ['code', 'fips', 'name']))}::text, ',' ORDER BY code) AS items
  FROM states`;

/** Every state, by code, as the items of a JSON list. */
export async function listStates(pool: DatabasePool): Promise<string> {
  return pool.oneFirst(STATES);
}
