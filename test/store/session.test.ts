import { expect, test } from '@jest/globals';
import pg from 'pg';
import { WATCHFUL_SESSION, watchSession } from '../../store/connection/session.ts';
import { LOCK_NOT_AVAILABLE } from '../../store/connection/sql-state.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { createWorkPool } from '../../store/connection/work-pool.ts';
import { lockStreamHead } from '../../store/stream/change-log.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { until } from '../helpers/until.ts';

const database = useTestDatabase();

test('the server probes the process of a watched session within seconds', async () => {
  const pool = new pg.Pool({ connectionString: database.url, ...WATCHFUL_SESSION, onConnect: watchSession });
  const { rows } = await pool.query(
    `SELECT name, setting::int AS value FROM pg_settings
     WHERE name ~ '^tcp_|^idle_in_transaction_session_timeout|^client_connection_check|^lock_timeout' ORDER BY name`,
  );
  await pool.end();
  expect(rows).toEqual([
    { name: 'client_connection_check_interval', value: 2000 },
    { name: 'idle_in_transaction_session_timeout', value: 60_000 },
    { name: 'lock_timeout', value: 4000 },
    { name: 'tcp_keepalives_count', value: 3 },
    { name: 'tcp_keepalives_idle', value: 5 },
    { name: 'tcp_keepalives_interval', value: 2 },
    { name: 'tcp_user_timeout', value: 11_000 },
  ]);
});

test('a transaction on a silent connection ends once, and the connection is not reused', async () => {
  const way = await TcpProxy.open(database.url);
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

test('a connection cut in the middle of an answer fails only its query', async () => {
  const way = await TcpProxy.open(database.url);
  const lost: Error[] = [];
  const pool = createWorkPool(way.url, 1, (error) => lost.push(error));
  const work = inTransaction(pool, async (client) => {
    const answer = client.query('SELECT pg_sleep(30)');
    way.sever();
    await answer;
  });
  await expect(work).rejects.toThrow();
  way.mend();
  expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  expect(lost).toEqual([]);
  await pool.end();
  await way.close();
});

/** Does some work while another session holds the stream's lock. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN');
  await lockStreamHead(holder);
  try {
    await work();
  } finally {
    await holder.end();
  }
}

test('a watched session gives up waiting for a lock but keeps its connection', async () => {
  const limits = { ...WATCHFUL_SESSION, max: 1 };
  const pool = new pg.Pool({ connectionString: database.url, ...limits, onConnect: watchSession });
  const pid = async () => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
  const before = await pid();
  await whileLocked(async () => {
    await expect(inTransaction(pool, lockStreamHead)).rejects.toMatchObject({ code: LOCK_NOT_AVAILABLE });
  });
  expect(await pid()).toBe(before);
  await pool.end();
}, 15_000);

test('a watched session ends if its process vanishes while it waits for a lock', async () => {
  const way = await TcpProxy.open(database.url);
  const client = new pg.Client({ connectionString: way.url });
  client.on('error', () => {});
  await client.connect();
  await watchSession(client);
  // So the lock timeout cannot end the wait.
  await client.query('SET lock_timeout = 0');
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const observer = new pg.Client({ connectionString: database.url });
  await observer.connect();
  const count = async (condition: string) => {
    const seen = `SELECT FROM pg_stat_activity WHERE pid = $1 AND ${condition}`;
    return (await observer.query(seen, [rows[0].pid])).rowCount;
  };
  await whileLocked(async () => {
    const waiting = expect(lockStreamHead(client)).rejects.toThrow();
    await until('it waits', async () => (await count(`wait_event_type = 'Lock'`)) === 1);
    way.sever();
    await waiting;
    await until('its backend is gone', async () => (await count('true')) === 0, 10_000);
  });
  await observer.end();
  await way.close();
});
