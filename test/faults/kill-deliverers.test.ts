import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endorse } from '../helpers/ballots/submissions.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';
import { Receiver } from '../helpers/webhooks/receiver.ts';
import { WEBHOOK_ENV } from '../helpers/webhooks/webhook-env.ts';

const KILLS = 3;
/** The longest time until another process has the webhooks of one that was killed, in milliseconds. */
const TAKEOVER_MS = 30_000;
const WEBHOOKS = 6;
const ENDORSERS = ['bakers-local-1', 'coast-gazette', 'nation-herald'];
const CHOICES = ['ann', 'bob', 'cyd', 'dee'];

const service = useTestService();
const receivers: Receiver[] = [];
/** The answers that receivers hold back; null while they answer. */
let heldBack: ServerResponse[] | null = null;
let deliverers: ServiceProcess[] = [];

const startDeliverer = (): ServiceProcess =>
  startProcess('consumers/main.ts', { ...service.env('deliver'), ...WEBHOOK_ENV, ROLES: 'deliver' });

/** Kills a process in the middle of attempts to all webhooks. */
async function killAmidAttempts(victim: ServiceProcess | undefined): Promise<void> {
  const held: ServerResponse[] = [];
  heldBack = held;
  await until('a message to each webhook is under way', async () => {
    const batches = await service.query('SELECT FROM webhook_batches');
    return batches.length === WEBHOOKS && held.length >= WEBHOOKS;
  });
  await victim?.kill();
  heldBack = null;
  for (const response of held) response.writeHead(204).end();
}

/** The numbers of webhooks that the processes hold, by process. */
async function holdings(): Promise<Map<string, number>> {
  const rows = await service.query(
    'SELECT deliverer_id AS id, count(*)::int AS held FROM webhooks WHERE deliverer_id IS NOT NULL GROUP BY 1',
  );
  return new Map(rows.map(({ id, held }) => [String(id), Number(held)]));
}

beforeAll(async () => {
  for (let index = 0; index < WEBHOOKS; index += 1) {
    const receiver = await Receiver.start((response) => {
      if (heldBack) heldBack.push(response);
      else response.writeHead(204).end();
    });
    const { body } = await service.send('POST', '/v1/webhooks', { name: `n${index}`, url: receiver.url });
    receiver.secret = body.data.secret;
    receivers.push(receiver);
  }
  deliverers = [startDeliverer(), startDeliverer()];
});
afterAll(async () => {
  await Promise.all(deliverers.map((each) => each.kill()));
  await Promise.all(receivers.map((each) => each.stop()));
});

test('kill -9 of deliverers loses nothing, repeats only whole messages, and others continue within 30 seconds', async () => {
  await until(
    'two processes share the webhooks',
    async () =>
      [...(await holdings()).values()].every((held) => held === WEBHOOKS / 2) &&
      (await holdings()).size === 2,
  );
  let isOver = false;
  let sent = 0;
  const writing = (async () => {
    while (!isOver) {
      const submissions = Array.from({ length: 20 }, (_, index) => {
        sent += 1;
        return endorse(ENDORSERS[index % 3] as string, 'mayor', CHOICES[index % 4] as string, {
          statement: `${sent}`,
        });
      });
      await service.submit(submissions);
      await service.eventsOnceThereAre(sent);
    }
  })();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await holdings();
    const begun = receivers.map(({ accepted }) => accepted.length);
    await until('every webhook gets messages', () =>
      receivers.every(({ accepted }, index) => accepted.length > (begun[index] as number)),
    );
    await killAmidAttempts(deliverers.shift());
    const killedAt = performance.now();
    deliverers.push(startDeliverer());
    await until(
      'the webhooks of the killed process are delivered elsewhere',
      async () => {
        const now = await holdings();
        const isTaken = [...now.values()].reduce((sum, held) => sum + held, 0) === WEBHOOKS;
        return isTaken && [...before.keys()].filter((id) => now.has(id)).length === 1;
      },
      TAKEOVER_MS,
    );
    expect(performance.now() - killedAt).toBeLessThan(TAKEOVER_MS);
  }
  isOver = true;
  await writing;
  const expected = (await service.events()).data.map(({ id }) => id);
  for (const receiver of receivers) {
    await until('every event has come', () => new Set(receiver.eventIds).size >= expected.length);
    expect([...new Set(receiver.eventIds)]).toEqual(expected);
    const bodies = new Map<string, string>();
    for (const { id, body } of receiver.messages) {
      expect(bodies.get(id) ?? body).toBe(body);
      bodies.set(id, body);
    }
    // Each event is in one message only.
    const once = [...bodies.values()].flatMap((body) =>
      JSON.parse(body).data.events.map(({ id }: { id: string }) => id),
    );
    expect(once).toEqual(expected);
  }
}, 300_000);
