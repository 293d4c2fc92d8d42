import http from 'node:http';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Deliver } from '../../../consumers/deliver/deliver.ts';
import { Feed } from '../../../feed/feed.ts';
import { formatCursor, parseCursor } from '../../../schemas/cursor.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { expectMessage } from '../../helpers/http/response-schema.ts';
import { useClient } from '../../helpers/postgres/database.ts';
import { listen } from '../../helpers/servers/listen.ts';
import { metricValue } from '../../helpers/service/metrics.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';
import { startTestDeliverer } from '../../helpers/webhooks/deliverers.ts';
import { type Answering, type ReceivedMessage, Receiver } from '../../helpers/webhooks/receiver.ts';
import { WEBHOOK_ENV } from '../../helpers/webhooks/webhook-env.ts';

const service = useTestService();
const client = useClient(service.databaseUrl);
const ENDORSERS = ['bakers-local-1', 'coast-gazette', 'nation-herald'];
const CHOICES = ['ann', 'bob', 'cyd', 'dee'];
const PATH = '/v1/webhooks';
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

let deliverers: Deliver[] = [];
let receivers: Receiver[] = [];
let made = 0;

beforeEach(async () => {
  await client.query('TRUNCATE webhooks, webhook_deliverers, idempotency_keys CASCADE');
  await client.query("UPDATE accounts SET suspended_at = NULL WHERE name = 'test'");
});
afterEach(async () => {
  await Promise.all(deliverers.map((each) => each.stop()));
  await Promise.all(receivers.map((each) => each.stop()));
  deliverers = [];
  receivers = [];
});

async function startDeliverer(options?: Parameters<typeof startTestDeliverer>[1]): Promise<Deliver> {
  const deliverer = await startTestDeliverer(service, options);
  deliverers.push(deliverer);
  return deliverer;
}

async function startReceiver(answering?: Answering): Promise<Receiver> {
  const receiver = await Receiver.start(answering);
  receivers.push(receiver);
  return receiver;
}

/** Creates a webhook that leads to a receiver, which then verifies its messages. */
async function createWebhook(receiver: Receiver, more: object = {}): Promise<number> {
  made += 1;
  const { status, body } = await service.send('POST', PATH, { name: `n${made}`, url: receiver.url, ...more });
  expect([status, body.error]).toEqual([201, undefined]);
  receiver.secret = body.data.secret;
  return body.data.id;
}

const read = async (id: number) => (await service.get(`${PATH}/${id}`)).body.data;

/** Makes changes of an endorser's pick, one for each number. */
let statement = 0;
async function change(count: number, endorser?: string): Promise<void> {
  const submissions = Array.from({ length: count }, (_, index) => {
    statement += 1;
    const by = endorser ?? (ENDORSERS[index % ENDORSERS.length] as string);
    return endorse(by, 'mayor', CHOICES[index % 4] as string, { statement: `No. ${statement}` });
  });
  const before = await service.latestSequence();
  await service.submit(submissions);
  await service.eventsOnceThereAre(before + count);
}

/** The events of the stream that a filter passes, in order, as the stream has them. */
const eventsAfter = async (cursor: string, filter = '') =>
  (await service.events(`cursor=${cursor}${filter}`)).data;

const endorsersOf = ({ json }: ReceivedMessage): string[] =>
  json.data.events.map(({ endorser }: { endorser: { slug: string } }) => endorser.slug);
const noBatchIsStored = async () => (await client.query('SELECT FROM webhook_batches')).rowCount === 0;
const idsOf = (events: { id: string }[]) => events.map(({ id }) => id);
/** The ids of the events of a message, in order and once. */
const withoutRepeats = (ids: string[]) => [...new Set(ids)];

/** Checks that a receiver got exactly the events of the stream, in order, and that only whole messages were repeated. */
async function expectWholeStream(receiver: Receiver, cursor: string, filter = ''): Promise<void> {
  const expected = idsOf(await eventsAfter(cursor, filter));
  await until(
    'the receiver has every event',
    () => withoutRepeats(receiver.eventIds).length >= expected.length,
  );
  expect(withoutRepeats(receiver.eventIds)).toEqual(expected);
  const bodies = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const { id, body, json } of receiver.messages) {
    expectMessage(json);
    expect(bodies.get(id) ?? body).toBe(body);
    bodies.set(id, body);
    for (const event of json.data.events) {
      expect(owners.get(event.id) ?? id).toBe(id);
      owners.set(event.id, id);
    }
  }
  expect([receiver.mostAtOnce, receiver.unverified]).toEqual([1, 0]);
}

describe('a receiver', () => {
  test('gets a signed message with a single event at once, exactly as the stream has it', async () => {
    await startDeliverer({ timeoutMs: 15_000 });
    const receiver = await startReceiver();
    const id = await createWebhook(receiver);
    const { cursor } = await read(id);
    await until(
      'the webhook has a process',
      async () => (await client.query('SELECT FROM webhooks WHERE deliverer_id IS NOT NULL')).rowCount === 1,
    );
    await change(1);
    await until('the message', () => receiver.accepted.length === 1);
    const [message] = receiver.messages as [ReceivedMessage];
    const [event] = await eventsAfter(cursor);
    expect(message.json).toEqual({
      type: 'endorsements.changed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { events: [event], cursor: expect.any(String) },
    });
    expect(message.headers).toMatchObject({
      ...{ 'content-type': 'application/json', 'user-agent': 'Ballot-Endorsements-Webhooks/1' },
      ...{
        'webhook-id': expect.stringMatching(/^msg_/),
        'content-length': String(Buffer.byteLength(message.body)),
      },
    });
    expect(message.headers).not.toHaveProperty('cookie');
    expect(await eventsAfter(message.json.data.cursor)).toEqual([]);
    await until('the position has moved', async () => (await read(id)).cursor === message.json.data.cursor);
    expect(await read(id)).toMatchObject({
      ...{ state: 'active', attempts: 1, delivered_batches: 1, delivered_events: 1, failures: 0 },
      last_attempt: {
        ...{ message_id: message.id, outcome: 'delivered', status: 204, events: 1, is_test: false },
      },
    });
    await change(1);
    await until('the second message', () => receiver.accepted.length === 2);
    expect(receiver.messages[1]?.json.data.events).toHaveLength(1);
    await expectWholeStream(receiver, cursor);
  });

  test('that is behind gets batches of at most 100 events', async () => {
    const receiver = await startReceiver();
    const id = await createWebhook(receiver);
    const { cursor } = await read(id);
    await change(250);
    await startDeliverer();
    await expectWholeStream(receiver, cursor);
    expect(receiver.messages.map(({ json }) => json.data.events.length)).toEqual([100, 100, 50]);
  });

  test('with a filter gets the events that pass it, in order for each endorser', async () => {
    const receiver = await startReceiver();
    const id = await createWebhook(receiver, { filter: { endorsers: ['coast-gazette'] } });
    const { cursor } = await read(id);
    await change(30);
    await startDeliverer();
    await change(30);
    await expectWholeStream(receiver, cursor, '&endorsers=coast-gazette');
    expect(receiver.eventIds).toHaveLength(20);
  });

  /** Answers like a bad receiver at first, in turn, and then well. */
  const flaky =
    (bad: Answering, often = 3): Answering =>
    (response, message, before) => {
      if (before % (often + 1) < often) return bad(response, message, before);
      response.writeHead(200).end('thanks');
    };
  /** Fails at random, but at most three times in a row: the waits grow to minutes. */
  const atRandom = (): Answering => {
    let failed = 0;
    return (response) => {
      failed = failed < 3 && Math.random() < 0.5 ? failed + 1 : 0;
      response.writeHead(failed > 0 ? 500 : 200).end('oh');
    };
  };
  const BEHAVIOURS: [string, Answering][] = [
    ['answers slowly', (response) => void setTimeout(() => response.writeHead(204).end(), 300)],
    ['answers 500 at random', atRandom()],
    ['sends garbage', flaky((response) => void response.socket?.end('garbage\r\n\r\n'))],
    ['cuts connections before an answer', flaky((response) => void response.socket?.destroy(), 2)],
    [
      'cuts connections in the middle of an answer',
      flaky((response) => {
        response.writeHead(200, { 'Content-Length': '1000' }).write('half');
        setTimeout(() => response.socket?.destroy(), 20);
      }, 2),
    ],
    ['answers after the timeout', flaky((response) => void setTimeout(() => response.end(), 1300), 1)],
    ['answers too much', flaky((response) => void response.end(Buffer.alloc(100 * 1024)), 2)],
    ['redirects', flaky((response) => void response.writeHead(307, { Location: '/elsewhere' }).end(), 2)],
  ];

  test('gets exactly the events of the stream, however badly it answers', async () => {
    const all = await Promise.all(
      BEHAVIOURS.map(async ([, answering]) => {
        const receiver = await startReceiver(answering);
        return { receiver, id: await createWebhook(receiver) };
      }),
    );
    const never = await startReceiver(() => {});
    const neverId = await createWebhook(never);
    const { cursor } = await read(neverId);
    await startDeliverer();
    for (let round = 0; round < 3; round += 1) {
      await change(40);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const [index, { receiver }] of all.entries()) {
      await expectWholeStream(receiver, cursor).catch((cause) => {
        throw new Error(`A receiver that ${BEHAVIOURS[index]?.[0]}: ${cause.message}`, { cause });
      });
    }
    // One that never answers holds up nobody, and gets everything once it answers.
    expect(never.accepted).toHaveLength(0);
    expect(await read(neverId)).toMatchObject({ state: 'failing', last_attempt: { outcome: 'timed_out' } });
    never.answering = (response) => void response.writeHead(204).end();
    await service.send('POST', `${PATH}/${neverId}/resume`, {});
    await expectWholeStream(never, cursor);
    for (const { receiver } of all) expect(receiver.messages.every(({ headers }) => headers.host)).toBe(true);
  });
});

describe('a webhook', () => {
  test('that is refused fails, is repeated with the same id and bytes, and recovers', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(503).end('later'));
    const id = await createWebhook(receiver);
    await startDeliverer();
    await change(2);
    await until('three attempts', () => receiver.messages.length >= 3);
    const failing = await read(id);
    expect(failing).toMatchObject({
      state: 'failing',
      reason: null,
      last_attempt: { outcome: 'refused', answer: 'later' },
    });
    expect(failing.failures).toBeGreaterThanOrEqual(2);
    expect(Date.parse(failing.next_attempt_at)).toBeGreaterThan(
      Date.parse(failing.last_attempt.attempted_at),
    );
    // Changes made meanwhile do not change the batch.
    await change(3);
    receiver.answering = (response) => void response.writeHead(200).end();
    await until('everything', () => receiver.eventIds.length === 5);
    expect(new Set(receiver.messages.map(({ id: message }) => message)).size).toBe(2);
    await until('it is active', async () => (await read(id)).state === 'active');
    expect(await read(id)).toMatchObject({ failures: 0, failing_since: null, next_attempt_at: null });
  });

  test('of a receiver that answers 410 is disabled, gets nothing more, and is resumed where it stood', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(410).end());
    const id = await createWebhook(receiver);
    await startDeliverer();
    await change(1);
    await until('it is disabled', async () => (await read(id)).state === 'disabled');
    expect(await read(id)).toMatchObject({ reason: 'receiver_gone', failures: 1 });
    await change(1);
    receiver.answering = (response) => void response.writeHead(200).end();
    await service.send('POST', `${PATH}/${id}/resume`, {});
    await until('both events', () => receiver.eventIds.length === 2);
    expect(receiver.messages).toHaveLength(3);
    expect(receiver.messages[0]?.id).toBe(receiver.messages[1]?.id);
  });

  test('that the service disables is told to the operator once, with the people of its account', async () => {
    const notices: unknown[] = [];
    let answers = 0;
    const mail = http.createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      answers += 1;
      // The first one is refused, and comes again.
      if (answers > 1) notices.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(answers > 1 ? 202 : 500).end();
    });
    const port = await listen(mail);
    await client.query(
      `WITH person AS (INSERT INTO people (issuer, subject, email, name) VALUES ('i', 's', 'ann@example.org', 'Ann') RETURNING id)
       INSERT INTO account_members (person_id, account_id, role)
       SELECT person.id, a.id, 'owner' FROM person, accounts a WHERE a.name = 'test'`,
    );
    const receiver = await startReceiver((response) => void response.writeHead(410).end());
    const id = await createWebhook(receiver);
    await startDeliverer({ env: { ...WEBHOOK_ENV, WEBHOOK_NOTICE_URL: `http://127.0.0.1:${port}/notices` } });
    await change(1);
    await until('the notice', () => notices.length > 0);
    const { name, url } = await read(id);
    expect(notices).toEqual([
      {
        ...{ type: 'webhook.disabled', account: 'test', people: ['ann@example.org'] },
        webhook: { id, name, url, reason: 'receiver_gone' },
      },
    ]);
    await until(
      'it is noted',
      async () => (await client.query('SELECT FROM webhooks WHERE notice_due')).rowCount === 0,
    );
    mail.closeAllConnections();
    mail.close();
  });

  test('follows changes of its address, its filter and its subscription', async () => {
    const [first, second] = [await startReceiver(), await startReceiver()] as const;
    const saved = await service.send('POST', '/v1/subscriptions', {
      name: `s${made}`,
      filter: { states: ['CA'] },
    });
    const { id: subscription } = saved.body.data;
    const id = await createWebhook(first, { subscription });
    const { cursor: beginning } = await read(id);
    second.secret = first.secret;
    await startDeliverer();
    await change(1);
    await service.send('PUT', `/v1/subscriptions/${subscription}`, {
      name: `s${made}`,
      filter: { states: ['OR'] },
    });
    await until('the changed subscription counts', async () => {
      await change(1);
      return first.accepted.length > 0;
    });
    // A message under way keeps its events, and would go to the new address with them.
    const newest = idsOf(await eventsAfter(beginning)).at(-1) as string;
    await until(
      'nothing is under way',
      async () => first.eventIds.includes(newest) && (await noBatchIsStored()),
    );
    await service.send('PUT', `${PATH}/${id}`, {
      name: `moved${made}`,
      url: second.url,
      filter: { endorsers: ['coast-gazette'] },
    });
    const seen = first.messages.length;
    await until('the new address gets its events', async () => {
      await change(1, 'coast-gazette');
      return second.accepted.length > 0;
    });
    const at = first.messages.length;
    await change(3);
    await until('one more', () => second.eventIds.length > 1);
    expect(first.messages.length).toBe(at);
    expect(at - seen).toBeLessThanOrEqual(5);
    expect(new Set(second.accepted.flatMap(endorsersOf))).toEqual(new Set(['coast-gazette']));
  });

  test('sends a message under way to its new address, with the same id and events', async () => {
    const first = await startReceiver((response) => void response.writeHead(503).end());
    const second = await startReceiver();
    const id = await createWebhook(first);
    second.secret = first.secret;
    await startDeliverer();
    await change(1, 'bakers-local-1');
    await until('the first attempt is noted', async () => (await read(id)).failures > 0);
    await service.send('PUT', `${PATH}/${id}`, {
      name: `moved${made}`,
      url: second.url,
      filter: { endorsers: ['coast-gazette'] },
    });
    await change(1, 'coast-gazette');
    await change(1, 'bakers-local-1');
    await until('both messages', () => second.accepted.length === 2);
    const [begun, next] = second.accepted as [ReceivedMessage, ReceivedMessage];
    expect([begun.id, begun.body]).toEqual([first.messages[0]?.id, first.messages[0]?.body]);
    expect(endorsersOf(begun)).toEqual(['bakers-local-1']);
    expect(endorsersOf(next)).toEqual(['coast-gazette']);
  });

  test('that only gets another name keeps the answer to a message under way', async () => {
    const renamed = Promise.withResolvers<void>();
    const receiver = await startReceiver(async (response) => {
      await renamed.promise;
      response.writeHead(204).end();
    });
    const id = await createWebhook(receiver);
    await startDeliverer({ timeoutMs: 15_000 });
    await change(1);
    await until('the first message', () => receiver.messages.length === 1);
    const values = { name: `renamed${made}`, url: receiver.url };
    expect((await service.send('PUT', `${PATH}/${id}`, values)).status).toBe(200);
    renamed.resolve();
    await change(1);
    await until('two messages are accepted', () => receiver.accepted.length >= 2);
    const ids = receiver.messages.map((message) => message.id);
    expect(ids).toEqual(withoutRepeats(ids));
  });

  test('whose process stops keeps the answer to a message under way', async () => {
    const stopping = Promise.withResolvers<void>();
    const receiver = await startReceiver(async (response) => {
      await stopping.promise;
      response.writeHead(204).end();
    });
    const id = await createWebhook(receiver);
    const deliverer = await startDeliverer({ timeoutMs: 15_000 });
    await change(1);
    await until('the message', () => receiver.messages.length === 1);
    const stopped = deliverer.stop();
    stopping.resolve();
    await stopped;
    deliverers = [];
    expect(await read(id)).toMatchObject({ attempts: 1, delivered_batches: 1 });
  });

  test('gets nothing while its account is suspended or after it is deleted, and continues without a gap', async () => {
    const [receiver, gone] = [await startReceiver(), await startReceiver()] as const;
    const id = await createWebhook(receiver);
    const deleted = await createWebhook(gone);
    const { cursor } = await read(id);
    await startDeliverer();
    await change(1);
    await until('the first', () => receiver.accepted.length === 1 && gone.accepted.length === 1);
    const witness = await startReceiver();
    const key = await service.createKey('witness', 'internal');
    const headers = { Authorization: `Bearer ${key}` };
    const seen = await service.send('POST', PATH, { name: 'Witness', url: witness.url }, { headers });
    expect(seen.status).toBe(201);
    const untilHeld = (count: number) =>
      until(`${count} are delivered`, async () => (await metricValue('webhooks_held')) === count);
    await untilHeld(3);
    await service.send('DELETE', `${PATH}/${deleted}`);
    await untilHeld(2);
    await client.query("UPDATE accounts SET suspended_at = now() WHERE name = 'test'");
    await untilHeld(1);
    await service.submit([endorse('coast-gazette', 'council', 'ann', { statement: 'While suspended' })]);
    await until('the witness has it', () => witness.accepted.length === 1);
    expect([receiver.messages.length, gone.messages.length]).toEqual([1, 1]);
    await client.query("UPDATE accounts SET suspended_at = NULL WHERE name = 'test'");
    await until('the key works again', async () => (await service.get(PATH)).status === 200);
    await expectWholeStream(receiver, cursor);
    expect(gone.messages).toHaveLength(1);
  });

  test('moves past changes that do not match, so that they are not read again', async () => {
    const receiver = await startReceiver();
    const id = await createWebhook(receiver, { filter: { endorsers: ['nation-herald'] } });
    const everything = await startReceiver();
    await createWebhook(everything);
    const deliverer = await startDeliverer();
    await change(20, 'bakers-local-1');
    await until('the deliverer has read them', () => everything.eventIds.length === 20);
    await deliverer.stop();
    deliverers = [];
    expect(parseCursor((await read(id)).cursor).sequence).toBe(await service.latestSequence());
    expect(receiver.messages).toHaveLength(0);
  });

  test('whose events are no longer kept is disabled, and says so', async () => {
    const receiver = await startReceiver();
    const id = await createWebhook(receiver);
    const cursor = parseCursor((await read(id)).cursor);
    await client.query('UPDATE webhooks SET cursor = $1', [
      formatCursor({ ...cursor, time: cursor.time - MONTH_MS }),
    ]);
    await change(1);
    await startDeliverer();
    await until('it is disabled', async () => (await read(id)).state === 'disabled');
    expect(await read(id)).toMatchObject({ reason: 'position_expired' });
    const other = await createWebhook(receiver);
    const present = parseCursor((await read(other)).cursor);
    await client.query('UPDATE webhooks SET cursor = $1, revision = revision + 1 WHERE id = $2', [
      formatCursor({ ...present, epoch: present.epoch + 1 }),
      other,
    ]);
    await until('the other one too', async () => (await read(other)).state === 'disabled');
    expect(receiver.messages).toHaveLength(0);
  });

  test('that fails for as long as its events are kept is disabled', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(500).end());
    const id = await createWebhook(receiver);
    await change(1);
    await startDeliverer();
    await until('it fails', async () => (await read(id)).state === 'failing');
    const cursor = parseCursor((await read(id)).cursor);
    await client.query('UPDATE webhooks SET cursor = $1, revision = revision + 1', [
      formatCursor({ ...cursor, time: cursor.time - MONTH_MS }),
    ]);
    await until('it is disabled', async () => (await read(id)).state === 'disabled');
    expect(await read(id)).toMatchObject({ reason: 'receiver_failed' });
  });

  test('signs with both secrets after a rotation', async () => {
    const [old, fresh] = [await startReceiver(), await startReceiver()] as const;
    const id = await createWebhook(old);
    const rotated = await service.send('POST', `${PATH}/${id}/secret`);
    await startDeliverer();
    await change(1);
    await until('the receiver with the old secret accepts it', () => old.accepted.length === 1);
    expect(old.messages[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    fresh.secret = rotated.body.data.secret;
    await service.send('PUT', `${PATH}/${id}`, { name: `fresh${made}`, url: fresh.url });
    await change(1);
    await until('and so does one with the new', () => old.accepted.length + fresh.accepted.length >= 2);
  });

  test('with a secret that cannot be opened says so, and sends nothing', async () => {
    const receiver = await startReceiver();
    const id = await createWebhook(receiver);
    await startDeliverer({
      env: { WEBHOOK_SECRET_KEY: Buffer.alloc(32, 8).toString('base64'), ALLOW_PRIVATE_WEBHOOKS: '1' },
    });
    await change(1);
    await until('it fails', async () => (await read(id)).last_attempt?.outcome === 'not_signed');
    expect(receiver.messages).toHaveLength(0);
  });
});

test('a deliverer is ready without a webhook, and follows the stream once the first one is made', async () => {
  const start = jest.spyOn(Feed.prototype, 'start');
  await startDeliverer();
  expect(start).not.toHaveBeenCalled();
  for (let round = 0; round < 2; round += 1) {
    const receiver = await startReceiver();
    const id = await createWebhook(receiver);
    const { cursor } = await read(id);
    await change(1);
    await expectWholeStream(receiver, cursor);
    await service.send('DELETE', `${PATH}/${id}`);
  }
  expect(start).toHaveBeenCalledTimes(1);
  start.mockRestore();
});

describe('several deliverers', () => {
  const holders = async () => {
    const { rows } = await client.query(
      'SELECT deliverer_id AS id, count(*)::int AS held FROM webhooks GROUP BY 1 ORDER BY 2',
    );
    return rows.filter(({ id }) => id !== null).map(({ held }) => held);
  };

  test('share the webhooks, each in one place at a time, and take over those of one that stops', async () => {
    const all = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const receiver = await startReceiver(
          (response) => void setTimeout(() => response.writeHead(204).end(), 5),
        );
        return { receiver, id: await createWebhook(receiver) };
      }),
    );
    const { cursor } = await read(all[0]?.id ?? 0);
    await startDeliverer();
    await until('one holds all', async () => (await holders()).join() === '6');
    const busy = (async () => {
      for (let round = 0; round < 12; round += 1) await change(10);
    })();
    const second = await startDeliverer();
    await until('two share', async () => (await holders()).join() === '3,3');
    await startDeliverer();
    await until('three share', async () => (await holders()).join() === '2,2,2');
    await second.stop();
    deliverers = deliverers.filter((each) => each !== second);
    await until('the others have its webhooks', async () => (await holders()).join() === '3,3');
    await busy;
    for (const { receiver } of all) await expectWholeStream(receiver, cursor);
  });
});
