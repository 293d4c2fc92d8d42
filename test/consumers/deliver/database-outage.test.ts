import { afterEach, expect, test } from '@jest/globals';
import type { Deliver } from '../../../consumers/deliver/deliver.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { TcpProxy } from '../../helpers/faults/tcp-proxy.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';
import { createTestDeliverer } from '../../helpers/webhooks/deliverers.ts';
import { Receiver } from '../../helpers/webhooks/receiver.ts';

const service = useTestService();
let deliverer: Deliver | undefined;
let receiver: Receiver | undefined;
let proxy: TcpProxy | undefined;
afterEach(async () => {
  await deliverer?.stop();
  await receiver?.stop();
  await proxy?.close();
});

test('a deliverer starts without a database, and loses nothing when the database is cut off at any step', async () => {
  receiver = await Receiver.start();
  const { body } = await service.send('POST', '/v1/webhooks', { name: 'All', url: receiver.url });
  receiver.secret = body.data.secret;
  proxy = await TcpProxy.open(service.databaseUrl);
  proxy.sever();
  deliverer = createTestDeliverer(service, { databaseUrl: proxy.url });
  await until(
    'it says what it waits for',
    () => deliverer?.findObstacle() === 'The database does not answer yet.',
  );
  proxy.mend();
  await until('it is ready', () => deliverer?.isReady() ?? false);
  let sent = 0;
  const change = async (count: number) => {
    const submissions = Array.from({ length: count }, () => {
      sent += 1;
      return endorse('bakers-local-1', 'mayor', 'ann', { statement: `No. ${sent}` });
    });
    await service.submit(submissions);
    await service.eventsOnceThereAre(sent);
  };
  for (let packets = 1; packets <= 12; packets += 1) {
    const { cuts } = proxy;
    proxy.trap(packets, () => proxy?.cut());
    await change(5);
    await until('the connection was cut', () => (proxy?.cuts ?? 0) > cuts);
  }
  await change(5);
  const expected = (await service.events()).data.map(({ id }) => id);
  await until('every event has come', () => new Set(receiver?.eventIds).size >= expected.length);
  expect([...new Set(receiver.eventIds)]).toEqual(expected);
  const bodies = new Map<string, string>();
  for (const { id, body: text } of receiver.messages) {
    expect(bodies.get(id) ?? text).toBe(text);
    bodies.set(id, text);
  }
  const once = [...bodies.values()].flatMap((text) =>
    JSON.parse(text).data.events.map(({ id }: { id: string }) => id),
  );
  expect(once).toEqual(expected);
  await until('each event counts once', async () => {
    const { body: webhook } = await service.get(`/v1/webhooks/${body.data.id}`);
    return webhook.data.delivered_events === expected.length;
  });
});
