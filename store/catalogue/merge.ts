import type { ClientBase } from 'pg';
import { listRecords } from './changes.ts';
import { type CarriedTable, keepParts } from './stale.ts';

/** How many rows of a table an import added, changed and left unchanged. */
export interface MergeCounts {
  added: number;
  changed: number;
  unchanged: number;
}

interface MergePlan {
  table: CarriedTable;
  /** A temporary table with every column of the plan, and `ordinal`, which orders the ids of new rows. */
  staged: string;
  /** The condition that matches a row `t` of the table with a staged row `s`. */
  on: string;
  /** The columns that `on` compares. Only an insert sets them. */
  identity: string[];
  columns: string[];
  /** The name of a staged row `s`, and the text by which people know it. */
  name: string;
  label: string;
}

/**
 * Updates the rows of `table` to equal the staged rows, and adds the missing ones. Equal rows are not
 * written. Existing rows draw no id, so that years of imports neither change ids nor exhaust them. Before
 * rows change, keeps their parts of events (`keepParts`).
 */
export async function mergeStaged(client: ClientBase, plan: MergePlan): Promise<MergeCounts> {
  const { table, staged, on, identity, columns } = plan;
  await client.query(`ANALYZE ${staged}`);
  const of = (alias: string) => columns.map((column) => `${alias}.${column}`).join(', ');
  const differing = `${on} AND ROW(${of('t')}) IS DISTINCT FROM ROW(${of('s')})`;
  const chosen = `FROM ${table} t, ${staged} s WHERE ${differing}`;
  await listRecords(client, 'changed', plan, chosen, `ROW(${of('t')})`);
  await keepParts(client, table, chosen);
  const changed = await client.query(
    `UPDATE ${table} t SET ${columns.map((column) => `${column} = s.${column}`).join(', ')}
    FROM ${staged} s WHERE ${differing}`,
  );
  const missing = `FROM ${staged} s WHERE NOT EXISTS (SELECT FROM ${table} t WHERE ${on})`;
  await listRecords(client, 'added', plan, missing);
  const all = [...identity, ...columns].join(', ');
  const added = await client.query(
    `INSERT INTO ${table} (${all})
    SELECT ${all} ${missing}
    ORDER BY ordinal`,
  );
  const { rows } = await client.query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${staged}`);
  const counts = { added: added.rowCount ?? 0, changed: changed.rowCount ?? 0 };
  return { ...counts, unchanged: (rows[0]?.count ?? 0) - counts.added - counts.changed };
}
