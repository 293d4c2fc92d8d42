/** The row of a table that always has exactly one. */
export function onlyRow<R>({ rows: [row] }: { rows: R[] }, table: string): R {
  if (row === undefined) throw new Error(`The table ${table} has no row.`);
  return row;
}
