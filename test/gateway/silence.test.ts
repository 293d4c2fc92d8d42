import { afterEach, describe, expect, test } from '@jest/globals';
import { parseCursor } from '../../schemas/cursor.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { TestService } from '../helpers/service/service.ts';
import type { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { useStreams } from '../helpers/stream/use-streams.ts';
import { until } from '../helpers/until.ts';

const RETENTION_MS = 2000;

let service: TestService;
const opened = useStreams();

afterEach(() => service.stop());

async function connect(): Promise<EventStreamClient> {
  const stream = await opened(service.stream());
  await stream.wait('ready', 1);
  return stream;
}

describe('INV-5: a client that is connected or polls never expires, even on a long silent stream', () => {
  test('a gateway that has just become ready gives cursors that are not expired', async () => {
    service = await TestService.start({ retentionMs: 60_000 });
    await service.restartGateway(0);
    const early = await service.get('/readyz');
    // The gateway may be ready already.
    if (early.status !== 200) {
      expect([early.status, early.body.error.code]).toEqual([503, 'warming_up']);
      expect(early.headers.get('retry-after')).toMatch(/^[0-9]+$/);
    }
    await service.untilReady();
    const { body } = await service.get('/v1/events');
    expect(Date.now() - parseCursor(body.next_cursor).time).toBeLessThan(30_000);
    expect((await service.get(`/v1/events?cursor=${body.next_cursor}`)).status).toBe(200);
  });

  test('a gateway that starts when every event has expired reports that it is not behind', async () => {
    service = await TestService.start({ retentionMs: RETENTION_MS });
    await service.submit([endorse('nation-herald', 'mayor', 'ann')]);
    await service.eventsOnceThereAre(1);
    const { body } = await service.get('/v1/events?from=earliest');
    const expired = async () => (await service.get(`/v1/events?cursor=${body.data[0].id}`)).status === 410;
    await until('retention to pass', expired);
    await service.restartGateway(0);
    await service.untilReady();
    expect(service.gateways[0]?.feed.latest.sequence).toBe(1);
  });

  test('a stream that was silent for longer than retention delivers the next change', async () => {
    service = await TestService.start({
      retentionMs: RETENTION_MS,
      gatewayConfig: { streamHeartbeatMs: 200 },
    });
    await service.submit([endorse('nation-herald', 'mayor', 'ann')]);
    await service.eventsOnceThereAre(1);
    const stream = await connect();
    const [ready] = stream.of('ready');
    const expired = async () => (await service.get(`/v1/events?cursor=${ready?.id}`)).status === 410;
    await until('retention to pass', expired);
    // A stream may fall behind retention by a part of it.
    await until('more silence', () => stream.comments.length >= 15);

    await service.submit([endorse('nation-herald', 'mayor', 'bob')]);
    await until('the change', () => stream.of('endorsement').length === 1 || stream.ended);
    expect(stream.events.map(({ event }) => event)).not.toContain('reconnect');
    expect(stream.of('endorsement')).toHaveLength(1);
  });

  test.each([200, 20_000])(
    'a stream that was silent for longer than retention can be resumed at its last id, with a heartbeat of %d ms',
    async (streamHeartbeatMs) => {
      service = await TestService.start({ retentionMs: RETENTION_MS, gatewayConfig: { streamHeartbeatMs } });
      const stream = await connect();
      const [ready] = stream.of('ready');
      const expired = async () => (await service.get(`/v1/events?cursor=${ready?.id}`)).status === 410;
      await until('retention to pass', expired);
      const resumed = async () => {
        const last = stream.events.at(-1)?.id;
        return (await service.get(`/v1/events?cursor=${last}`)).status === 200;
      };
      // On a busy machine, a cursor can be two seconds late once.
      await until('its last id to work', resumed, 10_000);
    },
  );
});
