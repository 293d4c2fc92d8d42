/** Forms that are sent while the console shows another account than the form's. */
import { expect, jest, test } from '@jest/globals';
import { ConsoleBudget } from '../../../gateway/limits/console-budget.ts';
import type { ConsoleClient } from '../../helpers/console/console-client.ts';
import { inputsOf } from '../../helpers/console/console-pages.ts';
import { useConsoleWithProvider } from '../../helpers/console/console-with-provider.ts';

const console = useConsoleWithProvider({ gateways: 1 });

const idOf = async (account: string): Promise<string> =>
  String((await console.service.query('SELECT id FROM accounts WHERE name = $1', [account]))[0]?.id);

/** An owner of one account, with another role in a second one, which the console shows. */
async function makeStray(
  role = 'owner',
): Promise<{ client: ConsoleClient; csrf: string; first: string; second: string }> {
  const [first, second] = [await console.makeAccount(), await console.makeAccount()];
  const { client, subject } = await console.join(first, { role: 'owner' });
  await console.service.query(
    `INSERT INTO account_members (account_id, person_id, role)
     SELECT $1, id, $3 FROM people WHERE subject = $2`,
    [await idOf(second), subject, role],
  );
  const csrf = await client.formToken();
  expect((await client.post('/console/account', { account: await idOf(second) })).status).toBe(303);
  return { client, csrf, first, second };
}

/** Presses the button that sends the page's only form for the other account. */
async function sendAgain(client: ConsoleClient, html: string, path: string) {
  const fields = new URLSearchParams();
  for (const input of inputsOf(html, path)) fields.append(input.get('name') ?? '', input.get('value') ?? '');
  return client.send('POST', path, fields);
}

test.each(['owner', 'member'])(
  'entries are not lost, and the %s of the other account can send them for their account',
  async (role) => {
    const { client, csrf, first, second } = await makeStray(role);
    const path = '/console/keys';
    const refused = await client.post(path, {
      csrf,
      name: 'Website of ours',
      scope: ['data:read', 'stream:read'],
      expires: '2099-01-31',
    });
    expect(refused.status).toBe(409);
    expect(refused.html).toMatch(/role="alert">The console shows the account/);
    for (const text of ['Website of ours', 'data:read', 'stream:read', '2099-01-31']) {
      expect(refused.html).toContain(`<dd>${text}</dd>`);
    }
    const sent = await sendAgain(client, refused.html, path);
    expect(sent.status).toBe(200);
    expect(sent.html).toContain('Your new key');
    expect((await client.get('/console/account')).html).toContain(`<strong>${first}</strong>`);
    const keys = await console.service.query(
      `SELECT a.name AS account, k.name, k.scopes FROM api_keys k JOIN accounts a ON a.id = k.account_id
       WHERE a.name = ANY($1) AND k.name <> ''`,
      [[first, second]],
    );
    expect(keys).toEqual([{ account: first, name: 'Website of ours', scopes: ['data:read', 'stream:read'] }]);
  },
);

test.each([
  ['a person has left', 'DELETE FROM account_members WHERE account_id = $1'],
  ['was suspended', 'UPDATE accounts SET suspended_at = now() WHERE id = $1'],
])('the form of an account that %s shows its entries, but cannot be sent', async (_what, change) => {
  const { client, csrf, first, second } = await makeStray();
  await console.service.query(change, [await idOf(first)]);
  const fields = { csrf, show_account: 'yes', name: 'Everything', states: 'OR' };
  const refused = await client.post('/console/subscriptions', fields);
  expect(refused.status).toBe(409);
  expect(refused.html).toContain('<dd>Everything</dd>');
  expect(refused.html).not.toContain('action="/console/subscriptions"');
  expect(refused.html).not.toContain(first);
  expect((await client.post('/console/account', { account: await idOf(first) })).status).toBe(404);
  expect((await client.get('/console/account')).html).toContain(`<strong>${second}</strong>`);
});

test('INV-15: a form that shows its account again counts as one request', async () => {
  const { client, csrf } = await makeStray();
  const admit = jest.spyOn(ConsoleBudget.prototype, 'admit');
  const sent = await client.post('/console/subscriptions', { csrf, show_account: 'yes', name: 'Mine' });
  const { length: requests } = admit.mock.calls;
  admit.mockRestore();
  expect([sent.status, requests]).toEqual([303, 1]);
});
