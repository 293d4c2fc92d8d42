import type { ClientBase } from 'pg';

/** What an import did to the rows of one table. */
export interface MergeCounts {
  added: number;
  changed: number;
  unchanged: number;
}

interface MergePlan {
  table: string;
  /** A temporary table with every column of the plan, and `position`: the order in which new rows get their ids. */
  staged: string;
  /** Tells which row `t` of the table a staged row `s` is about. */
  on: string;
  /** The columns that `on` compares: set once, when the row is added. */
  identity: string[];
  columns: string[];
}

/**
 * Makes the rows of `table` that the staged rows are about equal to them, and adds those that are missing. A row that
 * is equal already is not written at all, and no id is drawn for a row that exists: re-importing for years neither
 * changes an id nor uses the ids up.
 */
export async function mergeStaged(client: ClientBase, plan: MergePlan): Promise<MergeCounts> {
  const { table, staged, on, identity, columns } = plan;
  await client.query(`ANALYZE ${staged}`);
  const of = (alias: string) => columns.map((column) => `${alias}.${column}`).join(', ');
  const changed = await client.query(
    `UPDATE ${table} t SET ${columns.map((column) => `${column} = s.${column}`).join(', ')}
    FROM ${staged} s
    WHERE ${on} AND ROW(${of('t')}) IS DISTINCT FROM ROW(${of('s')})`,
  );
  const all = [...identity, ...columns].join(', ');
  const added = await client.query(
    `INSERT INTO ${table} (${all})
    SELECT ${all} FROM ${staged} s WHERE NOT EXISTS (SELECT FROM ${table} t WHERE ${on})
    ORDER BY position`,
  );
  const { rows } = await client.query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${staged}`);
  const counts = { added: added.rowCount ?? 0, changed: changed.rowCount ?? 0 };
  return { ...counts, unchanged: (rows[0]?.count ?? 0) - counts.added - counts.changed };
}
