import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { generateApiKey } from '../../schemas/api-key.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { testServers } from '../helpers/servers/servers.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { TestService } from '../helpers/service/service.ts';
import { untilReady } from '../helpers/service/system.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';

const PASSWORD = 'pw-7c0ffee7-unmistakable';
const ROLE = 'logs_test';

/** This test reads the logs of other gateways and consumers: processes with the most verbose logs. */
let service: TestService;
let way: TcpProxy;
let admin: pg.Client;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  service = await TestService.start();
  await service.submit([endorse('bakers-local-1', 'mayor', 'bob')]);
  await service.eventsOnceThereAre(1);
  await service.stopConsumers();
  admin = new pg.Client({ connectionString: testServers().databaseUrl });
  await admin.connect();
  await admin.query(`CREATE ROLE ${ROLE} LOGIN SUPERUSER PASSWORD '${PASSWORD}'`);
  way = await TcpProxy.open(service.databaseUrl);
});
afterAll(async () => {
  for (const started of processes) await started.kill();
  await way.close();
  await service.stop();
  await admin.query(`DROP ROLE ${ROLE}`);
  await admin.end();
});

function start(program: string, env: Record<string, string>): ServiceProcess {
  const url = new URL(way.url);
  url.username = ROLE;
  url.password = PASSWORD;
  const started = startProcess(program, {
    ...service.env(program === 'gateway/main.ts' ? 'gateway' : 'consumers'),
    DATABASE_URL: url.href,
    LOG_LEVEL: 'debug',
    ...env,
  });
  processes.push(started);
  return started;
}

const output = () => processes.map((started) => started.output()).join('\n');

test('a whole run, outages included, writes no key, no password and no Authorization to its logs', async () => {
  const port = await findFreePort();
  start('consumers/main.ts', {});
  const gateway = start('gateway/main.ts', { PORT: String(port), TRUST_PROXY: '1' });
  const base = `http://127.0.0.1:${port}`;
  await untilReady(base);

  const madeUp = generateApiKey();
  const ask = (path: string, authorization: string, headers: Record<string, string> = {}) =>
    fetch(`${base}${path}`, { headers: { Authorization: authorization, ...headers } }).then(
      ({ status }) => status,
    );
  expect(
    await ask('/v1/states', `Bearer ${service.key}`, { 'X-Forwarded-For': '192.0.2.1, 203.0.113.9' }),
  ).toBe(200);
  expect(await ask('/v1/states', `Bearer ${madeUp}`)).toBe(401);
  expect(await ask('/v1/states', `Bearer ${service.key}x`)).toBe(401);
  expect(await ask(`/v1/states?api_key=${service.key}`, `Bearer ${service.key}`)).toBe(400);
  expect(await ask('/v1/endorsements?cursor=%00', `Bearer ${service.key}`)).toBe(400);

  const stream = await EventStreamClient.open(`${base}/v1/stream`, {
    Authorization: `Bearer ${service.key}`,
  });
  await stream.wait('ready', 1);
  await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
  await stream.wait('endorsement', 1);
  stream.close();

  way.sever();
  await until('reads fail', async () => (await ask('/v1/coverage', `Bearer ${service.key}`)) === 503);
  await ask('/v1/coverage', `Bearer ${madeUp}`);
  way.mend();
  await until('reads work', async () => (await ask('/v1/coverage', `Bearer ${service.key}`)) === 200);

  const ops = start('ops/main.ts', {});
  await until('the help', () => ops.output().includes('keys create'));

  // The logs exist, and have the client's address from the proxy, not the client's own claim.
  const requests = gateway
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));
  expect(requests.length).toBeGreaterThan(5);
  expect(requests.find(({ client }) => client === '203.0.113.9')).toMatchObject({
    path: '/v1/states',
    status: 200,
  });
  expect(requests.some(({ client }) => client === '192.0.2.1')).toBe(false);
  expect(output()).toContain('the database does not answer');

  for (const secret of [PASSWORD, service.key, madeUp, 'Bearer', 'bes_'])
    expect(output().includes(secret)).toBe(false);
  expect(output()).not.toMatch(/"authorization"/i);
});
