import type { Pool } from 'pg';

/** Works while a table refuses the rows that fail a check, by default endorsements whose statement is `unstorable`. */
export async function whileRefusing(
  pool: Pool,
  work: () => Promise<void>,
  { table = 'endorsements', check = `statement <> 'unstorable'` } = {},
): Promise<void> {
  await pool.query(`ALTER TABLE ${table} ADD CONSTRAINT test_only CHECK (${check}) NOT VALID`);
  await work().finally(() => pool.query(`ALTER TABLE ${table} DROP CONSTRAINT test_only`));
}
