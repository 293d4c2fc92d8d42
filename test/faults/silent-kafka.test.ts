/** The service while every broker of Kafka is silent: connections stay open, and no answer comes. */
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { startConsumers } from '../../consumers/consumers.ts';
import { createConfig } from '../../gateway/config.ts';
import { startGateway } from '../../gateway/gateway.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { applyTopics } from '../../kafka/topics/topics.ts';
import { startKafka } from '../../ops/local/servers/kafka/broker.ts';
import type { KafkaServer } from '../../ops/local/servers/server.ts';
import { createLog } from '../../service/log.ts';
import { suspend } from '../helpers/kafka/suspend.ts';
import { createTestDatabase } from '../helpers/postgres/database.ts';
import { securedTest as test } from '../helpers/servers/secured-test.ts';
import { ServerFolder } from '../helpers/servers/server-folder.ts';
import { until } from '../helpers/until.ts';

const PLACE = { topicPrefix: '', retentionMs: 604_800_000 };
const log = createLog('test', 'silent');

let folder: ServerFolder;
let kafka: KafkaServer;
let databaseUrl: string;

beforeAll(async () => {
  folder = await ServerFolder.make('ballot-silent-kafka-');
  kafka = await startKafka({ dir: path.join(folder.dir, 'kafka'), onSpawn: folder.onSpawn });
  databaseUrl = await createTestDatabase();
  await applyTopics({ ...PLACE, brokers: kafka.brokers, changesPartitions: 2 });
});
afterAll(async () => {
  await kafka?.stop();
  await folder?.remove();
});

test('every program stops although no broker answers the requests under way', async () => {
  const { brokers } = kafka;
  const env = {
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: brokers.addresses.join(','),
    PORT: '0',
    DRAIN_MS: '0',
  };
  const gateway = await startGateway(createConfig(env), { log, onNewEpoch: () => {} });
  const consumers = await startConsumers(
    { ...PLACE, databaseUrl, brokers, roles: ['apply', 'relay'] },
    { log },
  );
  await until('all are ready', async () => consumers.isReady() && (await gateway.isReady()));
  const reader = new TopicReader({ brokers, topic: topicNames('').changes, clientId: 'test' });
  const [node = 0] = await reader.sources();
  const limits = { maxWaitMs: 0, partitionMaxBytes: 1024 };
  const fetch = () => reader.fetch(node, new Map([[0, 0]]), limits);
  await fetch();
  const { unanswered } = await suspend(Number(kafka.pid), fetch);
  try {
    // The client itself gives up an answer after half a minute.
    const given = unanswered.catch(() => 'gave up');
    // A leader whose term begins now reads the topic first.
    const late = await startConsumers({ ...PLACE, databaseUrl, brokers, roles: ['apply', 'relay'] }, { log });
    const stopped = Promise.all([gateway, consumers].map((part) => part.stop())).then(() => late.stop());
    expect(await Promise.race([stopped.then(() => 'stopped'), given])).toBe('stopped');
  } finally {
    process.kill(Number(kafka.pid), 'SIGCONT');
    await reader.close();
  }
});
