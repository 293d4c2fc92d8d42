import { beforeEach, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { disableWebhook, retryWebhook } from '../../store/webhooks/control.ts';
import { type DueNotice, listDueNotices, noteTold } from '../../store/webhooks/notices.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { until } from '../helpers/until.ts';

const { client } = useTestDatabase();
const pool = client as unknown as Pool;
const actor = { osUser: 'ann', person: null };

beforeEach(() => client.query('TRUNCATE webhooks CASCADE'));

/** Adds webhooks that the service has disabled. @returns their ids */
async function addDisabled(accountId: number, count: number): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO webhooks (account_id, name, url, filter, secret, cursor, state, reason, notice_due, created_at, updated_at)
     SELECT $1, 'n' || n, 'https://a.example/', '{}', '\\x00', 'c1', 'disabled', 'receiver_gone', true, now(), now()
     FROM generate_series(1, $2) n RETURNING id`,
    [accountId, count],
  );
  return rows.map(({ id }) => id);
}

const due = async (limit = 100) => (await listDueNotices(pool, limit)).map(({ id }) => id);

test('notices that are never accepted do not hold up the others', async () => {
  const ids = await addDisabled(await createAccount(client), 4);
  const tried = new Set<number>();
  await until('each was tried', async () => {
    const some = await due(2);
    expect(some).toHaveLength(2);
    for (const id of some) tried.add(id);
    return tried.size === ids.length;
  });
});

test('nobody is told of a webhook that its account has resumed and disabled itself', async () => {
  const accountId = await createAccount(client);
  const [id = 0, other] = await addDisabled(accountId, 2);
  await retryWebhook(client, id, actor);
  await disableWebhook(client, { id, accountId }, actor);
  expect(await due()).toEqual([other]);
});

test('a webhook that is resumed while its people are told, and disabled again, has a further notice', async () => {
  const [id = 0] = await addDisabled(await createAccount(client), 1);
  const [first] = await listDueNotices(pool, 1);
  await retryWebhook(client, id, actor);
  await client.query(`UPDATE webhooks SET state = 'disabled', reason = 'receiver_gone', notice_due = true`);
  await noteTold(pool, first as DueNotice);
  const [second] = await listDueNotices(pool, 1);
  await noteTold(pool, second as DueNotice);
  expect([second?.id, await due()]).toEqual([id, []]);
});
