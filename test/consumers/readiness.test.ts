import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startConsumers } from '../../consumers/consumers.ts';
import { submitAll } from '../../ops/submit/submit-all.ts';
import { topicNames } from '../../schemas/topics.ts';
import type { Service } from '../../service/lifecycle.ts';
import { createLog } from '../../service/log.ts';
import { endorse, loadCatalogue, SMALL_BALLOT } from '../helpers/catalogue.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { createSeverable, type SeverableServer } from '../helpers/severable.ts';
import { createTestTopics, type TestTopics } from '../helpers/topics.ts';
import { until } from '../helpers/until.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

let database: TestDatabase;
let topics: TestTopics;
let way: SeverableServer;
const started: Service[] = [];

beforeAll(async () => {
  [database, topics] = await Promise.all([createTestDatabase(), createTestTopics({ partitions: 2 })]);
  await loadCatalogue(database.url, SMALL_BALLOT);
  way = await createSeverable(database.url);
});
afterAll(async () => {
  way.mend();
  await Promise.all(started.map((service) => service.stop()));
  await way.close();
  await database.drop();
});

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

test('a relay is ready while it leads or stands by, and not while Postgres is away', async () => {
  const relays = [await start('relay'), await start('relay')];
  const areReady = () => relays.map((relay) => relay.isReady());
  await until('both are ready', () => areReady().every(Boolean));
  way.cut();
  await until('neither is', () => !areReady().some(Boolean));
  way.mend();
  await until('both are ready again', () => areReady().every(Boolean));
});
