import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLog } from '../../service/log.ts';
import { startMonitoring } from '../../service/monitoring.ts';
import { testServers } from '../helpers/servers/servers.ts';
import { startProcess } from '../helpers/service/process.ts';
import { until } from '../helpers/until.ts';

describe('the monitoring port', () => {
  let server: Server;
  let base: string;
  let isReady = false;

  beforeAll(async () => {
    server = await startMonitoring({ port: 0, isReady: () => isReady, log: createLog('test', 'silent') });
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
  });

  test.each([
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'process_open_fds',
    'process_max_fds',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_heap_size_used_bytes',
    'nodejs_external_memory_bytes',
    'nodejs_gc_duration_seconds_count',
  ])('the metrics of the process are among the metrics: %s', async (name) => {
    const answer = await fetch(`${base}/metrics`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect(await answer.text()).toContain(`# TYPE ${name.replace(/_count$/, '')} `);
  });

  test('readiness is checked on each request', async () => {
    const metrics = async () => (await fetch(`${base}/metrics`)).text();
    expect((await fetch(`${base}/readyz`)).status).toBe(503);
    expect(await metrics()).toContain('\nprogram_ready 0\n');
    isReady = true;
    expect((await fetch(`${base}/readyz`)).status).toBe(200);
    expect(await metrics()).toContain('\nprogram_ready 1\n');
  });

  test.each([
    ['gateway/main.ts', { PORT: '0' }],
    ['consumers/main.ts', {}],
  ])('%s ends with one sentence if its monitoring port is taken', async (program, env) => {
    const { databaseUrl, brokers } = testServers();
    const started = startProcess(program, {
      DATABASE_URL: databaseUrl,
      KAFKA_BROKERS: brokers.addresses.join(','),
      METRICS_PORT: String((server.address() as AddressInfo).port),
      LOG_LEVEL: 'error',
      ...env,
    });
    try {
      await until('it has ended', () => started.exitCode() !== null);
      expect(started.exitCode()).toBe(1);
      expect(started.output()).toMatch(
        /^METRICS_PORT \d+ cannot be listened on: .*EADDRINUSE.*; set METRICS_PORT to a free port\.\n$/,
      );
    } finally {
      await started.kill();
    }
  });

  test('a live process is healthy, and other paths get a list of the existing ones', async () => {
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
    const other = await fetch(`${base}/`);
    expect(other.status).toBe(404);
    expect(await other.text()).toContain('/metrics');
  });
});
