/** Gateways and consumers beside a service that `npm start` runs: its DATA_DIR tells them its servers. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeServiceEnv } from '../../ops/local/processes/run-files.ts';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const service = useTestService();
let dataDir: string;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'ballot-beside-'));
  await writeServiceEnv(path.join(dataDir, 'run'), service.env('consumers'));
});
afterAll(async () => {
  for (const started of processes) await started.kill();
  await rm(dataDir, { recursive: true });
});

function start(program: string, env: Record<string, string>): ServiceProcess {
  const started = startProcess(program, env);
  processes.push(started);
  return started;
}

test('a gateway with the DATA_DIR of a running service serves its data', async () => {
  const port = await findFreePort();
  start('gateway/main.ts', { DATA_DIR: dataDir, PORT: String(port) });
  const ask = () =>
    fetch(`http://127.0.0.1:${port}/v1/elections`, { headers: { Authorization: `Bearer ${service.key}` } });
  await until('it answers', () =>
    ask().then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  expect(await (await ask()).json()).toMatchObject({ data: [{}, {}] });
});

test('consumers with the DATA_DIR of a running service stand by for its consumers', async () => {
  const port = await findFreePort();
  start('consumers/main.ts', { DATA_DIR: dataDir, METRICS_PORT: String(port) });
  await until('they are ready', () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
});

test('with no service on the DATA_DIR, a missing setting is named', async () => {
  const gateway = start('gateway/main.ts', { DATA_DIR: path.join(dataDir, 'other') });
  await until('it ends', () => gateway.exitCode() !== null);
  expect(gateway.output()).toMatch(/^DATABASE_URL is not set; it must be like .*\n$/);
});
