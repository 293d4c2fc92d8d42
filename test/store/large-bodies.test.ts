import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { encodeBody } from '../../schemas/change-encoding.ts';
import { loadRelayedChanges } from '../../store/reads/relayed-changes.ts';
import { loadSentChanges } from '../../store/stream/generation.ts';
import { takeBatch } from '../../store/stream/relay-batches.ts';
import { MAX_BODY_BYTES } from '../../store/stream/stored-body.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

const { client, url } = useTestDatabase();

/** A body in about as many bytes, which do not become fewer when Postgres compresses them. */
function bodyOf(bytes: number) {
  const statement = randomBytes(bytes).toString('latin1').replaceAll('\0', '');
  return { ...CHANGE_BODY, endorsement: { ...CHANGE_BODY.endorsement, statement } };
}

test('the change log is read in parts of a few megabytes: by the relay, by a rebuild, and for a hole', async () => {
  const half = MAX_BODY_BYTES / 2;
  const sizes = [10, half, half, 10, 2 * MAX_BODY_BYTES, 10];
  await client.query('SET session_replication_role = replica');
  await client.query('SELECT ensure_change_log_partition(current_date)');
  for (const [index, bytes] of sizes.entries()) {
    // One is stored as JSON, as catalogue edits store them.
    const body = bodyOf(bytes);
    await client.query(
      `INSERT INTO change_log (sequence, occurred_at, type, endorser, endorsement_id, election_id, contest_id, packed, body)
       VALUES ($1, current_date, 'created', 'acme', 1, 1, 1, $2, $3)`,
      index === 1 ? [index + 1, null, body] : [index + 1, encodeBody(body), null],
    );
  }
  await client.query('UPDATE stream_head SET last_sequence = 6, epoch = 1, epoch_after = 0');
  const taken: number[][] = [];
  for (let from = 1; from <= sizes.length; from += taken.at(-1)?.length ?? 0) {
    const next = { from, to: null, limit: 1000, offsets: [0], epoch: 1, acknowledged: null };
    taken.push((await takeBatch(client, next)).map(({ sequence }) => sequence));
  }
  expect(taken).toEqual([[1, 2, 3], [4, 5], [6]]);
  const { rows } = await client.query(
    'SELECT first_sequence::int AS first, last_sequence::int AS last FROM relay_batches ORDER BY first_sequence',
  );
  expect(rows).toEqual([
    { first: 1, last: 3 },
    { first: 4, last: 5 },
    { first: 6, last: 6 },
  ]);
  const pool = await openReadPool(url);
  try {
    for (const run of taken) {
      const [from = 0] = run;
      const relayed = await loadRelayedChanges(pool, from, sizes.length);
      expect(relayed.map(({ sequence }) => sequence)).toEqual(run);
      const sent = await loadSentChanges(client, { from, to: sizes.length, limit: 1000 });
      expect(sent.map(({ sequence }) => sequence)).toEqual(run);
    }
  } finally {
    await pool.end();
  }
});
