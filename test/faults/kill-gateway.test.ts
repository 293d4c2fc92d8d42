import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { TestService } from '../helpers/service/service.ts';
import { untilReady } from '../helpers/service/system.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
let client: pg.Client;
let doomed: ServiceProcess;
let base: string;
const open: EventStreamClient[] = [];

beforeAll(async () => {
  service = await TestService.start();
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  // The repeated requests for a stream must not exceed a different limit.
  await client.query('UPDATE plans SET requests_per_minute = NULL');
  await client.query(`UPDATE plans SET requests_per_day = 400 WHERE name = 'partner'`);
  const port = await findFreePort();
  base = `http://127.0.0.1:${port}`;
  doomed = startProcess('gateway/main.ts', {
    ...service.env('gateway'),
    PORT: String(port),
    LOG_LEVEL: 'error',
  });
  await untilReady(base);
});
afterAll(async () => {
  for (const stream of open) stream.close();
  await doomed.kill();
  await client.end();
  await service.stop();
});

const newKey = (account: string, plan: string) => service.createKey(account, plan);

async function connect(key: string, url: string): Promise<number> {
  const stream = await EventStreamClient.open(url, { Authorization: `Bearer ${key}` });
  open.push(stream);
  return stream.response.status;
}

describe('kill -9 of a gateway that holds leases', () => {
  test('its streams stop counting within 30 seconds, and only its share of a limit is lost', async () => {
    const streaming = await newKey('streaming', 'standard');
    const asking = await newKey('asking', 'partner');
    const here = service.url('/v1/stream');
    for (let i = 0; i < 5; i += 1) expect(await connect(streaming, `${base}/v1/stream`)).toBe(200);
    expect(await connect(streaming, here)).toBe(429);
    let answered = 0;
    for (let i = 0; i < 150; i += 1) {
      const { status } = await fetch(`${base}/v1/states`, { headers: { Authorization: `Bearer ${asking}` } });
      if (status === 200) answered += 1;
    }
    expect(answered).toBe(150);

    await doomed.kill();
    const killedAt = performance.now();
    for (let i = 0; i < 400; i += 1) {
      const { status } = await service.get('/v1/states', { headers: { Authorization: `Bearer ${asking}` } });
      if (status === 200) answered += 1;
    }
    expect(answered).toBeLessThanOrEqual(400);
    expect(answered).toBeGreaterThanOrEqual(360);

    await until('a place is free', async () => (await connect(streaming, here)) === 200, 40_000);
    expect(performance.now() - killedAt).toBeLessThan(31_000);
    const statuses = await Promise.all(Array.from({ length: 10 }, () => connect(streaming, here)));
    const { rows } = await client.query(
      'SELECT count(*)::int AS counted FROM stream_leases WHERE expires_at > clock_timestamp()',
    );
    expect(rows[0].counted).toBeLessThanOrEqual(5);
    expect(statuses).toContain(429);
  });
});
