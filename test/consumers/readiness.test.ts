import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Kafka } from 'kafkajs';
import pg from 'pg';
import { startConsumers } from '../../consumers/consumers.ts';
import { startRelay } from '../../consumers/relay/leader.ts';
import { relayLeader } from '../../consumers/relay/metrics.ts';
import { createKafkaClient } from '../../kafka/client.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { submitAll } from '../../ops/submit/submit-all.ts';
import { submissionCodec } from '../../schemas/submission.ts';
import type { Service, Stoppable } from '../../service/lifecycle.ts';
import { createLog } from '../../service/log.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/catalogue.ts';
import { createTestDatabase, useTestDatabase } from '../helpers/database.ts';
import { createSeverable, type SeverableServer } from '../helpers/severable.ts';
import { endorse } from '../helpers/submissions.ts';
import { createTestTopics, type TestTopics } from '../helpers/topics.ts';
import { until } from '../helpers/until.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

const database = useTestDatabase();
let topics: TestTopics;
let way: SeverableServer;
const started: Stoppable[] = [];

beforeAll(async () => {
  topics = await createTestTopics({ partitions: 2 });
  await loadCatalogue(database.url, SMALL_BALLOT);
  way = await createSeverable(database.url);
});
afterEach(async () => {
  way.mend();
  await Promise.all(started.splice(0).map((service) => service.stop()));
});
afterAll(() => way.close());

/** Starts one role on the way to Postgres that can be cut. */
async function start(role: 'apply' | 'relay'): Promise<Service> {
  const { brokers, prefix: topicPrefix } = topics;
  const service = await startConsumers(
    { databaseUrl: way.url, brokers, topicPrefix, roles: [role], retentionMs: WEEK_MS },
    { now: () => new Date(), log: createLog('consumers', 'silent') },
  );
  started.push(service);
  return service;
}

test('apply is ready while it is a member and its last transaction succeeded', async () => {
  const apply = await start('apply');
  await until('it is ready', () => apply.isReady());
  way.cut();
  const { brokers, prefix } = topics;
  const submissions = [endorse('bakers-local-1', 'mayor', 'ann')];
  await submitAll({ brokers, topic: topicNames(prefix).submissions, submissions });
  await until('it is not', () => !apply.isReady());
  way.mend();
  await until('it is ready again', () => apply.isReady());
  await apply.stop();
  started.pop();
  expect(apply.isReady()).toBe(false);
});

/** Joins the group of apply. Members are given partitions in the order of their names, the first of them partition 0. */
async function joinApply(clientId: string): Promise<void> {
  const { brokers, prefix } = topics;
  const kafka = createKafkaClient({ brokers, clientId });
  const member = kafka.consumer({ groupId: `${prefix}endorsement-apply` });
  started.push({ stop: () => member.disconnect() });
  await member.connect();
  await member.subscribe({ topic: topicNames(prefix).submissions });
  await member.run({ eachBatch: async () => {} });
}

/** Makes apply fail with partition 0, for as long as Postgres is away. */
async function startFailing(): Promise<Service> {
  const apply = await start('apply');
  await until('it is ready', () => apply.isReady());
  way.cut();
  const producer = createKafkaClient({ brokers: topics.brokers, clientId: 'test' }).producer();
  await producer.connect();
  const value = submissionCodec.encode(endorse('bakers-local-1', 'mayor', 'ann'));
  await producer.send({ topic: topicNames(topics.prefix).submissions, messages: [{ value, partition: 0 }] });
  await producer.disconnect();
  await until('it is not', () => !apply.isReady());
  return apply;
}

test('apply that fails is not taken for ready because its group forms anew', async () => {
  const apply = await startFailing();
  let joined = false;
  const joining = joinApply('z-after-it').finally(() => {
    joined = true;
  });
  const seen = new Set<boolean>();
  await until('another member is there', () => {
    seen.add(apply.isReady());
    return joined;
  });
  await joining;
  expect([...seen]).toEqual([false]);
  way.mend();
  await until('it is ready again', () => apply.isReady());
});

test('apply does not fail any more with what another member has to apply now', async () => {
  const apply = await startFailing();
  await joinApply('a-before-it');
  await until('it is ready', () => apply.isReady());
});

test('a relay is ready while it leads or stands by, and not while Postgres is away', async () => {
  const relays = [await start('relay'), await start('relay')];
  const areReady = () => relays.map((relay) => relay.isReady());
  await until('both are ready', () => areReady().every(Boolean));
  way.cut();
  await until('neither is', () => !areReady().some(Boolean));
  way.mend();
  await until('both are ready again', () => areReady().every(Boolean));
});

/** Nobody listens there. */
const NOWHERE = ['127.0.0.1:1'];
/** Gives up after about half a second: long enough for the other relay to stand by, and short enough to see turns. */
const impatient = (brokers: string[]) => createKafkaClient({ brokers, clientId: 'test', retries: 2 });

/** Starts a relay on a store and a Kafka of its own. @returns also how often it was interrupted. */
function startOn(databaseUrl: string, kafka: Kafka, topic: string) {
  let interruptions = 0;
  const write = () => {
    interruptions += 1;
  };
  const log = createLog('consumers', 'warn', { write });
  const now = () => new Date();
  const relay = startRelay({ kafka, databaseUrl, topic, keepMs: WEEK_MS, now, log });
  return { relay, interruptions: () => interruptions };
}

test.each([
  ['Kafka is away', () => ({ kafka: impatient(NOWHERE), topic: 'changes' })],
  ['the change topic is missing', () => ({ kafka: impatient(topics.brokers), topic: 'nowhere' })],
])('no relay is ready, leading or standing by, while %s', async (_what, place) => {
  const own = await createTestDatabase();
  const { kafka, topic } = place();
  const pair = [startOn(own, kafka, topic), startOn(own, kafka, topic)];
  const seen = new Set<string>();
  await until('both have led in vain, and stood by for the other, twice', async () => {
    const { values } = await relayLeader.get();
    seen.add(`ready: ${pair.some(({ relay }) => relay.isReady())}, leaders: ${values[0]?.value}`);
    return pair.every(({ interruptions }) => interruptions() > 1);
  });
  await Promise.all(pair.map(({ relay }) => relay.stop()));
  expect([...seen]).toEqual(['ready: false, leaders: 0']);
});

test('a change log that somebody reads for long is tidied another time, and the relay goes on', async () => {
  const own = await createTestDatabase();
  const reader = new pg.Client({ connectionString: own });
  await reader.connect();
  await reader.query(`SELECT ensure_change_log_partition('2020-01-01')`);
  await reader.query('BEGIN; SELECT FROM change_log');
  const lines: string[] = [];
  const log = createLog('consumers', 'info', { write: (line) => lines.push(line) });
  const place = { kafka: impatient(topics.brokers), topic: topicNames(topics.prefix).changes };
  const relay = startRelay({ ...place, databaseUrl: own, keepMs: WEEK_MS, now: () => new Date(), log });
  started.push({
    async stop() {
      await relay.stop();
      await reader.end();
    },
  });
  await until('it gives up', () => lines.some((line) => line.includes('is tidied another time')));
  expect(lines.filter((line) => line.includes('interrupted'))).toEqual([]);
  expect(relay.isReady()).toBe(true);
});
