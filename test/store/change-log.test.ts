import { afterAll, expect, test } from '@jest/globals';
import pg, { type ClientBase } from 'pg';
import type { ChangeBody } from '../../schemas/change.ts';
import { inTransaction } from '../../store/connection/transaction.ts';
import { appendChanges, lockStreamHead, type NewChange } from '../../store/stream/change-log.ts';
import { useTestDatabase } from '../helpers/database.ts';

const { url } = useTestDatabase();
const pool = new pg.Pool({ connectionString: url });

afterAll(() => pool.end());

/** A withdrawal with only the fields that the log reads. */
function withdrawal(id: number): NewChange {
  const body = { endorsement: { id }, endorser: { slug: 'acme' }, election: { id: 1 } };
  return { type: 'deleted', body: body as unknown as ChangeBody };
}

test('changes beyond the size of one INSERT have one order without gaps, and one time', async () => {
  await pool.query('UPDATE stream_head SET last_sequence = 7');
  await pool.query(
    `INSERT INTO elections (id, slug, name, date, state, type) OVERRIDING SYSTEM VALUE
     VALUES (1, 'or-1', 'Election', '2026-11-03', 'OR', 'general')`,
  );
  const changes = Array.from({ length: 12_001 }, (_, index) => withdrawal(100_000 - index));
  const sizes: number[] = [];
  await inTransaction(pool, async (client) => {
    const query = (text: string, values: unknown[] = []) => {
      if (text.startsWith('INSERT')) sizes.push(JSON.parse(String(values.at(-1))).length);
      return client.query(text, values);
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
});
