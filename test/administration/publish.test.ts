import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { publish } from '../../administration/publishing/publish.ts';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useClient, useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';
import { until } from '../helpers/until.ts';

const { url, client } = useTestDatabase();
const other = useClient(url);
let pool: DatabasePool;
beforeAll(async () => {
  pool = await openReadPool(url, { maxConnections: 2, statementTimeoutMs: 60_000 });
});
afterAll(() => pool.end());

test('an author is confirmed when the turn of the account has come, not before', async () => {
  const accountId = await createAccount(client);
  await other.query('BEGIN');
  await other.query('SELECT pg_advisory_xact_lock($1, $2)', [ADVISORY_LOCKS.publishing, accountId]);
  const confirm = jest.fn(async () => {
    throw new Error('no longer');
  });
  const openProducer = jest.fn<Parameters<typeof publish>[1]>();
  const publishing = publish(pool, openProducer, {
    ...{ accountId, author: { key: 1 }, submissions: [endorse('acme', 'mayor', 'ann')], idempotency: null },
    ...{ now: new Date(), unchangedSince: null, confirm },
  });
  await until('it waits for its turn', async () => {
    const { rows } = await client.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
  expect(confirm).not.toHaveBeenCalled();
  await other.query('COMMIT');
  await expect(publishing).rejects.toThrow('no longer');
  expect(openProducer).not.toHaveBeenCalled();
});
