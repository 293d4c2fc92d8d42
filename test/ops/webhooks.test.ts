import { writeFile } from 'node:fs/promises';
import net from 'node:net';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { generateWebhookSecret, signMessage } from '../../schemas/webhook-signature.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { listen } from '../helpers/servers/listen.ts';
import { until } from '../helpers/until.ts';
import { useFolder } from '../helpers/use-folder.ts';

const run = createRunner('webhooks');
const database = useTestDatabase();
const { client } = database;

async function webhooks(...args: string[]): Promise<string[]> {
  const io = createIo({ DATABASE_URL: database.url });
  expect(await run(args, io)).toBe(0);
  return io.printed;
}

describe('webhooks', () => {
  beforeEach(async () => {
    await client.query('TRUNCATE audit_log, accounts RESTART IDENTITY CASCADE');
    await client.query(`
      INSERT INTO accounts (name, plan) VALUES ('acme', 'internal'), ('other', 'internal');
      INSERT INTO webhooks (account_id, name, url, filter, secret, cursor, state, reason, failures, failing_since, created_at, updated_at)
      VALUES (1, 'Site', 'https://a.example/', '{}', '\\x00', 'c1', 'active', NULL, 0, NULL, now(), now()),
        (1, 'Late', 'https://b.example/', '{}', '\\x00', 'c2', 'failing', NULL, 3, '2026-11-03T10:00Z', now(), now()),
        (2, 'Gone', 'https://c.example/', '{}', '\\x00', 'c3', 'disabled', 'receiver_gone', 1, NULL, now(), now());
      INSERT INTO webhook_attempts VALUES
        (2, 1, 'msg_1', false, '2026-11-03T10:00Z', 12, 'refused', 500, 3, 99, E'bad\\nday'),
        (2, 2, 'msg_1', false, '2026-11-03T10:05Z', 15000, 'timed_out', NULL, 3, 99, '');
      UPDATE webhooks SET attempts = 2 WHERE id = 2`);
  });

  const names = async (...args: string[]) =>
    (await webhooks('list', ...args)).slice(1).map((line) => line.split('\t')[2]);

  test('are listed for all accounts, or those of an account or in a state', async () => {
    expect(await names()).toEqual(['Site', 'Late', 'Gone']);
    for (const account of ['acme', ' acme ']) {
      expect(await names('--account', account)).toEqual(['Site', 'Late']);
    }
    expect(await names('--state', 'disabled')).toEqual(['Gone']);
    expect(await names('--account', 'acme', '--state', 'disabled')).toEqual([]);
    expect((await webhooks('list'))[2]).toContain('failing, after 3 attempts\t0\t2026-11-03T10:05Z');
  });

  test('are all listed once, also if there are more than are read at a time', async () => {
    await client.query(
      `INSERT INTO webhooks (account_id, name, url, filter, secret, cursor, state, failures, created_at, updated_at)
       SELECT 2, 'Many ' || n, 'https://d.example/', '{}', '\\x00', 'c', 'active', 0, now(), now()
       FROM generate_series(1, 1000) AS n`,
    );
    const listed = await names('--account', 'other');
    expect([listed.length, new Set(listed).size, listed.at(-1)]).toEqual([1001, 1001, 'Many 1000']);
  });

  test('are shown with their attempts, the newest first, without line breaks of receivers', async () => {
    const lines = await webhooks('show', '2');
    expect(lines).toContain('failing since  2026-11-03T10:00Z');
    expect(lines.slice(0, 5)).toEqual([
      ...['id             2', 'account        acme', 'name           Late'],
      ...['url            https://b.example/', 'state          failing, after 3 attempts'],
    ]);
    expect(lines.slice(6, 10)).toEqual([
      ...['next attempt   -', 'delivered      0 events', 'attempts       2', 'position       c2'],
    ]);
    expect(lines.slice(-2)).toEqual([
      '2026-11-03T10:05Z\tno answer within 15 seconds\t-\t3\t15000\tmsg_1\t-',
      '2026-11-03T10:00Z\trefused by the receiver\t500\t3\t12\tmsg_1\tbad\\nday',
    ]);
    expect((await webhooks('show', '1')).at(-1)).toBe('There are no attempts yet.');
    await client.query(
      `INSERT INTO webhook_attempts SELECT 2, n, 'msg_' || n, n = 22, '2026-11-03T11:00Z', 5, 'delivered', 200, 4, 99, repeat('x', 90)
       FROM generate_series(3, 22) AS n`,
    );
    const newest = (await webhooks('show', '2')).filter((line) => line.includes('msg_'));
    expect([newest.length, newest[0]]).toEqual([
      ...[20, `2026-11-03T11:00Z\tdelivered\t200\ttest\t5\tmsg_22\t${'x'.repeat(80)}`],
    ]);
  });

  test('are disabled by operators and continue where they stood, and the audit log has both', async () => {
    await webhooks('disable', '2');
    const state = async () =>
      (await client.query('SELECT state, reason, failures, cursor, revision::int FROM webhooks WHERE id = 2'))
        .rows[0];
    expect(await state()).toEqual({
      state: 'disabled',
      reason: 'by_operator',
      failures: 3,
      cursor: 'c2',
      revision: 2,
    });
    // Once more changes nothing.
    await webhooks('disable', '2');
    // A webhook whose changes are gone is disabled again.
    expect((await webhooks('retry', '2')).join()).toContain(
      'if the changes after its position are still kept',
    );
    expect(await state()).toEqual({ state: 'active', reason: null, failures: 0, cursor: 'c2', revision: 3 });
    const { rows } = await client.query('SELECT action, subject, account_id FROM audit_log ORDER BY id');
    expect(rows).toEqual(
      ['webhook.disabled', 'webhook.retried'].map((action) => ({
        action,
        subject: 'webhook 2',
        account_id: 1,
      })),
    );
  });

  test.each([
    [['list', '--account', 'acm'], 'There is no account "acm"; "accounts list" shows every account.'],
    [['show', '9'], 'There is no webhook 9'],
    [['retry', '9'], 'There is no webhook 9'],
    [['disable', '9'], 'There is no webhook 9'],
    [['show', 'Site'], '"Site" is not an id'],
    [['listen', '--port', '70000'], '--port is "70000"'],
  ])('%j is refused in a sentence', async (args, words) => {
    await expect(webhooks(...args)).rejects.toThrow(words);
  });
});

describe('listen', () => {
  const file = useFolder();

  async function findPort(): Promise<number> {
    const server = net.createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  test('prints deliveries with the signature of the secret, refuses others, and ends at Ctrl-C', async () => {
    const secret = generateWebhookSecret();
    await writeFile(file('secret'), `${secret}\n`);
    const port = await findPort();
    const io = createIo({});
    const running = run(['listen', '--port', String(port), '--secret-file', file('secret')], io);
    await until('it listens', () => io.told.some((line) => line.startsWith('Listening')));
    const deliver = async (body: string, secrets: string[], length = body.length) => {
      const headers = signMessage({ id: 'msg_1', timestamp: 1, body: Buffer.from(body) }, secrets);
      const sent = body.padEnd(length);
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: sent })).status;
    };
    expect(await deliver('{"a":1}', [generateWebhookSecret(), secret])).toBe(204);
    expect(await deliver('{"a":2}', [generateWebhookSecret()])).toBe(401);
    expect(await deliver('{"a":3}', [secret], 9)).toBe(401);
    expect(await deliver('{"a":4}', [secret], 2_000_000)).toBe(413);
    expect(io.printed).toEqual(['msg_1 {"a":1}']);
    await expect(run(['listen', '--port', String(port)], createIo({}))).rejects.toThrow(
      `Port ${port} is in use`,
    );
    io.interrupt();
    expect(await running).toBe(0);
  });
});
