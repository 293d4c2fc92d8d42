import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ClientBase } from 'pg';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { loadRelayedRange } from '../../store/reads/relayed-changes.ts';
import { loadFeedStart } from '../../store/reads/stream-points.ts';
import { beginEpoch } from '../../store/stream/epoch.ts';
import { loadLastBatch, loadRelayProgress, maintainChangeLog } from '../../store/stream/relay-batches.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { overlap } from '../helpers/postgres/overlap.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';

const BATCHES = 30_000;
const DAY_MS = 86_400_000;
const NOW = new Date('2026-10-08T12:00:00Z');
/** The most batches read by a query that finds them by their keys. */
const FEW = 20;

/** Batches of two changes each, over a week. The last is unacknowledged. The log lacks the changes up to 1001. */
const STORE = `
  TRUNCATE relay_batches, rebuilt_runs, change_log;
  INSERT INTO relay_batches (first_sequence, last_sequence, offsets, created_at, acknowledged_at)
  SELECT 2 * n - 1, 2 * n, ARRAY[n], $time::timestamptz - (${BATCHES} - n) * interval '20 s', $time
  FROM generate_series(1, ${BATCHES}) AS n;
  UPDATE relay_batches SET acknowledged_at = NULL WHERE first_sequence = 2 * ${BATCHES} - 1;
  SELECT ensure_change_log_partition('2026-10-08');
  INSERT INTO change_log (sequence, occurred_at, type, endorser, endorsement_id, body)
  SELECT n, $time, 'created', 'acme', 1, '{"election": {"id": 1}}'
  FROM generate_series(1002, 2 * ${BATCHES}, 100) AS n;
  UPDATE stream_head SET last_sequence = 2 * ${BATCHES}, epoch = 1, epoch_after = 0;
  UPDATE stream_generation SET after_sequence = 0;
`.replaceAll('$time', `'${NOW.toISOString()}'`);

const database = useTestDatabase();
const { client } = database;
const writers = usePool(database.url);
let pool: DatabasePool;
/** The queries so far. */
let asked: [string, readonly unknown[]][];
/** The client, which records its queries. */
let watched: ClientBase;

beforeAll(async () => {
  // The changes have no elections, so the trigger for their activity must not run.
  await client.query('SET session_replication_role = replica');
  const query = (text: string, values: unknown[] = []) => {
    asked.push([text, values]);
    return client.query(text, values);
  };
  watched = { query } as unknown as ClientBase;
  pool = await openReadPool(database.url, {
    onQuery: (text, values) => asked.push([text.replaceAll('$slonik_', '$'), values]),
  });
});
afterAll(() => pool.end());
beforeEach(async () => {
  asked = [];
  await client.query(STORE);
  await client.query('ANALYZE relay_batches, change_log');
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** The number of batches that a plan read. */
function looked(plan: Plan): number {
  const rows = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const own = plan['Relation Name'] === 'relay_batches' ? rows * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, part) => sum + looked(part), own);
}

/** The number of batches that the recorded queries read when they run again. */
async function countLooked(): Promise<number> {
  let sum = 0;
  for (const [text, values] of asked) {
    await client.query('BEGIN');
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
    await client.query('ROLLBACK');
    sum += looked(rows[0]['QUERY PLAN'][0].Plan);
  }
  return sum;
}

test("the newest acknowledged batch gives the relay's progress", async () => {
  await client.query(
    `INSERT INTO change_log (sequence, occurred_at, type, endorser, endorsement_id, body)
     SELECT $1, max(occurred_at), 'created', 'acme', 1, '{"election": {"id": 1}}' FROM change_log`,
    [2 * BATCHES - 1],
  );
  const progress = await loadRelayProgress(watched);
  expect(progress).toMatchObject({ logged: 2 * BATCHES, relayed: 2 * BATCHES - 2 });
  const { rows } = await client.query<{ waited: number }>(
    'SELECT extract(epoch FROM clock_timestamp() - $1::timestamptz)::float8 AS waited',
    [NOW.toISOString()],
  );
  expect(progress.oldestWaitedSeconds).toBeCloseTo(Math.max(0, rows[0]?.waited ?? 0), -1);
  const range = { epoch: 1, from: 1002, to: 2 * BATCHES - 2 };
  expect(await loadRelayedRange(pool, NOW)).toEqual(range);
  expect(await countLooked()).toBeLessThan(FEW);
});

test('a gateway begins the given number of changes before the newest, but not before the given time', async () => {
  const target = 2 * BATCHES - 2;
  const since = new Date(NOW.getTime() - DAY_MS);
  const start = { epoch: 1, sequence: target - 1000, offsets: [BATCHES - 500] };
  expect(await loadFeedStart(pool, since, 1000)).toMatchObject({ start, target });
  // A start within a batch moves to the beginning of the batch.
  expect(await loadFeedStart(pool, since, 1001)).toMatchObject({ start: { sequence: target - 1002 } });
  expect(await countLooked()).toBeLessThan(FEW);
  const first = BATCHES - DAY_MS / 20_000;
  const whole = await loadFeedStart(pool, since, 10 * BATCHES);
  expect(whole).toMatchObject({ start: { epoch: 1, sequence: 2 * first - 2, offsets: [first] }, target });
});

test('a gateway begins after the start of the epoch, or at the newest change if no batch is young enough', async () => {
  await client.query('UPDATE stream_head SET epoch_after = 59000');
  const since = new Date(0);
  expect(await loadFeedStart(pool, since, 10_000)).toMatchObject({ start: { sequence: 59_000 } });
  const { start } = await loadFeedStart(pool, new Date(NOW.getTime() + DAY_MS), 10_000);
  expect(start.sequence).toBe(2 * BATCHES - 2);
});

test('only batches, and runs of a rebuild, before the first remaining change are dropped', async () => {
  await client.query(
    `INSERT INTO rebuilt_runs (first_sequence, last_sequence, offsets)
     SELECT n, n + 499, '{0}' FROM generate_series(1, 2001, 500) AS n`,
  );
  await maintainChangeLog(watched, NOW, 7 * DAY_MS);
  const runs = await client.query('SELECT first_sequence::int AS first FROM rebuilt_runs ORDER BY 1');
  expect(runs.rows.map(({ first }) => first)).toEqual([1001, 1501, 2001]);
  const { rows } = await client.query(
    'SELECT min(first_sequence)::int AS first, count(*)::int FROM relay_batches',
  );
  expect(rows).toEqual([{ first: 1001, count: BATCHES - 500 }]);
  await client.query(STORE);
  asked = asked.filter(([text]) => text.startsWith('DELETE'));
  expect(await countLooked()).toBeLessThan(2 * 500 + FEW);
});

test('the batches of a busy day are dropped in parts, so that changes do not wait for them', async () => {
  await client.query('DELETE FROM change_log WHERE sequence < 50000');
  const steps: unknown[] = [];
  for (let isAll = false; !isAll; ) {
    isAll = await maintainChangeLog(client, NOW, 7 * DAY_MS, 10_000);
    const { rows } = await client.query('SELECT count(*)::int AS count FROM relay_batches');
    steps.push({ isAll, left: rows[0]?.count });
  }
  expect(steps).toEqual([
    { isAll: false, left: BATCHES - 10_000 },
    { isAll: false, left: BATCHES - 20_000 },
    { isAll: true, left: BATCHES - 25_000 },
  ]);
});

test('the change log keeps the first day of the window, and drops the days before it', async () => {
  for (const day of ['2026-09-29', '2026-09-30', '2026-10-01']) {
    await client.query('SELECT ensure_change_log_partition($1::date)', [day]);
  }
  await maintainChangeLog(client, NOW, 7 * DAY_MS);
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid
     WHERE inhparent = 'change_log'::regclass ORDER BY relname`,
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'change_log_20261001',
    'change_log_20261008',
    'change_log_20261009',
  ]);
});

test('the days of changes that Kafka still lacks, or has not acknowledged, stay however old they are', async () => {
  const days = [28, 29, 30].map((day) => new Date(Date.UTC(2026, 8, day)));
  for (const [index, day] of days.entries()) {
    await client.query('SELECT ensure_change_log_partition($1::date)', [day]);
    await client.query(
      `INSERT INTO change_log (sequence, occurred_at, type, endorser, endorsement_id, body)
       VALUES ($1, $2, 'created', 'acme', 1, '{"election": {"id": 1}}')`,
      [2 * BATCHES - 2 + 2 * index, day],
    );
  }
  const kept = async () => {
    await maintainChangeLog(client, NOW, 7 * DAY_MS);
    const { rows } = await client.query<{ sequence: number }>(
      'SELECT sequence::int FROM change_log WHERE sequence >= $1 ORDER BY sequence',
      [2 * BATCHES - 2],
    );
    return rows.map(({ sequence }) => sequence);
  };
  await client.query('BEGIN');
  await client.query('UPDATE relay_batches SET acknowledged_at = NULL');
  await client.query('DELETE FROM change_log WHERE sequence < $1', [2 * BATCHES - 2]);
  expect(await kept()).toEqual([2 * BATCHES - 2, 2 * BATCHES, 2 * BATCHES + 2]);
  await client.query('ROLLBACK');
  expect(await kept()).toEqual([2 * BATCHES, 2 * BATCHES + 2]);
});

test('the newest batch stays, even if the log is empty', async () => {
  await client.query(`DELETE FROM change_log WHERE sequence < ${2 * BATCHES - 100}`);
  await client.query(`UPDATE change_log SET sequence = ${4 * BATCHES} WHERE sequence < ${2 * BATCHES}`);
  await maintainChangeLog(client, NOW, 7 * DAY_MS);
  expect(await loadLastBatch(client)).toMatchObject({ lastSequence: 2 * BATCHES });
  await client.query('DELETE FROM change_log');
  await maintainChangeLog(client, NOW, 7 * DAY_MS);
  expect(await loadLastBatch(client)).toMatchObject({ lastSequence: 2 * BATCHES });
});

test('INV-4: a batch that a relay of the earlier epoch begins meanwhile does not say where the new one begins', async () => {
  const last = 2 * BATCHES;
  await overlap(
    writers,
    (relay) => relay.query('INSERT INTO relay_batches VALUES ($1, $1, ARRAY[7])', [last]),
    (other) => beginEpoch(other, { topicId: 'another', offsets: [3], published: 1 }),
  );
  const begun = { firstSequence: last, lastSequence: last, offsets: [3], acknowledged: true };
  expect(await loadLastBatch(client)).toEqual(begun);
});
