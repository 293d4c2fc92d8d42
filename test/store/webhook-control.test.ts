import { expect, test } from '@jest/globals';
import { disableWebhook } from '../../store/webhooks/control.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();
const actor = { osUser: 'ann', person: null };

test.each(['by_account', 'receiver_failed'])(
  'operators take the right to resume a webhook from its account, also if it is disabled (%s)',
  async (reason) => {
    const accountId = await createAccount(client);
    const { rows } = await client.query(
      `INSERT INTO webhooks (account_id, name, url, filter, secret, cursor, state, reason, created_at, updated_at)
       VALUES ($1, 'Site', 'https://a.example/', '{}', '\\x00', 'c1', 'disabled', $2, now(), now()) RETURNING id`,
      [accountId, reason],
    );
    const { id } = rows[0];
    expect(await disableWebhook(client, { id, accountId: null }, actor)).toBe(true);
    // Another attempt by either of them changes nothing.
    expect(await disableWebhook(client, { id, accountId }, actor)).toBe(true);
    expect(await disableWebhook(client, { id, accountId: null }, actor)).toBe(true);
    const state = await client.query('SELECT state, reason FROM webhooks WHERE id = $1', [id]);
    expect(state.rows).toEqual([{ state: 'disabled', reason: 'by_operator' }]);
    const audit = await client.query('SELECT action FROM audit_log WHERE subject = $1', [`webhook ${id}`]);
    expect(audit.rows).toEqual([{ action: 'webhook.disabled' }]);
  },
);
