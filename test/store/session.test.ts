import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { WATCHFUL_SESSION, watchSession } from '../../store/session.ts';
import { inTransaction } from '../../store/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { createSeverable } from '../helpers/severable.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('the server asks within seconds whether the program of a watched session is still there', async () => {
  const pool = new pg.Pool({ connectionString: database.url, ...WATCHFUL_SESSION, onConnect: watchSession });
  const { rows } = await pool.query(
    `SELECT name, setting::int AS value FROM pg_settings
     WHERE name ~ '^tcp_|^idle_in_transaction_session_timeout' ORDER BY name`,
  );
  await pool.end();
  expect(rows).toEqual([
    { name: 'idle_in_transaction_session_timeout', value: 60_000 },
    { name: 'tcp_keepalives_count', value: 3 },
    { name: 'tcp_keepalives_idle', value: 5 },
    { name: 'tcp_keepalives_interval', value: 2 },
    { name: 'tcp_user_timeout', value: 11_000 },
  ]);
});

test('a transaction on a connection that is silent ends once, and its connection is not used again', async () => {
  const way = await createSeverable(database.url);
  const limits = { ...WATCHFUL_SESSION, query_timeout: 1000 };
  const pool = new pg.Pool({ connectionString: way.url, max: 1, ...limits, onConnect: watchSession });
  const started = performance.now();
  const work = inTransaction(pool, async (client) => {
    way.silence();
    await client.query('SELECT 1');
  });
  await expect(work).rejects.toThrow('timeout');
  expect(performance.now() - started).toBeLessThan(1900);
  way.mend();
  expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  await pool.end();
  await way.close();
});
