/*
 * Reads from streaming replicas that are slow, cut off, stopped, in conflict and promoted. Clients check that
 * every gateway's answers show everything that they have seen on the stream.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { parseCursor } from '../../schemas/cursor.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { chooseDatabaseUrl } from '../helpers/postgres/database.ts';
import { Primary, type Replica } from '../helpers/postgres/replica.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { type Answer, TestService } from '../helpers/service/service.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';

const GATEWAYS = [0, 1];

let primary: Primary;
let replicas: Replica[];
let service: TestService;
/** The proxies to the replicas: for the gateways, and for the relay. */
let gatewayWays: TcpProxy[];
let relayWays: TcpProxy[];
/** The gateways' proxy to the primary. */
let primaryWay: TcpProxy;
let stream: EventStreamClient;
let paths: string[];

beforeAll(async () => {
  primary = await Primary.start();
  const databaseUrl = chooseDatabaseUrl(primary.server.url);
  replicas = [await primary.addReplica(), await primary.addReplica({ max_standby_streaming_delay: '0' })];
  const urls = replicas.map((replica) => replica.urlOf(databaseUrl));
  gatewayWays = await Promise.all(urls.map(TcpProxy.open));
  relayWays = await Promise.all(urls.map(TcpProxy.open));
  primaryWay = await TcpProxy.open(databaseUrl);
  service = await TestService.start({
    gateways: GATEWAYS.length,
    databaseUrl,
    relayReplicas: relayWays.map(({ url }) => url),
    gatewayConfig: { databaseUrl: primaryWay.url, readDatabaseUrls: gatewayWays.map(({ url }) => url) },
  });
  await service.submit([endorse('nation-herald', 'prop-1', 'no', { statement: 'Round 1.' })]);
  await service.eventsOnceThereAre(1);
  stream = await EventStreamClient.open(service.url('/v1/stream?from=earliest&endorsers=nation-herald'), {
    Authorization: `Bearer ${service.key}`,
  });
  await stream.wait('endorsement', 1);
  const [{ id, contest }] = (await service.get('/v1/endorsements')).body.data;
  paths = [
    '/v1/endorsements?endorsers=nation-herald',
    `/v1/endorsements/${id}`,
    `/v1/contests/${contest.id}`,
    '/v1/recommendations?election=ca-2026-11-03-general',
  ];
});
afterAll(async () => {
  stream.close();
  await service.stop();
  for (const way of [...gatewayWays, ...relayWays, primaryWay]) await way.close();
  await primary.stop();
});

/** The newest round that the client of the stream has seen. */
const seen = () => stream.of('endorsement').length;
const usable = (place: number) =>
  metricValue('replica_usable', { replica: new URL(gatewayWays[place]?.url ?? '').host });
const inUse = (place: number) =>
  metricValue('replica_in_use', { replica: new URL(relayWays[place]?.url ?? '').host });
const readsOf = (place: number) =>
  metricValue('replica_reads_total', { replica: new URL(gatewayWays[place]?.url ?? '').host });

async function untilUsed(...places: number[]): Promise<void> {
  for (const place of places) {
    await until(`replica ${place} is used`, async () => (await inUse(place)) + (await usable(place)) === 2);
  }
}

/** Asks repeatedly, and records answers that lack a change seen before the request. */
class Checker {
  readonly problems: string[] = [];
  answers = 0;
  refusals = 0;
  readonly #done = new AbortController();
  readonly #asking: Promise<void>[];

  constructor() {
    this.#asking = GATEWAYS.flatMap((gateway) => paths.map((path) => this.#ask(path, gateway)));
  }

  async stop(): Promise<void> {
    this.#done.abort();
    await Promise.all(this.#asking);
  }

  async #ask(path: string, gateway: number): Promise<void> {
    while (!this.#done.signal.aborted) {
      const seenBefore = seen();
      const { status, body } = await service.get(path, { gateway });
      if (status === 503) this.refusals += 1;
      else {
        this.answers += 1;
        const shown = Number(/Round (\d+)\./.exec(JSON.stringify(body))?.[1]);
        if (!(shown >= seenBefore)) this.problems.push(`${status} ${path}: ${shown} after ${seenBefore}`);
      }
      await sleep(5);
    }
  }
}

async function change(count = 1): Promise<void> {
  for (let times = 0; times < count; times += 1) {
    const round = seen() + 1;
    await service.submit([endorse('nation-herald', 'prop-1', 'no', { statement: `Round ${round}.` })]);
    await until(`round ${round}`, () => seen() >= round);
  }
}

let checker: Checker;
beforeEach(() => {
  checker = new Checker();
});
afterEach(async () => {
  for (const way of [primaryWay, ...gatewayWays, ...relayWays]) way.mend();
  await checker.stop();
  expect(checker.problems).toEqual([]);
  expect(checker.answers).toBeGreaterThan(0);
});

test('INV-1: reads come from the replicas in turn, and show every change that was seen', async () => {
  await untilUsed(0, 1);
  const before = [await readsOf(0), await readsOf(1)];
  await change(10);
  const io = createIo({
    ...service.env(),
    READ_DATABASE_URLS: `${relayWays[0]?.url},${service.databaseUrl}`,
  });
  await expect(createRunner('doctor')([], io)).rejects.toThrow('failed');
  expect(io.printed.join('\n')).toMatch(/ok +replica +127\.0\.0\.1:\d+ is in use\./);
  expect(io.printed.join('\n')).toMatch(/failed +replica +127\.0\.0\.1:\d+ is not a replica/);
  for (const place of [0, 1]) expect((await readsOf(place)) - (before[place] ?? 0)).toBeGreaterThan(0);
  expect(checker.refusals).toBe(0);
});

test('INV-1: a replica that falls behind is put out of use before a change is announced without it', async () => {
  await untilUsed(0, 1);
  await replicas[0]?.delay('1h');
  await change(3);
  expect([await inUse(0), await usable(0)]).toEqual([0, 0]);
  expect([await inUse(1), await usable(1)]).toEqual([1, 1]);
  await replicas[0]?.delay('0');
  await untilUsed(0);
  await change(2);
  expect(checker.refusals).toBe(0);
});

test('INV-1: a replica that the relay cannot reach is not read, although gateways reach it', async () => {
  await untilUsed(0, 1);
  relayWays[1]?.silence();
  await replicas[1]?.run('SELECT pg_wal_replay_pause()');
  await change(2);
  expect(await usable(1)).toBe(0);
  await replicas[1]?.run('SELECT pg_wal_replay_resume()');
  relayWays[1]?.mend();
  await untilUsed(1);
  expect(checker.refusals).toBe(0);
});

test('a replica that gateways cannot reach costs no request its answer', async () => {
  await untilUsed(0, 1);
  for (const way of gatewayWays) way.sever();
  await change(2);
  await until('the replicas are left', async () => (await usable(0)) + (await usable(1)) === 0);
  await change(2);
  for (const way of gatewayWays) way.mend();
  await untilUsed(0, 1);
  expect(checker.refusals).toBe(0);
});

test('INV-1: a gateway that is cut off from the primary stops reading from a replica that falls behind', async () => {
  await untilUsed(0, 1);
  for (const replica of replicas) await replica.run('SELECT pg_wal_replay_pause()');
  primaryWay.silence();
  await change(2);
  const { answers } = checker;
  await until('reads are refused', () => checker.refusals > 0);
  primaryWay.mend();
  primaryWay.forgetSilenced();
  for (const replica of replicas) await replica.run('SELECT pg_wal_replay_resume()');
  await untilUsed(0, 1);
  await until('reads are answered', () => checker.answers > answers);
});

test('INV-1: reads that a replica cancels are repeated on the primary', async () => {
  await untilUsed(0, 1);
  const repeated = async () =>
    metricValue('replica_reads_repeated_total', { replica: new URL(gatewayWays[1]?.url ?? '').host });
  const before = await repeated();
  await until('a read is cancelled', async () => {
    // Every request asks this table for the version of the data.
    await service.query(
      'DO $$ BEGIN FOR i IN 1..100 LOOP LOCK TABLE data_versions IN ACCESS EXCLUSIVE MODE; COMMIT; END LOOP; END $$',
    );
    return (await repeated()) > before;
  });
  expect(checker.refusals).toBe(0);
});

test('INV-1: a replica that was restarted counts as another one, and is read again', async () => {
  await untilUsed(0, 1);
  await replicas[1]?.stop();
  await change(2);
  await replicas[1]?.start();
  await untilUsed(1);
  await change(2);
  expect(checker.refusals).toBe(0);
});

test('further pages show the same state as the first page from another replica', async () => {
  const list = '/v1/endorsements?limit=1';
  const change = (statement: string) =>
    service.submit([endorse('bakers-local-1', 'mayor', 'ann', { statement })]);
  await change('Before.');
  await until('there are two', async () => (await service.get(list)).body.next_cursor !== null);
  await untilUsed(0, 1);
  const sequenceOf = (answer: Answer) => parseCursor(answer.body.stream_cursor).sequence;
  // The stream may be behind the list.
  const [head] = await service.query('SELECT last_sequence FROM stream_head');
  const before = Number(head?.last_sequence);
  // The change is not announced before this replica shows it, but the other one shows it already.
  await replicas[0]?.run('SELECT pg_wal_replay_pause()');
  await change('After.');
  let first = await service.get(list);
  await until('a first page shows the change', async () => {
    first = await service.get(list);
    return sequenceOf(first) > before;
  });
  for (let times = 0; times < 4; times += 1) {
    const { status, body } = await service.get(`${list}&cursor=${first.body.next_cursor}`);
    expect([status, body.data[0].statement]).toEqual([200, 'After.']);
  }
  await replicas[0]?.run('SELECT pg_wal_replay_resume()');
});

test('INV-1: a promoted replica is never read again', async () => {
  await untilUsed(0, 1);
  const database = new URL(service.databaseUrl).pathname.slice(1);
  await replicas[0]?.run('SELECT pg_promote()');
  // A write in another history, which must stay invisible.
  await replicas[0]?.runOn(
    database,
    `UPDATE endorsements SET statement = 'Round 0.'`,
    'UPDATE stream_head SET last_sequence = last_sequence + 1000',
  );
  await change(2);
  expect([await inUse(0), await usable(0)]).toEqual([0, 0]);
  const reads = await readsOf(0);
  await change(2);
  expect(await readsOf(0)).toBe(reads);
  expect(checker.refusals).toBe(0);
});
