import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { withAdmin } from '../../kafka/admin.ts';
import { readTopic } from '../../kafka/read-topic.ts';
import { openProducer } from '../../kafka/submissions-producer.ts';
import { TopicReader } from '../../kafka/topic-reader.ts';
import { startKafka } from '../../ops/local/servers/kafka/broker.ts';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import type { KafkaServer } from '../../ops/local/servers/server.ts';
import { type Brokers, plaintextBrokers } from '../../service/brokers.ts';
import { securedTest as test } from '../helpers/secured-test.ts';
import { createTopic } from '../helpers/topics.ts';
import { until } from '../helpers/until.ts';

const TOPIC = 'nearby';
const LIMITS = { maxWaitMs: 100, partitionMaxBytes: 1024 * 1024 };
const SELECTOR = {
  'replica.selector.class': 'org.apache.kafka.common.replica.RackAwareReplicaSelector',
};
let dir: string;
/** The leader of the topic, which is in rack a, and another broker in rack b. */
let leader: KafkaServer;
let follower: KafkaServer;
/** Both, as a process in rack b reaches them. */
let brokers: Brokers;

beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-nearby-'));
  leader = await startKafka({
    dir: path.join(dir, 'leader'),
    overrides: { ...SELECTOR, 'broker.rack': 'a' },
  });
  const properties = await readFile(path.join(dir, 'leader', 'server.properties'), 'utf8');
  const port = await findFreePort();
  follower = await startKafka({
    dir: path.join(dir, 'follower'),
    port,
    clusterId: (await readFile(path.join(dir, 'leader', 'formatted'), 'utf8')).trim(),
    overrides: {
      ...SELECTOR,
      'process.roles': 'broker',
      'node.id': '2',
      'broker.rack': 'b',
      'controller.quorum.voters': /^controller\.quorum\.voters=(.*)$/m.exec(properties)?.[1] ?? '',
      listeners: `PLAINTEXT://127.0.0.1:${port}`,
    },
  });
  const addresses = [...leader.brokers.addresses, ...follower.brokers.addresses];
  brokers = { ...plaintextBrokers(addresses), rack: 'b' };
  await withAdmin(leader.brokers, async (admin) => {
    await until('both brokers', async () => (await admin.describeCluster()).brokers.length === 2);
    await createTopic(admin, { topic: TOPIC, replicaAssignment: [{ partition: 0, replicas: [1, 2] }] });
  });
}, 60_000);
afterAll(async () => {
  await follower.stop();
  await leader.stop();
  await rm(dir, { recursive: true, force: true });
});

async function send(...values: string[]): Promise<void> {
  const producer = await openProducer(leader.brokers, TOPIC);
  await producer.send(values.map((value) => ({ key: 'k', value: Buffer.from(value) })));
  await producer.close();
}

/** Reads on until a record has this value. @returns the values, and the brokers that they came from */
async function readTo(reader: TopicReader, from: number, last: string) {
  const values: string[] = [];
  const nodes = new Set<number>();
  let offset = from;
  await until(last, async () => {
    const [node = -1] = await reader.sources();
    const reads = await reader.fetch(node, new Map([[0, offset]]), LIMITS).catch(() => []);
    for (const { records, nextOffset } of reads) {
      if (records.length > 0) nodes.add(node);
      values.push(...records.map(({ value }) => String(value)));
      offset = nextOffset;
    }
    return values.includes(last);
  });
  return { values, nodes: [...nodes], offset };
}

test('a reader reads from the replica in its own rack, and from the leader once that is gone', async () => {
  await send('one', 'two');
  const far = new TopicReader({ brokers: leader.brokers, topic: TOPIC, clientId: 'far' });
  expect(await readTo(far, 0, 'two')).toMatchObject({ values: ['one', 'two'], nodes: [1] });
  await far.close();

  const near = new TopicReader({ brokers, topic: TOPIC, clientId: 'near' });
  const first = await readTo(near, 0, 'two');
  expect(first).toMatchObject({ values: ['one', 'two'], nodes: [2] });
  expect(await near.sources()).toEqual([2]);
  await send('three');
  const second = await readTo(near, first.offset, 'three');
  expect(second).toMatchObject({ values: ['three'], nodes: [2] });

  const whole: string[] = [];
  for await (const { records } of readTopic({ brokers, topic: TOPIC, clientId: 'whole' })) {
    whole.push(...records.map(({ value }) => String(value)));
  }
  expect(whole).toEqual(['one', 'two', 'three']);

  await follower.stop();
  await send('four');
  expect(await readTo(near, second.offset, 'four')).toMatchObject({ values: ['four'], nodes: [1] });
  await near.close();
}, 60_000);
