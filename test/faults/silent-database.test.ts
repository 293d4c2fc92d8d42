/** The service while Postgres is silent: sockets stay open, and no answer comes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startConsumers } from '../../consumers/consumers.ts';
import { createConfig } from '../../gateway/config.ts';
import { type Gateway, startGateway } from '../../gateway/gateway.ts';
import { generateApiKey } from '../../schemas/api-key.ts';
import { systemClock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import { createLog } from '../../service/log.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { TestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

/** The bounds of docs/operations/recovery.md for gateways and for consumers. */
const GATEWAY_BOUND_MS = 20_000;
const CONSUMERS_BOUND_MS = 40_000;
/** A key is looked up again after this time. */
const FRESH_MS = 2000;

let service: TestService;
let way: TcpProxy;
let gateway: Gateway;
let consumers: Stoppable | undefined;

beforeAll(async () => {
  service = await TestService.start();
  await service.stopConsumers();
  way = await TcpProxy.open(service.databaseUrl);
  const env = { ...service.env(), DATABASE_URL: way.url };
  const config = createConfig({ ...env, PORT: '0', DRAIN_MS: '500' });
  const log = createLog('gateway', 'silent');
  gateway = await startGateway(config, { clock: systemClock, log, onNewEpoch: () => {} });
  await until('the gateway is ready', () => gateway.isReady());
});
afterAll(async () => {
  await way.close();
  await gateway.stop();
  await consumers?.stop();
  await service.stop();
});

/** The status of an answer; 0 without an answer in time. */
async function status(path: string, key = service.key): Promise<number> {
  const signal = AbortSignal.timeout(GATEWAY_BOUND_MS);
  const headers = { Authorization: `Bearer ${key}` };
  return fetch(`http://127.0.0.1:${gateway.port}${path}`, { headers, signal }).then(
    (response) => response.status,
    () => 0,
  );
}

const READS = ['/v1/states', '/v1/endorsements', '/v1/subscriptions', '/v1/contests?limit=1'];
const statuses = () => Promise.all([...READS, '/v1/events', '/readyz'].map((path) => status(path)));

test('a gateway answers in bounded time, still admits known keys, and recovers by itself', async () => {
  expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200]);
  way.silence();
  await sleep(FRESH_MS);
  const unknown = status('/v1/events', generateApiKey());
  expect(await statuses()).toEqual([503, 503, 503, 503, 200, 503]);
  expect(await unknown).toBe(503);
  expect(await gateway.isReady()).toBe(false);
  expect(await statuses()).toEqual([503, 503, 503, 503, 200, 503]);
  way.mend();
  const recovered = async () => (await statuses()).every((each) => each === 200);
  await until('everything is answered', recovered, GATEWAY_BOUND_MS);
  expect(await gateway.isReady()).toBe(true);
});

test('apply and relay continue as soon as new connections work', async () => {
  const { brokers, topicPrefix } = service;
  consumers = await startConsumers(
    { databaseUrl: way.url, brokers, topicPrefix, roles: ['apply', 'relay'], retentionMs: 604_800_000 },
    { log: createLog('consumers', 'silent') },
  );
  await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
  await service.eventsOnceThereAre(1);
  way.silence();
  await service.submit([endorse('bakers-local-1', 'mayor', 'bob')]);
  await sleep(1000);
  way.mend();
  way.forgetSilenced();
  expect(await service.eventsOnceThereAre(2, CONSUMERS_BOUND_MS)).toHaveLength(2);
});
