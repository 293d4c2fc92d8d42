import type { ClientBase, Pool } from 'pg';

/**
 * The time on the database's clock, in milliseconds since 1970. Gateways ask through slonik instead, with
 * `loadDatabaseTime`; writers of changes get the time with the lock on the stream's head.
 */
export async function readDatabaseTime(client: ClientBase | Pool): Promise<number> {
  const { rows } = await client.query<{ time: string }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS time',
  );
  if (!rows[0]) throw new Error('The database returned no time.');
  return Number(rows[0].time);
}
