import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { roundUp } from '../../../gateway/console/plot.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService();
const MAX_WAIT_MS = 20_000;

test('an account sees its requests by endpoint and key, and its errors with their ids', async () => {
  const account = 'reader';
  const key = await service.createKey(account, 'free');
  const headers = { Authorization: `Bearer ${key}` };
  for (let i = 0; i < 3; i += 1) await service.get('/v1/states', { headers });
  await service.get('/v1/elections?states=XX', { headers: { ...headers, 'X-Request-Id': 'my-request-1' } });
  const client = await ConsoleClient.signIn(service, { account });
  await client.get('/console/explorer');
  const stored = () =>
    service.query(
      `SELECT FROM usage_hours u JOIN accounts a ON a.id = u.account_id
       WHERE a.name = $1 AND route = '/v1/elections'`,
      [account],
    );
  await until('both answers are stored', async () => (await stored()).length === 2, MAX_WAIT_MS);
  expect((await client.get('/console/usage')).html).not.toContain('Messages to webhooks');
  await service.query(
    `INSERT INTO webhook_usage_days
     SELECT id, (now() AT TIME ZONE 'UTC')::date, 31, 2, 1234 FROM accounts WHERE name = $1`,
    [account],
  );
  const { html } = await client.get('/console/usage');
  expect(html).toContain('<dt>Events to webhooks today</dt><dd>1,234</dd>');
  expect(html).toContain('Accepted: 31, Failed: 2');
  expect(html).toMatch(/<code>\/v1\/states<\/code><\/th><td class="number">3</);
  expect(html).toMatch(/<code>\/v1\/elections<\/code><\/th><td class="number">2<\/td><td class="number">1</);
  expect((await client.get('/console/usage/keys')).html).toContain('the console');
  expect(html).toContain('0 of 1');
  const errors = await client.get('/console/usage/errors');
  expect(errors.html).toContain('my-request-1');
  expect(errors.html).toContain('invalid_parameter');
  const other = await ConsoleClient.signIn(service);
  expect((await other.get('/console/usage/errors')).html).not.toContain('my-request-1');
}, 40_000);

test('older errors follow on further pages, without repetition', async () => {
  const account = 'unlucky';
  await service.createKey(account, 'free');
  await service.query(
    `INSERT INTO request_errors (account_id, occurred_at, request_id, method, route, status, code, message)
     SELECT id, now() - n / 3 * interval '1 minute', 'request-' || n, 'GET', '/v1/states', 400, 'invalid_parameter', 'm'
     FROM accounts, generate_series(1, 120) AS n WHERE name = $1`,
    [account],
  );
  const client = await ConsoleClient.signIn(service, { account });
  const seen: string[] = [];
  for (let path = '/console/usage/errors'; path !== ''; ) {
    const { html } = await client.get(path);
    seen.push(...[...html.matchAll(/request-(\d+)</g)].map(([, id]) => id ?? ''));
    const [, next] = /href="(\?after=[^"]+)"/.exec(html) ?? [];
    path = next ? `/console/usage/errors${next}` : '';
  }
  expect(seen).toHaveLength(120);
  expect(new Set(seen).size).toBe(120);
  expect((await client.get('/console/usage/errors?after=nonsense')).status).toBe(200);
});

test('INV-15: the usage of many keys is shown in pages, the console last', async () => {
  const account = 'busy';
  await service.createKey(account, 'free');
  await service.query(
    `WITH key AS (
       INSERT INTO api_keys (account_id, hash, scopes, name, revoked_at)
       SELECT id, sha256(gen_random_uuid()::text::bytea), '{data:read}', 'used-' || n, now()
       FROM accounts, generate_series(1, 120) AS n WHERE name = $1 RETURNING id, account_id)
     INSERT INTO usage_hours (account_id, key_id, hour, route, status, requests)
     SELECT account_id, id, date_trunc('hour', now()), '/v1/states', 200, 1 FROM key
     UNION ALL SELECT id, NULL, date_trunc('hour', now()), '/v1/states', 200, 1 FROM accounts WHERE name = $1`,
    [account],
  );
  const client = await ConsoleClient.signIn(service, { account });
  const seen: string[] = [];
  for (let path = '/console/usage/keys'; path !== ''; ) {
    const { html } = await client.get(path);
    seen.push(...[...html.matchAll(/<th scope="row">([^<]*)</g)].map(([, name]) => name ?? ''));
    const [, next] = /href="(\?before=\d+)"/.exec(html) ?? [];
    path = next ? `/console/usage/keys${next}` : '';
  }
  expect(seen).toHaveLength(121);
  expect(new Set(seen).size).toBe(121);
  expect([seen[0], seen.at(-1)]).toEqual(['used-120', 'the console']);
});

/** Stores errors of an account, a second apart, the newest first. */
const storeErrors = (account: string, count: number, { route = '/v1/states', status = 400, key = 0 } = {}) =>
  service.query(
    `INSERT INTO request_errors (account_id, key_id, occurred_at, request_id, method, route, status, code, message)
     SELECT id, NULLIF($5, 0), now() - n * interval '1 second', name || '-' || n, 'GET', $3, $4, 'a_code', 'm'
     FROM accounts, generate_series(1, $2) AS n WHERE name = $1`,
    [account, count, route, status, key],
  );

/** Stores requests of an account without an error, each with the time and the id of an error of another account. */
const storeSamples = (account: string, { like, count }: { like: string; count: number }) =>
  service.query(
    `INSERT INTO request_samples (id, account_id, occurred_at, request_id, method, route, status, ms)
     OVERRIDING SYSTEM VALUE
     SELECT e.id, a.id, e.occurred_at, a.name || '-sample-' || row_number() OVER (ORDER BY e.id), 'GET', '/v1/events', 200, 5
     FROM request_errors e JOIN accounts o ON o.id = e.account_id AND o.name = $2, accounts a
     WHERE a.name = $1 LIMIT $3`,
    [account, like, count],
  );

test('an operator finds errors and other requests of all accounts by account, key, endpoint, status and request id, in pages', async () => {
  for (const account of ['acme press', 'other press']) {
    await service.createKey(account, 'free');
  }
  const [key] = await service.query(
    `SELECT k.id FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE a.name = 'acme press'`,
  );
  await storeErrors('acme press', 70, { key: Number(key?.id) });
  await storeErrors('other press', 3, { route: '/v1/contests/{id}', status: 404 });
  await storeSamples('other press', { like: 'acme press', count: 60 });
  const operator = await ConsoleClient.signIn(service, { role: 'operator' });
  const found = async (query: string) => {
    const seen: string[] = [];
    for (let path = `?${query}`; path !== ''; ) {
      const { html } = await operator.get(`/console/operator/requests${path}`);
      seen.push(
        ...[...html.matchAll(/<code>((?:acme|other) press-(?:sample-)?\d+)</g)].map(([, id]) => id ?? ''),
      );
      path = (/href="(\?[^"]*after=[^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
    }
    expect(new Set(seen).size).toBe(seen.length);
    return seen.length;
  };
  expect(await found('account=ACME')).toBe(70);
  expect(await found('account=press')).toBe(133);
  expect(await found('account=press&show=errors')).toBe(73);
  expect(await found('account=press&show=others')).toBe(60);
  expect(await found('account=press&status=200')).toBe(60);
  expect(await found('request=other+press-sample-7')).toBe(1);
  expect(await found(`key=${key?.id}`)).toBe(70);
  expect(await found('account=press&route=/v1/contests')).toBe(3);
  expect(await found('account=press&status=404')).toBe(3);
  expect(await found('request=acme+press-7')).toBe(1);
  expect(await found('account=press&status=404&route=/v1/states')).toBe(0);
  expect((await operator.get('/console/operator/requests?status=nine&key=x&after=y')).status).toBe(200);
}, 30_000);

test('INV-15: a search looks through a bounded number of errors at a time, and then continues', async () => {
  await service.createKey('noisy', 'free');
  await service.createKey('quiet', 'free');
  await storeErrors('noisy', 50_000);
  await service.query(
    `INSERT INTO request_errors (account_id, occurred_at, request_id, method, route, status, code, message)
     SELECT id, now() - interval '6 days', 'the-quiet-one', 'GET', '/v1/states', 500, 'a_code', 'm'
     FROM accounts WHERE name = 'quiet'`,
  );
  const operator = await ConsoleClient.signIn(service, { role: 'operator' });
  const first = await operator.get('/console/operator/requests?account=quiet');
  expect(first.html).toContain('Nothing among the newer requests fits. Older ones may.');
  const [, next = ''] = /href="(\?account=quiet&amp;after=[^"]+)"/.exec(first.html) ?? [];
  const second = await operator.get(`/console/operator/requests${next.replaceAll('&amp;', '&')}`);
  expect(second.html).toContain('the-quiet-one');
  expect(second.html).not.toContain('Older requests');
  await service.query(
    `DELETE FROM request_errors WHERE account_id = (SELECT id FROM accounts WHERE name = 'noisy')`,
  );
}, 60_000);

test('the axis of a plot ends at a round number that holds every bar', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (max) => {
      const top = roundUp(max);
      expect(top).toBeGreaterThanOrEqual(max);
      expect(top).toBeLessThanOrEqual(Math.max(1, 2.5 * max + 1e-6));
      expect(String(top)).toMatch(/^[125]0*(e\+\d+)?$/);
    }),
  );
});
