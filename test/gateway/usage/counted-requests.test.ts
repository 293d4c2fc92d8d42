import { expect, test } from '@jest/globals';
import { listRequestErrors } from '../../../store/accounts/request-errors.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { type Answer, useTestService } from '../../helpers/service/service.ts';
import { useStreams } from '../../helpers/stream/use-streams.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService({ gateways: 2 });
const client = useClient(service.databaseUrl);
const opened = useStreams();

let accounts = 0;

async function newKey(plan = 'standard'): Promise<{ key: string; accountId: number; keyId: number }> {
  accounts += 1;
  const account = `account-${accounts}`;
  const key = await service.createKey(account, plan);
  const { rows } = await client.query(
    'SELECT max(id) AS "keyId", max(account_id) AS "accountId" FROM api_keys',
  );
  return { key, ...rows[0] };
}

const ask = (path: string, key: string, gateway = 0, headers = {}): Promise<Answer> =>
  service.get(path, { gateway, headers: { Authorization: `Bearer ${key}`, ...headers } });

/** Restarts the gateways, which write their counts when they stop. */
async function restart(): Promise<void> {
  await Promise.all([0, 1].map((gateway) => service.restartGateway(gateway)));
  await service.untilReady();
}

/** The number of requests by key, route and status. */
async function usageOf(accountId: number): Promise<Record<string, number>> {
  const { rows } = await client.query(
    `SELECT key_id || ' ' || route || ' ' || status AS name, sum(requests)::int AS requests
     FROM usage_hours WHERE account_id = $1 GROUP BY 1`,
    [accountId],
  );
  return Object.fromEntries(rows.map(({ name, requests }) => [name, requests]));
}

test('answers to a key are counted on every gateway, refusals included, and restarts lose none', async () => {
  const { key, accountId, keyId } = await newKey();
  await ask('/v1/states', key, 0);
  await ask('/v1/states', key, 1);
  await ask('/v1/contests/1', key);
  await ask('/v1/contests/4711', key);
  await ask('/v1/contests/first', key, 0, { 'X-Request-Id': 'mine' });
  await ask('/v1/nowhere/%00', key, 1);
  await fetch(service.url('/v1/states'), { method: 'DELETE', headers: { Authorization: `Bearer ${key}` } });
  await ask('/readyz', key);
  await ask('/v1/states', 'none');
  await restart();
  expect(await usageOf(accountId)).toEqual({
    [`${keyId} /v1/states 200`]: 2,
    [`${keyId} /v1/contests/{id} 200`]: 1,
    [`${keyId} /v1/contests/{id} 404`]: 1,
    [`${keyId} /v1/contests/{id} 400`]: 1,
    [`${keyId} none 404`]: 1,
    [`${keyId} none 405`]: 1,
  });
  const { errors } = await listRequestErrors(client, accountId, { limit: 10 });
  expect(errors.map(({ code }) => code).sort()).toEqual([
    'invalid_parameter',
    'method_not_allowed',
    'not_found',
    'not_found',
  ]);
  const { rows: samples } = await client.query(
    'SELECT route, status, length(request_id) > 0 AS named FROM request_samples WHERE account_id = $1 ORDER BY route',
    [accountId],
  );
  expect(samples).toEqual(
    ['/v1/contests/{id}', '/v1/states', '/v1/states'].map((route) => ({ route, status: 200, named: true })),
  );
  const mine = errors.find(({ requestId }) => requestId === 'mine');
  expect(mine).toMatchObject({ keyId, method: 'GET', route: '/v1/contests/{id}', status: 400 });
  expect(mine?.message).toContain('first');
});

test('a refused key and refusals by a limit count for the account of the key', async () => {
  const { key, accountId, keyId } = await newKey('free');
  const answers = await Promise.all(Array.from({ length: 70 }, () => ask('/v1/states', key)));
  const admitted = answers.filter(({ status }) => status === 200).length;
  await client.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [keyId]);
  let before = 0;
  await until('the key is refused', async () => {
    const { status } = await ask('/v1/states', key);
    if (status !== 401) before += 1;
    return status === 401;
  });
  await restart();
  const usage = await usageOf(accountId);
  expect(usage[`${keyId} /v1/states 401`]).toBe(1);
  const limited = usage[`${keyId} /v1/states 429`] ?? 0;
  expect((usage[`${keyId} /v1/states 200`] ?? 0) + limited).toBe(70 + before);
  expect(limited).toBeGreaterThanOrEqual(70 - admitted);
  const { errors } = await listRequestErrors(client, accountId, { limit: 100 });
  expect(errors.filter(({ code }) => code === 'revoked_api_key')).toHaveLength(1);
});

test('a stream is counted when it begins', async () => {
  const { key, accountId, keyId } = await newKey();
  const stream = await opened(service.stream('', { headers: { Authorization: `Bearer ${key}` } }));
  await stream.wait('ready', 1);
  await until(
    'it is written',
    async () => (await usageOf(accountId))[`${keyId} /v1/stream 200`] === 1,
    25_000,
  );
});
