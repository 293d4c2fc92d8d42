import { beforeEach, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { AnswerBudget } from '../../../gateway/answers/answer-budget.ts';
import { systemClock } from '../../../service/clock.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { inputsOf } from '../../helpers/console/console-pages.ts';
import { useTestService } from '../../helpers/service/service.ts';

/** The time, in milliseconds since 1970, at which the tests hold the clock; null while the service starts. */
let time: number | null = null;
const clock = { ...systemClock, now: () => time ?? Date.now() };
const service = useTestService({ clock });
let account: string;
let key: string;

beforeEach(async () => {
  time = Date.now();
  account = `account ${Math.random()}`;
  key = await service.createKey(account, 'free');
});

const statusOfKey = async (): Promise<number> =>
  (await service.get('/v1/states', { headers: { Authorization: `Bearer ${key}` } })).status;

/** Opens pages until the console refuses one. @returns the number of pages that it showed */
async function useUp(client: ConsoleClient): Promise<number> {
  let shown = 0;
  while ((await client.get('/console/audit')).status === 200) shown += 1;
  return shown;
}

test("INV-15: a used-up quota of the account's programs locks nobody out of the console", async () => {
  const client = await ConsoleClient.signIn(service, { account });
  while ((await statusOfKey()) === 200);
  expect(await statusOfKey()).toBe(429);
  expect((await client.get('/console/explorer')).status).toBe(200);
  expect((await client.get('/console/api/v1/states')).status).toBe(200);
  expect((await client.post('/console/subscriptions', { name: 'Mine' })).status).toBe(303);
});

test('INV-15: pages, forms and their requests to the API do not use the quota of the account', async () => {
  const client = await ConsoleClient.signIn(service, { account });
  for (let page = 0; page < 60; page += 1) {
    const path = page % 2 === 0 ? '/console/explorer' : '/console/api/v1/states';
    expect((await client.get(path)).status).toBe(200);
  }
  expect(await statusOfKey()).toBe(200);
});

test('INV-15: the console has a budget of its own for a session, and others go on', async () => {
  const client = await ConsoleClient.signIn(service, { account });
  expect(await useUp(client)).toBe(120);
  const page = await client.get('/console/audit?before=5');
  expect([page.status, page.headers.get('Retry-After')]).toEqual([429, '1']);
  expect(page.html).toContain('Try again in a second.');
  expect(page.html).toContain('href="/console/audit?before=5"');
  const api = await client.get('/console/api/v1/states');
  expect([api.status, JSON.parse(api.html).error.code]).toEqual([429, 'rate_limit_exceeded']);
  const colleague = await ConsoleClient.signIn(service, { account });
  expect((await colleague.get('/console/audit')).status).toBe(200);
  time = clock.now() + 1000;
  expect((await client.get('/console/audit')).status).toBe(200);
});

test('INV-15: a form beyond the budget changes nothing and keeps its entries, to be sent again', async () => {
  const client = await ConsoleClient.signIn(service, { account });
  const csrf = await client.formToken();
  await useUp(client);
  const fields = { csrf, name: 'Website of ours', scope: ['data:read', 'stream:read'] };
  const refused = await client.post('/console/keys', fields);
  expect(refused.status).toBe(429);
  expect(refused.html).toContain('Nothing was changed.');
  for (const text of ['Website of ours', 'data:read', 'stream:read']) {
    expect(refused.html).toContain(`<dd>${text}</dd>`);
  }
  time = clock.now() + 1000;
  const again = new URLSearchParams();
  for (const input of inputsOf(refused.html, '/console/keys')) {
    again.append(input.get('name') ?? '', input.get('value') ?? '');
  }
  const sent = await client.send('POST', '/console/keys', again);
  expect([sent.status, sent.html]).toEqual([200, expect.stringContaining('Your new key')]);
});

test('INV-15: pages count for their account, and an account that has not taken them waits with its entries', async () => {
  const [row] = await service.query('SELECT id FROM accounts WHERE name = $1', [account]);
  const client = await ConsoleClient.signIn(service, { account });
  const csrf = await client.formToken();
  const reserve = jest.spyOn(AnswerBudget.prototype, 'reserve');
  const isUsedUp = jest.spyOn(AnswerBudget.prototype, 'isUsedUp');
  try {
    isUsedUp.mockImplementation((share) => share === `console ${row?.id}`);
    const refused = await client.post('/console/keys', { csrf, name: 'Mine' });
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '2']);
    expect(refused.html).toContain('<dd>Mine</dd>');
    expect((await client.get('/console/api/v1/states')).status).toBe(200);
    await new ConsoleClient(service).post('/console/keys', { csrf, name: 'Mine' });
    const shares = reserve.mock.calls.map(([{ share, canRefuse }]) => [share, canRefuse]);
    expect(shares).toEqual([
      [`console ${row?.id}`, true],
      [row?.id, true],
      [null, true],
    ]);
  } finally {
    reserve.mockRestore();
    isUsedUp.mockRestore();
  }
});

test("INV-15: an account's many forms at once do not hold up another account, and refused ones keep their entries", async () => {
  const [row] = await service.query('SELECT id FROM accounts WHERE name = $1', [account]);
  const clients = [
    await ConsoleClient.signIn(service, { account }),
    await ConsoleClient.signIn(service, { account }),
  ];
  const tokens = await Promise.all(clients.map((client) => client.formToken()));
  const blocker = new pg.Client({ connectionString: service.databaseUrl });
  await blocker.connect();
  // Every form of the account waits for this lock.
  await blocker.query('BEGIN');
  await blocker.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [row?.id]);
  const forms = clients.flatMap((client, index) =>
    Array.from({ length: 55 }, () =>
      client.post('/console/keys', { csrf: tokens[index] ?? '', name: 'Mine', scope: ['data:read'] }),
    ),
  );
  const refused = await Promise.race(forms);
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '2']);
  expect(refused.html).toContain('<dd>Mine</dd>');
  const other = await ConsoleClient.signIn(service);
  expect((await other.get('/console/keys')).status).toBe(200);
  await blocker.query('ROLLBACK');
  await blocker.end();
  const statuses = (await Promise.all(forms)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(8);
});
