import { beforeEach, expect, test } from '@jest/globals';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
let operator: ConsoleClient;
let account: string;
let key: string;
let page: string;

beforeEach(async () => {
  operator = await ConsoleClient.signIn(service, { role: 'operator', person: 'olga' });
  account = `account ${Math.random()}`;
  key = await service.createKey(account, 'free');
  const [row] = await service.query('SELECT id FROM accounts WHERE name = $1', [account]);
  page = `/console/operator/accounts/${row?.id}`;
});

async function publish(): Promise<number> {
  const submissions = [{ endorser: 'coast-gazette', contest: 'or-2026-11-03-general/mayor', choice: 'ann' }];
  const headers = { Authorization: `Bearer ${key}` };
  return (await service.send('POST', '/v1/submissions', { submissions }, { headers })).status;
}

test('an operator allows endorsers and disallows one, and the audit log names the operator', async () => {
  expect(await publish()).toBe(403);
  const allowed = await operator.post(`${page}/endorsers`, { endorsers: 'coast-gazette\r\nnation-herald' });
  expect(allowed.location).toBe(`${page}/endorsers?done=allowed`);
  expect(await publish()).toBe(202);
  expect((await operator.get(page)).html).toContain('2 endorsers');
  expect((await operator.get(`${page}/endorsers`)).html).toContain('Nation Herald');
  const asked = await operator.get(`${page}/endorsers/coast-gazette`);
  expect(asked.html).toContain('Disallow the endorser');
  expect(await publish()).toBe(202);
  expect((await operator.post(`${page}/endorsers/coast-gazette`)).location).toBe(
    `${page}/endorsers?done=disallowed`,
  );
  expect(await publish()).toBe(403);
  // A second time, nothing changes.
  await operator.post(`${page}/endorsers/coast-gazette`);
  const entries = await service.query(
    `SELECT l.action, l.person, l.details FROM audit_log l JOIN accounts a ON a.id = l.account_id
     WHERE a.name = $1 AND l.person IS NOT NULL ORDER BY l.id`,
    [account],
  );
  expect(entries).toEqual([
    {
      ...{ action: 'account.endorsers_allowed', person: 'olga' },
      details: { endorsers: ['coast-gazette', 'nation-herald'] },
    },
    {
      ...{ action: 'account.endorsers_disallowed', person: 'olga' },
      details: { endorsers: ['coast-gazette'] },
    },
  ]);
});

test('an unknown endorser is refused with similar slugs, the form keeps its text, and nothing changes', async () => {
  const endorsers = 'nation-herald coast-gazete';
  const refused = await operator.post(`${page}/endorsers`, { endorsers });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain(
    'There is no endorser &quot;coast-gazete&quot;. Did you mean coast-gazette?',
  );
  expect(refused.html).toContain(`>${endorsers}</textarea>`);
  expect(refused.html).toContain('It may publish for no endorser.');
});

test.each(['member', 'owner'] as const)('a person with the role %s finds no such page', async (role) => {
  const person = await ConsoleClient.signIn(service, { role });
  expect((await person.get(`${page}/endorsers`)).status).toBe(404);
  expect((await person.post(`${page}/endorsers`, { endorsers: 'coast-gazette' })).status).toBe(404);
});
