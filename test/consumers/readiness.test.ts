import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { appliedSubmissions } from '../../consumers/apply/metrics.ts';
import { startConsumers } from '../../consumers/consumers.ts';
import { startRelay } from '../../consumers/relay/leader.ts';
import { relayedSequence, relayLeader } from '../../consumers/relay/metrics.ts';
import { replicaLag } from '../../consumers/relay/replicas/metrics.ts';
import { createKafkaClient } from '../../kafka/connection/client.ts';
import { GroupOffsets } from '../../kafka/reading/group-offsets.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { submitAll } from '../../ops/submit/submit-all.ts';
import { type Brokers, plaintextBrokers } from '../../service/brokers.ts';
import { KafkaUnavailableError } from '../../service/failure.ts';
import type { Service, Stoppable } from '../../service/lifecycle.ts';
import { createLog } from '../../service/log.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { createTestTopics, type TestTopics } from '../helpers/kafka/topics.ts';
import { createTestDatabase, useTestDatabase } from '../helpers/postgres/database.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { until } from '../helpers/until.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

const database = useTestDatabase();
let topics: TestTopics;
let way: TcpProxy;
const started: Stoppable[] = [];

beforeAll(async () => {
  topics = await createTestTopics({ partitions: 2 });
  await loadCatalogue(database.url, SMALL_BALLOT);
  way = await TcpProxy.open(database.url);
});
afterEach(async () => {
  jest.restoreAllMocks();
  way.mend();
  await Promise.all(started.splice(0).map((service) => service.stop()));
});
afterAll(() => way.close());

/** Starts one role behind a proxy to Postgres that can be cut. */
async function start(
  role: 'apply' | 'relay',
  { topicPrefix = topics.prefix, log = createLog('consumers', 'silent') } = {},
): Promise<Service> {
  const { brokers } = topics;
  const service = await startConsumers(
    { databaseUrl: way.url, brokers, topicPrefix, roles: [role], retentionMs: WEEK_MS },
    { log },
  );
  started.push(service);
  return service;
}

test.each(['apply', 'relay'] as const)(
  '%s is ready while it leads or stands by, and not while Postgres is away',
  async (role) => {
    const pair = [await start(role), await start(role)];
    const areReady = () => pair.map((service) => service.isReady());
    await until('both are ready', () => areReady().every(Boolean));
    way.sever();
    await until('neither is', () => !areReady().some(Boolean));
    way.mend();
    await until('both are ready again', () => areReady().every(Boolean));
    await Promise.all(pair.map((service) => service.stop()));
    started.splice(0);
    expect(areReady()).toEqual([false, false]);
  },
);

test.each(['apply', 'relay'] as const)(
  '%s does not stand by if it could not lead: it logs the missing topic, and is not ready',
  async (role) => {
    const leader = await start(role);
    await until('it leads', () => leader.isReady());
    const { log, lines } = captureLog('warn');
    const wrong = await start(role, { topicPrefix: 'wrong-', log });
    const reported = /There is no topic wrong-endorsement-changes: .* unless TOPIC_PREFIX is wrong/;
    await until('it is reported', () => lines.some(({ msg }) => reported.test(msg)));
    expect([leader.isReady(), wrong.isReady()]).toEqual([true, false]);
  },
);

test('apply is not ready while no broker answers its fetches, although it leads', async () => {
  const { fetch } = TopicReader.prototype;
  let attempts = 0;
  jest.spyOn(TopicReader.prototype, 'fetch').mockImplementation(async function (this: TopicReader, ...given) {
    // The leader first reads the end of the changes topic, without a wait.
    if (given[2].maxWaitMs === 0) return fetch.apply(this, given);
    attempts += 1;
    throw new KafkaUnavailableError('no broker');
  });
  const apply = await start('apply');
  // An attempt follows every 300 ms, and a round without submissions takes a second.
  await until('rounds without submissions are over', () => attempts > 6);
  expect(apply.isReady()).toBe(false);
  jest.restoreAllMocks();
  await until('it is ready', () => apply.isReady());
});

test('a stand-by applies new submissions after the leader has stopped', async () => {
  const [leader, standBy] = [await start('apply'), await start('apply')];
  await until('both are ready', () => leader.isReady() && standBy.isReady());
  await leader.stop();
  started.shift();
  const { brokers, prefix } = topics;
  const submissions = [endorse('bakers-local-1', 'mayor', 'ann')];
  await submitAll({ brokers, topic: topicNames(prefix).submissions, submissions });
  await until('it is applied', async () => {
    const { rows } = await database.client.query('SELECT FROM endorsements');
    return rows.length === 1;
  });
});

/** Starts apply, and lets a submission wait for the lock of the stream. @returns the session that holds it */
async function startWaiting(pick: string): Promise<pg.Client> {
  await start('apply');
  await until('it leads', async () => (await metricValue('apply_leader')) === 1);
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN; SELECT FROM stream_head FOR UPDATE');
  const submissions = [endorse('nation-herald', 'mayor', pick)];
  await submitAll({ brokers: topics.brokers, topic: topicNames(topics.prefix).submissions, submissions });
  await until('it waits', async () => (await metricValue('submissions_oldest_waiting_seconds')) > 0);
  return holder;
}

test('submissions are seen to wait while another session holds the lock of the stream', async () => {
  const holder = await startWaiting('ann');
  await holder.query('COMMIT');
  await until('it is applied', async () => (await metricValue('submissions_oldest_waiting_seconds')) === 0);
  await holder.end();
});

test('the offsets of the consumer group are committed at the start, and again after a failure', async () => {
  const commit = jest.spyOn(GroupOffsets.prototype, 'commit');
  commit.mockRejectedValueOnce(new KafkaUnavailableError('no broker'));
  await start('apply');
  await until('the second attempt', () => commit.mock.calls.length === 2);
  const [first, second] = commit.mock.calls.map(([offsets]) => [...offsets]);
  expect(second).toEqual(first);
  await commit.mock.results[1]?.value;
});

test('offsets that are reached during a commit to the group are committed after it', async () => {
  const commit = jest.spyOn(GroupOffsets.prototype, 'commit');
  await start('apply');
  await until('the commit at the start', () => commit.mock.results.length === 1);
  await commit.mock.results[0]?.value;
  const held = Promise.withResolvers<void>();
  commit.mockClear().mockReturnValueOnce(held.promise);
  const { brokers, prefix } = topics;
  const countApplied = async () => (await appliedSubmissions.get()).values[0]?.value ?? 0;
  const submit = async (contest: string, choice: string) => {
    const before = await countApplied();
    const submissions = [endorse('coast-gazette', contest, choice)];
    await submitAll({ brokers, topic: topicNames(prefix).submissions, submissions });
    await until('it is applied', async () => (await countApplied()) > before);
  };
  const startedAt = performance.now();
  const time = jest.spyOn(performance, 'now').mockReturnValue(startedAt + 1000);
  await submit('mayor', 'bob');
  await until('the first commit', () => commit.mock.calls.length === 1);
  // Another one is due.
  time.mockReturnValue(startedAt + 2000);
  await submit('sheriff', 'cyd');
  await submit('mayor', 'ann');
  expect(commit.mock.calls.length).toBe(1);
  held.resolve();
  await new Promise(setImmediate);
  time.mockRestore();
  await until('the second commit', () => commit.mock.calls.length === 2);
  const [first, second] = commit.mock.calls.map(([offsets]) => Math.max(...offsets.values()));
  expect(second).toBeGreaterThan(first as number);
  await commit.mock.results[1]?.value;
});

test('a relay that no longer leads claims no last change, since the next leader may relay a shorter history', async () => {
  await Promise.all([start('apply'), start('relay')]);
  const { brokers, prefix } = topics;
  const submissions = [endorse('nation-herald', 'mayor', 'cyd')];
  await submitAll({ brokers, topic: topicNames(prefix).submissions, submissions });
  const lastChange = () => metricValue('changes_relayed_sequence');
  await until('a change is relayed', async () => (await lastChange()) > 0);
  way.sever();
  await until('the relay has nothing to claim', async () => (await lastChange()) === 0);
});

/** No broker listens there. */
const NOWHERE = plaintextBrokers(['127.0.0.1:1']);
/** Gives up after half a second: long enough for the other relay to stand by, short enough to see turns. */
const impatient = (brokers: Brokers) => createKafkaClient({ brokers, clientId: 'test', retries: 2 });

/** Starts a relay with these servers. @returns also the number of its interruptions */
function startOn(databaseUrl: string, brokers: Brokers, topicPrefix: string) {
  let interruptions = 0;
  const write = (line: string) => {
    if (line.includes('was interrupted')) interruptions += 1;
  };
  // Interruptions after the first are logged at this level.
  const log = createLog('consumers', 'debug', { write });
  const relay = startRelay({ brokers, databaseUrl, topicPrefix, retentionMs: WEEK_MS, log });
  return { relay, interruptions: () => interruptions };
}

test.each([
  ['Kafka is away', () => ({ brokers: NOWHERE, topicPrefix: '' })],
  ['the changes topic is missing', () => ({ brokers: topics.brokers, topicPrefix: 'nowhere-' })],
])('no relay is ready, leading or standing by, while %s', async (_what, place) => {
  const own = await createTestDatabase();
  const { brokers, topicPrefix } = place();
  const pair = [startOn(own, brokers, topicPrefix), startOn(own, brokers, topicPrefix)];
  const seen = new Set<string>();
  await until('both have led in vain, and stood by for the other, twice', async () => {
    const { values } = await relayLeader.get();
    seen.add(`ready: ${pair.some(({ relay }) => relay.isReady())}, leaders: ${values[0]?.value}`);
    return pair.every(({ interruptions }) => interruptions() > 1);
  });
  await Promise.all(pair.map(({ relay }) => relay.stop()));
  expect([...seen]).toEqual(['ready: false, leaders: 0']);
});

test('a change log that another session reads is maintained later, and the relay continues', async () => {
  const own = await createTestDatabase();
  const reader = new pg.Client({ connectionString: own });
  await reader.connect();
  await reader.query(`SELECT ensure_change_log_partition('2020-01-01')`);
  await reader.query('BEGIN; SELECT FROM change_log');
  const lines: string[] = [];
  const log = createLog('consumers', 'info', { write: (line) => lines.push(line) });
  // Separate topics, because those of other tests announce changes that this database lacks.
  const { brokers, prefix: topicPrefix } = await createTestTopics({ partitions: 1 });
  const place = { kafka: impatient(brokers), brokers, topicPrefix };
  const relay = startRelay({ ...place, databaseUrl: own, retentionMs: WEEK_MS, log });
  started.push({
    async stop() {
      await relay.stop();
      await reader.end();
    },
  });
  await until('it gives up', () => lines.some((line) => line.includes('its maintenance waits')));
  expect(lines.filter((line) => line.includes('interrupted'))).toEqual([]);
  expect(relay.isReady()).toBe(true);
});

test('INV-15: the change log is maintained although the relay always has more to send, which stays however old it is', async () => {
  const own = await createTestDatabase();
  await loadCatalogue(own, SMALL_BALLOT);
  const client = new pg.Client({ connectionString: own });
  await client.connect();
  const statements = Array.from({ length: 1001 }, (_, index) => `Statement ${index}.`);
  await applySubmissions(
    client,
    ...statements.map((statement) => endorse('nation-herald', 'mayor', 'ann', { statement })),
  );
  await client.query(`SELECT ensure_change_log_partition('2020-01-01')`);
  await client.query(`UPDATE change_log SET occurred_at = '2020-01-01'`);
  await client.end();
  const steps: string[] = [];
  jest.spyOn(relayedSequence, 'set').mockImplementation((...args) => {
    if (args.at(-1) !== 0) steps.push(`relayed up to ${args.at(-1)}`);
  });
  const log = createLog('consumers', 'debug', {
    write: (line) => line.includes('maintained the change log') && steps.push('maintained'),
  });
  const { brokers, prefix: topicPrefix } = await createTestTopics({ partitions: 1 });
  started.push(startRelay({ brokers, topicPrefix, databaseUrl: own, retentionMs: WEEK_MS, log }));
  await until('all is relayed', () => steps.includes('relayed up to 1001'));
  expect(steps).toEqual(['relayed up to 1000', 'maintained', 'relayed up to 1001']);
});

test('a relay that can no longer manage read replicas begins anew, even with nothing to announce, and ends without a lag', async () => {
  const own = await createTestDatabase();
  const { brokers, prefix: topicPrefix } = await createTestTopics({ partitions: 1 });
  const lines: string[] = [];
  const log = createLog('consumers', 'info', { write: (line) => lines.push(line) });
  const place = { brokers, topicPrefix, databaseUrl: own, readDatabaseUrls: [own] };
  const relay = startRelay({ ...place, retentionMs: WEEK_MS, log });
  const killer = new pg.Client({ connectionString: own });
  await killer.connect();
  started.push({
    async stop() {
      await relay.stop();
      await killer.end();
    },
  });
  const count = (text: string) => lines.filter((line) => line.includes(text)).length;
  await until('it leads', () => count('leading the relay') === 1);
  const { rowCount } = await killer.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')`,
  );
  expect(rowCount).toBeGreaterThan(0);
  await until('it leads again', () => count('leading the relay') === 2);
  expect(count('the relay was interrupted')).toBe(1);
  replicaLag.set({ replica: 'db-2:5432' }, 1);
  await relay.stop();
  expect((await replicaLag.get()).values).toEqual([]);
});

test('apply stops although another session holds the lock of the stream', async () => {
  const holder = await startWaiting('bob');
  await Promise.all(started.splice(0).map((service) => service.stop()));
  await holder.end();
});
