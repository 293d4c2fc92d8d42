import { describe, expect, test } from '@jest/globals';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { useTestService } from '../../helpers/service/service.ts';
import type { EventStreamClient } from '../../helpers/stream/event-stream.ts';
import { useStreams } from '../../helpers/stream/use-streams.ts';
import { until } from '../../helpers/until.ts';

/** The requirement: an edit, a revocation or a suspension takes effect within this time. */
const PROMISED_MS = 5000;

const service = useTestService({ gateways: 2, gatewayConfig: { streamHeartbeatMs: 500 } });
const database = useClient(service.databaseUrl);
const opened = useStreams();

async function connect(query: string, { key = service.key, gateway = 0 } = {}): Promise<EventStreamClient> {
  const headers = { Authorization: `Bearer ${key}` };
  const stream = await opened(service.stream(query, { gateway, headers }));
  expect(stream.response.status).toBe(200);
  return stream;
}

/** Saves a subscription. @returns its id */
async function save(name: string, filter: object): Promise<number> {
  const { body } = await service.send('POST', '/v1/subscriptions', { name, filter });
  return body.data.id;
}

describe('a subscription of open streams', () => {
  test('that is edited changes them on every gateway within five seconds, without a reconnect', async () => {
    const id = await save('Mine', { endorsers: ['bakers-local-1'] });
    const streams = await Promise.all([
      connect('subscription=Mine'),
      connect(`subscription=${id}`, { gateway: 1 }),
    ]);
    await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
    for (const stream of streams) await stream.wait('endorsement', 1);

    await service.send('PUT', `/v1/subscriptions/${id}`, {
      name: 'Renamed',
      filter: { endorsers: ['coast-gazette'] },
    });
    const deadline = Date.now() + PROMISED_MS;
    let round = 0;
    await until(
      'the new filter',
      async () => {
        round += 1;
        await service.submit([endorse('coast-gazette', 'mayor', 'bob', { statement: `Round ${round}.` })]);
        return streams.every((stream) => stream.of('endorsement').length > 1);
      },
      PROMISED_MS,
    );
    expect(Date.now()).toBeLessThan(deadline);
    await service.submit([
      endorse('bakers-local-1', 'mayor', 'ann', { statement: 'Not wanted any more.' }),
      endorse('coast-gazette', 'mayor', 'bob', { statement: 'The last.' }),
    ]);
    for (const stream of streams) {
      const last = () => stream.of('endorsement').at(-1)?.data.endorsement.statement;
      await until('the last', () => last() === 'The last.');
      const after = stream.of('endorsement').slice(1);
      expect(new Set(after.map(({ data }) => data.endorser.slug))).toEqual(new Set(['coast-gazette']));
      expect(stream.of('reconnect')).toEqual([]);
    }
  });

  test('that is deleted ends them with a reason', async () => {
    const id = await save('Brief', {});
    const [stream, other] = await Promise.all([connect('subscription=Brief'), connect('')]);
    await service.send('DELETE', `/v1/subscriptions/${id}`);
    await until('the end of the stream', () => stream.ended, PROMISED_MS);
    expect(stream.of('reconnect').at(-1)?.data.reason).toBe('subscription_changed');
    expect(other.ended).toBe(false);
    const again = await service.get('/v1/stream?subscription=Brief');
    expect([again.status, again.body.error.code]).toEqual([404, 'subscription_not_found']);
  });
});

describe('the key of open streams', () => {
  test.each([
    ['is revoked', 'UPDATE api_keys SET revoked_at = now() WHERE account_id = $1', 'revoked_api_key'],
    ['expires', 'UPDATE api_keys SET expires_at = now() WHERE account_id = $1', 'expired_api_key'],
    [
      'belongs to an account that is suspended',
      'UPDATE accounts SET suspended_at = now() WHERE id = $1',
      'account_suspended',
    ],
  ])('%s, and they end within five seconds with a reason; others continue', async (_, statement, code) => {
    const account = `other-${code}`;
    const key = await service.createKey(account, 'internal');
    const streams = await Promise.all([connect('', { key }), connect('', { key, gateway: 1 })]);
    const bystander = await connect('');
    const { rows } = await database.query('SELECT id FROM accounts WHERE name = $1', [account]);
    await database.query(statement, [rows[0]?.id]);
    await until('the end of the streams', () => streams.every(({ ended }) => ended), PROMISED_MS);
    for (const stream of streams) expect(stream.of('error').at(-1)?.data.code).toBe(code);
    expect(bystander.ended).toBe(false);
  });
});

test('INV-15: a lowered plan ends the surplus over all gateways within five seconds, the oldest first', async () => {
  const key = await service.createKey('lowered', 'standard');
  const streams: EventStreamClient[] = [];
  for (const gateway of [0, 1, 0, 1, 0]) streams.push(await connect('', { key, gateway }));
  await database.query(`UPDATE accounts SET plan = 'free' WHERE name = 'lowered'`);
  await until('the end of the surplus', () => streams.slice(0, 4).every(({ ended }) => ended), PROMISED_MS);
  for (const stream of streams.slice(0, 4)) {
    expect(stream.of('reconnect').at(-1)?.data.reason).toBe('plan_changed');
  }
  expect(streams[4]?.ended).toBe(false);
});
