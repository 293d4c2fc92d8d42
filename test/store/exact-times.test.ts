import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { encodeBody } from '../../schemas/change-encoding.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { loadRelayedChanges } from '../../store/reads/relayed-changes.ts';
import { loadPointBefore } from '../../store/reads/stream-points.ts';
import { loadStoredOffsets } from '../../store/stream/consumer-offsets.ts';
import { loadSentChanges } from '../../store/stream/generation.ts';
import { takeBatch } from '../../store/stream/relay-batches.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';
import { change } from '../helpers/properties/arbitraries.ts';

const TIME = Date.parse('2026-10-08T12:00:00.123Z');
const { client, url } = useTestDatabase();
/** Connections of a server that shows floating-point numbers with twelve digits, too few for milliseconds. */
let coarse: pg.Client | undefined;
let pool: DatabasePool | undefined;

beforeAll(async () => {
  const [{ epoch: _epoch, id: _id, sequence: _sequence, type: _type, occurred_at: _at, ...body }] = fc.sample(
    change,
    {
      numRuns: 1,
      seed: 1,
    },
  ) as [ReturnType<typeof Object>];
  await client.query('SET session_replication_role = replica');
  await client.query(`SELECT ensure_change_log_partition('2026-10-08')`);
  await client.query(
    `INSERT INTO change_log (sequence, occurred_at, submitted_at, type, endorser, endorsement_id, election_id, contest_id, packed)
     SELECT n, $1, $1, 'created', 'acme', 1, 1, 1, $2 FROM generate_series(1, 2) AS n`,
    [new Date(TIME), encodeBody(body)],
  );
  await client.query(
    `INSERT INTO relay_batches (first_sequence, last_sequence, offsets, acknowledged_at) VALUES (1, 1, '{0}', now())`,
  );
  await client.query('UPDATE stream_head SET last_sequence = 2, epoch = 1, epoch_after = 0');
  await client.query(
    `INSERT INTO consumer_offsets (topic, partition, next_offset, last_appended_offset, last_appended_at)
     VALUES ('submissions', 0, 7, 7, $1)`,
    [new Date(TIME)],
  );
  await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET extra_float_digits = -3`);
  coarse = new pg.Client({ connectionString: url });
  await coarse.connect();
  pool = await openReadPool(url);
});
afterAll(async () => {
  await Promise.all([coarse?.end(), pool?.end()]);
});

test('INV-3: times are read exactly, whatever the settings of the server', async () => {
  if (!coarse || !pool) throw new Error('The connections are missing.');
  const { rows } = await coarse.query('SHOW extra_float_digits');
  expect(rows).toEqual([{ extra_float_digits: '-3' }]);
  const [relayed] = await loadRelayedChanges(pool, 1, 1);
  const [sent] = await loadSentChanges(coarse, { from: 1, to: 1, limit: 1 });
  expect(parseCursor(relayed?.id ?? '').time).toBe(TIME);
  expect(sent).toEqual(relayed);
  const point = await loadPointBefore(pool, new Date(TIME - 1));
  expect(point?.nextOccurredAt).toBe(TIME);
  expect((await loadStoredOffsets(coarse, 'submissions')).get(0)).toEqual({ offset: 7, appendedAt: TIME });
  const taken = await takeBatch(coarse, {
    ...{ from: 2, to: null, limit: 10, offsets: [0], epoch: 1, acknowledged: null },
  });
  expect(taken.map(({ occurredAt, submittedAt }) => [occurredAt, submittedAt])).toEqual([[TIME, TIME]]);
});
