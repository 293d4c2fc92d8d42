import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
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

/** Obeys Retry-After: other clients use up the requests of a minute. */
const waitAsLongAs = ({ headers }: Response) => sleep(Number(headers.get('retry-after')) * 1000);

// Needs a network namespace, which only root can create.
const needingNetwork = network ? test : test.skip;

needingNetwork('a client that vanishes from its network gives its place to the next one', async () => {
  if (!network) return;
  const key = await service.createKey('phone', 'free');
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
  const began = performance.now();
  let stream = await connect();
  while (stream.response.status === 429) {
    await waitAsLongAs(stream.response);
    stream = await connect();
  }
  // It would end by itself after 40 seconds.
  expect(performance.now() - began).toBeLessThan(30_000);
  expect((await connect()).response.status).toBe(429);
  expect(stream.ended).toBe(false);
});
