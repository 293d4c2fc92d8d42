import { expect, test } from '@jest/globals';
import type { ClientBase, QueryConfig } from 'pg';
import { inTransaction } from '../../store/connection/transaction.ts';
import { appendChanges, lockStreamHead, type NewChange, timeAfter } from '../../store/stream/change-log.ts';
import { loadStreamActivity } from '../../store/stream/stream-activity.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { overlap } from '../helpers/postgres/overlap.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

const { url } = useTestDatabase();
const pool = usePool(url, { pipeline: true });

/** A withdrawal in election 1. */
function withdrawal(id: number): NewChange {
  return { type: 'deleted', body: { ...CHANGE_BODY, endorsement: { ...CHANGE_BODY.endorsement, id } } };
}

test('changes that need several INSERTs have one order without gaps, and one time', async () => {
  await pool.query('UPDATE stream_head SET last_sequence = 7');
  await pool.query(
    `INSERT INTO elections (id, slug, name, date, state, type) OVERRIDING SYSTEM VALUE
     VALUES (1, 'or-1', 'Election', '2026-11-03', 'OR', 'general')`,
  );
  const changes = Array.from({ length: 12_001 }, (_, index) => withdrawal(100_000 - index));
  const sizes: number[] = [];
  await inTransaction(pool, async (client) => {
    const query = (config: QueryConfig<unknown[]>) => {
      const [, , types] = config.values ?? [];
      if (config.text.startsWith('INSERT')) sizes.push((types as string[]).length);
      return client.query(config);
    };
    const watched = { query } as unknown as ClientBase;
    await appendChanges(watched, await lockStreamHead(client), changes);
  });
  expect(sizes).toEqual([5000, 5000, 2001]);
  const { rows } = await pool.query<{ sequence: string; id: string; at: Date }>(
    'SELECT sequence, endorsement_id AS id, occurred_at AS at FROM change_log ORDER BY sequence',
  );
  expect(rows.map(({ sequence }) => Number(sequence))).toEqual(changes.map((_, index) => 8 + index));
  expect(rows.map(({ id }) => Number(id))).toEqual(changes.map(({ body }) => body.endorsement.id));
  expect(new Set(rows.map(({ at }) => at.getTime())).size).toBe(1);
  const head = await inTransaction(pool, lockStreamHead);
  expect(head.lastSequence).toBe(12_008);
  expect(await loadStreamActivity(pool)).toMatchObject({ lastMinute: 12_001 });
});

test('INV-2: after changes at a time, the next ones are not earlier, even if the clock goes back', async () => {
  const ahead = await inTransaction(pool, async (client) => {
    const head = await lockStreamHead(client);
    const now = timeAfter(head) + 60_000;
    await appendChanges(client, { ...head, now }, [withdrawal(1)]);
    return now;
  });
  const head = await inTransaction(pool, lockStreamHead);
  expect(head.now).toBeLessThan(ahead);
  expect(timeAfter(head)).toBe(ahead);
});

test('a day gets one partition if apply and the relay create it at the same time', async () => {
  const day = '2031-01-01';
  const makeReady = (client: ClientBase) =>
    client.query('SELECT ensure_change_log_partition($1::date)', [day]);
  await overlap(pool, makeReady, makeReady);
  const { rows } = await pool.query(`SELECT to_regclass('change_log_20310101') IS NOT NULL AS made`);
  expect(rows).toEqual([{ made: true }]);
});
