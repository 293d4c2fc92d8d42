import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { register } from 'prom-client';
import { startCanary } from '../../ops/canary/canary.ts';
import { type CanaryConfig, createCanaryConfig } from '../../ops/canary/config.ts';
import { writeServiceEnv } from '../../ops/local/processes/run-files.ts';
import type { Service } from '../../service/lifecycle.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { countObserved, metricValue } from '../helpers/service/metrics.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const service = useTestService();
const { log, lines } = captureLog('warn');
let canary: Service | undefined;
afterEach(async () => {
  await canary?.stop();
  canary = undefined;
  register.resetMetrics();
  lines.length = 0;
});

const env = () => ({
  ...service.env(),
  GATEWAY_URL: service.url(''),
  CANARY_KEY: service.key,
  CANARY_INTERVAL_SECONDS: '1',
});
const start = (settings: Record<string, string> = {}, overrides: Partial<CanaryConfig> = {}) => {
  canary = startCanary({ ...createCanaryConfig({ ...env(), ...settings }), ...overrides }, { log });
};
const arrived = () => countObserved('canary_latency_seconds', {});
const failed = (step: string) => metricValue('canary_failures_total', { step });

async function setUp(): Promise<void> {
  await createRunner('canary')(['setup'], createIo(env()));
}

test('repeated probes pass through the whole service, and leave one endorsement', async () => {
  await setUp();
  // Repeating this changes nothing.
  await setUp();
  start();
  await until('two probes', async () => (await arrived()) >= 2);
  expect(canary?.isReady()).toBe(true);
  const at = await metricValue('canary_last_success_timestamp_seconds');
  expect(Math.abs(at - Date.now() / 1000)).toBeLessThan(60);
  await canary?.stop();
  const { body } = await service.get('/v1/endorsements?endorsers=service-canary');
  expect(body.data).toHaveLength(1);
  // Clients of upcoming elections never see it.
  expect((await service.get('/v1/endorsements?endorsers=service-canary&upcoming=true')).body.data).toEqual(
    [],
  );

  await createRunner('catalog')(['remove', 'as-2000-01-01-special'], createIo(env()));
  expect((await service.get('/v1/endorsements?endorsers=service-canary')).body.data).toEqual([]);
});

test('a probe that does not arrive in time is a failure', async () => {
  await setUp();
  await service.stopConsumers();
  start({}, { timeoutMs: 1000 });
  await until('the failure', async () => (await failed('arrival')) >= 1);
  expect(canary?.isReady()).toBe(false);
  expect(await arrived()).toBe(0);
  await service.startConsumers();
  await until('a probe', async () => (await arrived()) >= 1);
});

test('a stream that has ended between two probes is opened again, which is not a failure', async () => {
  await setUp();
  const way = await TcpProxy.open(service.url(''));
  start({ GATEWAY_URL: way.address }, { timeoutMs: 5000 });
  await until('a probe', async () => (await arrived()) >= 1);
  const before = await arrived();
  way.cut();
  await until('another probe', async () => (await arrived()) > before);
  expect(await failed('arrival')).toBe(0);
  await canary?.stop();
  await way.close();
});

test('a stream that the gateway refuses is a failure, and the log has its answer', async () => {
  start({ CANARY_KEY: 'bes_nobody' });
  await until('the failure', async () => (await failed('stream')) >= 1);
  expect(JSON.stringify(lines[0])).toContain('invalid_api_key');
});

test('an outage of Kafka is a failure', async () => {
  await setUp();
  start({ KAFKA_BROKERS: '127.0.0.1:1' });
  await until('the failure', async () => (await failed('submission')) >= 1);
});

test('without an address, it uses the gateway of the service on DATA_DIR', async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'canary-'));
  await writeServiceEnv(path.join(dataDir, 'run'), { KAFKA_BROKERS: 'a:1', PORT: '8090' });
  expect(createCanaryConfig({ DATA_DIR: dataDir, CANARY_KEY: service.key })).toMatchObject({
    gatewayUrl: 'http://localhost:8090',
    brokers: { addresses: ['a:1'] },
  });
  await rm(dataDir, { recursive: true });
});

test.each([
  [{ CANARY_KEY: '' }, /^CANARY_KEY is not set: make a key with/],
  [{ CANARY_INTERVAL_SECONDS: '121' }, /^CANARY_INTERVAL_SECONDS is "121"/],
  [{ GATEWAY_URL: 'gateway' }, /^GATEWAY_URL is "gateway"; it must be an address/],
  [{ GATEWAY_URL: 'http://ops:s3cret@gateway:8080' }, /^GATEWAY_URL holds a user or a password/],
  [{ GATEWAY_URL: 'gateway:8080' }, /^GATEWAY_URL is "gateway:8080"; it must be an address/],
])('settings that are missing or wrong are named: %j', (settings, message) => {
  expect(() => createCanaryConfig({ ...env(), ...settings })).toThrow(message);
});
