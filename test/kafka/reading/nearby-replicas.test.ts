import { afterAll, beforeAll, expect } from '@jest/globals';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { readTopic } from '../../../kafka/reading/read-topic.ts';
import { TopicReader } from '../../../kafka/reading/topic-reader.ts';
import { openProducer } from '../../../kafka/writing/submissions-producer.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { createTopic } from '../../helpers/kafka/topics.ts';
import { startTwoBrokers, type TwoBrokers } from '../../helpers/kafka/two-brokers.ts';
import { securedTest as test } from '../../helpers/servers/secured-test.ts';
import { until } from '../../helpers/until.ts';

const TOPIC = 'nearby';
const LIMITS = { maxWaitMs: 100, partitionMaxBytes: 1024 * 1024 };
const SELECTOR = {
  'replica.selector.class': 'org.apache.kafka.common.replica.RackAwareReplicaSelector',
};
/** Two brokers: the leader of the topic in rack a, the other in rack b. */
let cluster: TwoBrokers;
/** The brokers for a process in rack b. */
let brokers: Brokers;

beforeAll(async () => {
  cluster = await startTwoBrokers({
    first: { ...SELECTOR, 'broker.rack': 'a' },
    second: { ...SELECTOR, 'broker.rack': 'b' },
  });
  brokers = { ...cluster.brokers, rack: 'b' };
  await withAdmin(brokers, (admin) =>
    createTopic(admin, { topic: TOPIC, replicaAssignment: [{ partition: 0, replicas: [1, 2] }] }),
  );
});
afterAll(() => cluster.stop());

async function send(...values: string[]): Promise<void> {
  const producer = await openProducer(cluster.first.brokers, TOPIC);
  await producer.send(values.map((value) => ({ key: 'k', value: Buffer.from(value) })));
  await producer.close();
}

/** Reads up to a record with this value. @returns the values, and their brokers */
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

test('a reader reads from the replica in its own rack, and from the leader after it is gone', async () => {
  await send('one', 'two');
  const far = new TopicReader({ brokers: cluster.first.brokers, topic: TOPIC, clientId: 'far' });
  expect(await readTo(far, 0, 'two')).toMatchObject({ values: ['one', 'two'], nodes: [1] });
  await far.close();

  const near = new TopicReader({ brokers, topic: TOPIC, clientId: 'near' });
  // Its first fetch would only learn of the replica.
  const led = await near.fetchFromLeader(0, 0, LIMITS);
  expect(led?.records.map(({ value }) => String(value))).toEqual(['one', 'two']);
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

  await cluster.second.stop();
  await send('four');
  expect(await readTo(near, second.offset, 'four')).toMatchObject({ values: ['four'], nodes: [1] });
  await near.close();
});
