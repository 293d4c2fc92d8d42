import type { ClientBase, Pool } from 'pg';

/** The time on the database's clock, in milliseconds since 1970. */
export async function readDatabaseTime(client: ClientBase | Pool): Promise<number> {
  const { rows } = await client.query<{ time: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time',
  );
  if (!rows[0]) throw new Error('The database returned no time.');
  return rows[0].time;
}
