import type pg from 'pg';

/** Creates an account on a plan, and returns its id. */
export async function createAccount(client: pg.Client, plan = 'free'): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    'INSERT INTO accounts (name, plan) VALUES (gen_random_uuid(), $1) RETURNING id',
    [plan],
  );
  return Number(rows[0]?.id);
}
