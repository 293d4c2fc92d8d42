import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createConfig } from '../../gateway/config.ts';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { TestService } from '../helpers/service/service.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
let metricsPort: number;
let base: string;
let gateway: ServiceProcess;

/** Two free ports, one after the other. */
async function findFreePair(): Promise<number> {
  for (;;) {
    const port = await findFreePort();
    const probe = createServer().listen(port + 1);
    const isFree = await Promise.race([
      once(probe, 'listening').then(() => true),
      once(probe, 'error').then(() => false),
    ]).catch(() => false);
    probe.close();
    if (isFree) return port;
  }
}

function start(env: Record<string, string>): ServiceProcess {
  return startProcess('gateway/main.ts', {
    ...service.env('gateway'),
    LOG_LEVEL: 'warn',
    DRAIN_MS: '200',
    GATEWAY_PROCESSES: '2',
    ...env,
  });
}

async function isReadyAt(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function areReady(): Promise<boolean> {
  return (await isReadyAt(metricsPort)) && isReadyAt(metricsPort + 1);
}

/** A counter of one of the processes, over all labels. */
async function readMetric(name: string, place: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort + place}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function listPids(): Promise<number[]> {
  const port = Number(new URL(base).port);
  const rows = await service.query(
    `SELECT pid FROM processes WHERE program = 'gateway' AND (details ->> 'port')::int = $1
       AND seen_at > clock_timestamp() - interval '15 seconds' ORDER BY started_at`,
    [port],
  );
  return rows.map(({ pid }) => Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

beforeAll(async () => {
  service = await TestService.start({ gateways: 0 });
  metricsPort = await findFreePair();
  const port = await findFreePort();
  base = `http://127.0.0.1:${port}`;
  gateway = start({ PORT: String(port), METRICS_PORT: String(metricsPort) });
  await until('both processes are ready', areReady, 60_000);
});
afterAll(async () => {
  await gateway.kill();
  await service.stop();
});

const headers = () => ({ Authorization: `Bearer ${service.key}` });
/** A request on a connection of its own. */
const ask = () => fetch(`${base}/v1/states`, { headers: { ...headers(), Connection: 'close' } });

test('each process has answered every request of its warm-up before the first client comes', async () => {
  for (const place of [0, 1]) expect(await readMetric('answers_total{origin="made"}', place)).toBe(6);
});

test('GATEWAY_PROCESSES is a number or auto', () => {
  const servers = { DATABASE_URL: 'postgres://a@b/c', KAFKA_BROKERS: 'a:1' };
  const read = (text: string) => createConfig({ ...servers, GATEWAY_PROCESSES: text }).processes;
  expect(read('')).toBe(1);
  expect(read('3')).toBe(3);
  expect(read('auto')).toBeGreaterThanOrEqual(1);
  for (const text of ['0', '65', 'all', '-1']) {
    expect(() => read(text)).toThrow(
      `GATEWAY_PROCESSES is "${text}"; it must be a whole number from 1 to 64, or auto.`,
    );
  }
});

test('processes of one port share its connections evenly, each with its own metrics', async () => {
  const streams: EventStreamClient[] = [];
  for (let i = 0; i < 6; i += 1) streams.push(await EventStreamClient.open(`${base}/v1/stream`, headers()));
  expect(await readMetric('streams_open', 0)).toBe(3);
  expect(await readMetric('streams_open', 1)).toBe(3);
  for (const stream of streams) stream.close();
});

test('while a process that was killed is started again, the other one answers', async () => {
  await until('both have told that they run', async () => (await listPids()).length === 2);
  const [doomed = 0, other = 0] = await listPids();
  process.kill(doomed, 'SIGKILL');
  await until('it is gone', () => !isRunning(doomed));
  for (let i = 0; i < 10; i += 1) expect((await ask()).status).toBe(200);
  await until('another one has its place', areReady, 60_000);
  expect(isRunning(other)).toBe(true);
  for (let i = 0; i < 10; i += 1) expect((await ask()).status).toBe(200);
});

test('a signal drains all processes, and none is left', async () => {
  const streams: EventStreamClient[] = [];
  for (let i = 0; i < 4; i += 1) streams.push(await EventStreamClient.open(`${base}/v1/stream`, headers()));
  await until('both have told that they run', async () => (await listPids()).length >= 2);
  const pids = await listPids();
  await gateway.kill('SIGTERM');
  expect(gateway.exitCode()).toBe(0);
  for (const stream of streams) expect(await stream.wait('reconnect', 1)).toHaveLength(1);
  expect(pids.filter(isRunning)).toEqual([]);
});

test.each(['PORT', 'METRICS_PORT'])('a taken %s is reported, and nothing is left running', async (name) => {
  const taken = createServer().listen(0);
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const failing = start({ PORT: '0', METRICS_PORT: '0', [name]: String(port) });
  await until('it ends', () => failing.exitCode() !== null, 60_000);
  expect(failing.exitCode()).toBe(1);
  expect(failing.output()).toContain(`${name} ${port} cannot be listened on`);
  taken.close();
});
