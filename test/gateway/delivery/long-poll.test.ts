import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { AccessWatch } from '../../../gateway/delivery/access-watch.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { type Answer, useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

/** The requirement: a refusal takes effect within this time. */
const PROMISED_MS = 5000;

const service = useTestService({ gateways: 2 });
const database = useClient(service.databaseUrl);
let watched = jest.spyOn(AccessWatch.prototype, 'add');
let changes = 0;
let accounts = 0;

beforeEach(() => {
  watched = jest.spyOn(AccessWatch.prototype, 'add');
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Makes a change that every poll without a filter gets. */
async function change(by = 'nation-herald'): Promise<void> {
  changes += 1;
  await service.submit([endorse(by, 'mayor', 'ann', { statement: `Change ${changes}.` })]);
}

/** Sends polls that wait for a change, one to each gateway, and resolves once both are held. */
async function hold(query: string, key = service.key): Promise<Promise<Answer>[]> {
  const before = watched.mock.calls.length;
  const headers = { Authorization: `Bearer ${key}` };
  const polls = [0, 1].map((gateway) => service.get(`/v1/events?wait=25${query}`, { gateway, headers }));
  await until('the polls are held', () => watched.mock.calls.length === before + 2);
  return polls;
}

async function createAccount(): Promise<{ key: string; id: number }> {
  accounts += 1;
  const account = `account-${accounts}`;
  const key = await service.createKey(account, 'internal');
  const { rows } = await database.query('SELECT id FROM accounts WHERE name = $1', [account]);
  return { key, id: rows[0].id };
}

/** Saves a subscription. @returns its id */
async function save(name: string, filter: object): Promise<number> {
  const { body } = await service.send('POST', '/v1/subscriptions', { name, filter });
  return body.data.id;
}

/** Expects the answers to be refusals, equal to the answer that a new request gets. */
function expectRefusals(answers: Answer[], code: string, again: Answer): void {
  const told = (answer: Answer) => ({
    status: answer.status,
    code: answer.body.error?.code,
    message: answer.body.error?.message,
    challenge: answer.headers.get('WWW-Authenticate'),
  });
  for (const answer of answers) {
    expect(told(answer).code).toBe(code);
    expect(told(answer)).toEqual(told(again));
  }
}

const REFUSALS: [string, string, string][] = [
  ['is revoked', 'UPDATE api_keys SET revoked_at = now() WHERE account_id = $1', 'revoked_api_key'],
  ['expires', 'UPDATE api_keys SET expires_at = now() WHERE account_id = $1', 'expired_api_key'],
  ['is deleted', 'DELETE FROM api_keys WHERE account_id = $1', 'invalid_api_key'],
  [
    'belongs to an account that is suspended',
    'UPDATE accounts SET suspended_at = now() WHERE id = $1',
    'account_suspended',
  ],
];

describe('a long poll whose key', () => {
  test.each(REFUSALS)(
    '%s ends within five seconds, on every gateway, with the error of a new request',
    async (_, statement, code) => {
      const { key, id } = await createAccount();
      const polls = await hold('', key);
      await database.query(statement, [id]);
      const refusedAt = Date.now();
      const answers = await Promise.all(polls);
      expect(Date.now() - refusedAt).toBeLessThan(PROMISED_MS);
      const again = () => service.get('/v1/events', { headers: { Authorization: `Bearer ${key}` } });
      await until('a new request is refused', async () => (await again()).status !== 200, PROMISED_MS);
      expectRefusals(answers, code, await again());
    },
  );

  test.each(REFUSALS)(
    '%s gets no event, even if one comes at once; others do',
    async (_, statement, code) => {
      const { key, id } = await createAccount();
      const polls = await hold('', key);
      const others = await hold('');
      await database.query(statement, [id]);
      await change();
      for (const { body } of await Promise.all(polls)) {
        expect(body.error?.code).toBe(code);
        expect(body.data).toBeUndefined();
      }
      for (const { body } of await Promise.all(others)) expect(body.data).toHaveLength(1);
    },
  );
});

describe('a long poll whose subscription', () => {
  test('is deleted ends within five seconds with the error of a new request', async () => {
    const id = await save('Brief', {});
    const polls = await hold('&subscription=Brief');
    await service.send('DELETE', `/v1/subscriptions/${id}`);
    const deletedAt = Date.now();
    const answers = await Promise.all(polls);
    expect(Date.now() - deletedAt).toBeLessThan(PROMISED_MS);
    const again = await service.get('/v1/events?subscription=Brief');
    expect(again.status).toBe(404);
    expectRefusals(answers, 'subscription_not_found', again);
  });

  test('is deleted gets no event, even if one comes at once', async () => {
    const id = await save('Briefer', {});
    const polls = await hold('&subscription=Briefer');
    await service.send('DELETE', `/v1/subscriptions/${id}`);
    await change();
    for (const { status, body } of await Promise.all(polls)) {
      expect([status, body.error?.code]).toEqual([404, 'subscription_not_found']);
    }
  });

  test('is edited gets the events of the new filter within five seconds', async () => {
    const filter = { endorsers: ['bakers-local-1'] };
    const id = await save('Edited', filter);
    const polls = await hold('&subscription=Edited');
    await service.send('PUT', `/v1/subscriptions/${id}`, {
      name: 'Edited',
      filter: { endorsers: ['coast-gazette'] },
    });
    const deadline = Date.now() + PROMISED_MS;
    let answered = false;
    const answers = Promise.all(polls).finally(() => {
      answered = true;
    });
    while (!answered && Date.now() < deadline) await change('coast-gazette');
    expect(answered).toBe(true);
    for (const { body } of await answers) expect(body.data[0]?.endorser.slug).toBe('coast-gazette');
  });
});
