import { afterAll, expect, test } from '@jest/globals';
import { createKey } from '../../ops/commands/keys.ts';
import { SeparateNetwork } from '../helpers/faults/separate-network.ts';
import { useTestService } from '../helpers/service/service.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';

const network = SeparateNetwork.create();
const service = useTestService({ gatewayConfig: { streamHeartbeatMs: 200, host: null } });
const open: EventStreamClient[] = [];
afterAll(() => {
  for (const stream of open) stream.close();
  network?.remove();
});

// Needs a network namespace, which only root can create.
const needingNetwork = network ? test : test.skip;

needingNetwork('a client that vanishes from its network gives its place to the next one', async () => {
  if (!network) return;
  const key = await createKey({ databaseUrl: service.databaseUrl, account: 'phone', plan: 'free' });
  const headers = { Authorization: `Bearer ${key}` };
  const connect = async () => {
    const stream = await EventStreamClient.open(service.url('/v1/stream'), headers);
    open.push(stream);
    return stream;
  };
  const url = new URL(service.url('/v1/stream'));
  url.hostname = network.address;
  const phone = network.start(`
    const { body } = await fetch('${url}', { headers: ${JSON.stringify(headers)} });
    for await (const bytes of body) process.stdout.write(bytes);`);
  let received = '';
  phone.stdout?.on('data', (bytes) => {
    received += bytes;
  });
  await until('heartbeats arrive', () => received.split(': ping').length > 5);
  // Two live streams never displace each other.
  for (let i = 0; i < 3; i += 1) expect((await connect()).response.status).toBe(429);
  network.cut();
  let stream: EventStreamClient | undefined;
  await until('its place is free', async () => {
    stream = await connect();
    return stream.response.status === 200;
  });
  expect((await connect()).response.status).toBe(429);
  expect(stream?.ended).toBe(false);
});
