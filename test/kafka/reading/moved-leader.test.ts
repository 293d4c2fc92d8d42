import { afterAll, beforeAll, expect } from '@jest/globals';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { TopicReader } from '../../../kafka/reading/topic-reader.ts';
import { partitionOfKey } from '../../../kafka/writing/key-partition.ts';
import { openProducer } from '../../../kafka/writing/submissions-producer.ts';
import { plaintextBrokers } from '../../../service/brokers.ts';
import { suspend } from '../../helpers/kafka/suspend.ts';
import { createTopic } from '../../helpers/kafka/topics.ts';
import { startTwoBrokers, type TwoBrokers } from '../../helpers/kafka/two-brokers.ts';
import { securedTest as test } from '../../helpers/servers/secured-test.ts';
import { until } from '../../helpers/until.ts';

const TOPIC = 'moved';
/** Each broker has one of its partitions, without a copy. */
const SPREAD = 'spread';
const LIMITS = { maxWaitMs: 0, partitionMaxBytes: 1024 * 1024 };

/** A reader that keeps the first answer about leaders, as readers do for seconds. */
class OutdatedReader extends TopicReader {
  #first: ReturnType<TopicReader['metadata']> | undefined;

  protected override metadata() {
    this.#first ??= super.metadata();
    return this.#first;
  }
}

let cluster: TwoBrokers;
/** A key in the partition of each broker. */
const [atFirst = '', atSecond = ''] = [0, 1].map((partition) =>
  ['ada', 'bob', 'cyd', 'dan'].find((key) => partitionOfKey(key, 2) === partition),
);

beforeAll(async () => {
  cluster = await startTwoBrokers();
  await withAdmin(cluster.brokers, async (admin) => {
    await createTopic(admin, { topic: TOPIC, replicaAssignment: [{ partition: 0, replicas: [2, 1] }] });
    const replicaAssignment = [1, 2].map((node, partition) => ({ partition, replicas: [node] }));
    await createTopic(admin, { topic: SPREAD, replicaAssignment });
  });
  const producer = await openProducer(cluster.brokers, SPREAD);
  await producer.send([atFirst, atSecond].map((key) => ({ key, value: Buffer.from('one') })));
  await producer.close();
});
afterAll(() => cluster?.stop());

async function send(value: string): Promise<void> {
  const producer = await openProducer(cluster.brokers, TOPIC);
  await producer.send([{ key: 'k', value: Buffer.from(value) }]);
  await producer.close();
}

/** Whether node 1 leads the topic, and node 2 has a whole copy. */
async function hasMoved(): Promise<boolean> {
  const { topics } = await withAdmin(cluster.brokers, (admin) =>
    admin.fetchTopicMetadata({ topics: [TOPIC] }),
  );
  const { leader, isr = [] } = topics[0]?.partitions[0] ?? {};
  return leader === 1 && isr.length === 2;
}

test('a former leader of a partition refuses, and does not show its own end', async () => {
  await send('one');
  const reader = new OutdatedReader({ brokers: cluster.brokers, topic: TOPIC, clientId: 'outdated' });
  const read = (offset: number) => reader.fetch(2, new Map([[0, offset]]), LIMITS);
  try {
    expect(await reader.sources()).toEqual([2]);
    expect((await read(0)).map(({ records }) => records.length)).toEqual([1]);
    await cluster.restartSecond();
    await until('the leader to be the other broker', hasMoved, 30_000);
    await send('two');
    await expect(read(1)).rejects.toThrow('FENCED_LEADER_EPOCH');
  } finally {
    await reader.close();
  }
});

const readFirst = async (reader: TopicReader) =>
  (await reader.fetch(1, new Map([[0, 0]]), LIMITS))[0]?.records;

test('INV-14: a silent broker does not hold up the partitions of others, even if it is the first of the list', async () => {
  const brokers = plaintextBrokers([...cluster.second.brokers.addresses, ...cluster.first.brokers.addresses]);
  const reader = new TopicReader({ brokers, topic: SPREAD, clientId: 'spread' });
  await reader.refresh();
  const second = Number(cluster.second.pid);
  const { unanswered } = await suspend(second, () => reader.fetch(2, new Map([[1, 0]]), LIMITS));
  try {
    const lookUp = async () => {
      for (let time = 0; time < 3; time += 1) await reader.refresh();
      return readFirst(reader);
    };
    expect(await Promise.race([lookUp(), unanswered])).toHaveLength(1);
  } finally {
    process.kill(second, 'SIGCONT');
    await unanswered.catch(() => {});
    await reader.close();
  }
}, 60_000);

test('a reader still asks for the topic while the only broker that it was given is away', async () => {
  const brokers = { ...cluster.brokers, addresses: cluster.second.brokers.addresses };
  const reader = new TopicReader({ brokers, topic: TOPIC, clientId: 'test' });
  const { topicId } = await reader.identify();
  await cluster.second.stop();
  expect(await reader.identify()).toMatchObject({ topicId });
  await reader.close();
});

test('INV-14: a partition without a leader does not hold up the others, for reading and writing', async () => {
  const { brokers } = cluster;
  await cluster.second.stop();
  const reader = new TopicReader({ brokers, topic: SPREAD, clientId: 'spread' });
  await until('a partition has no leader', async () => {
    await reader.refresh().catch(() => {});
    return (await reader.sources())[1] === -1;
  });
  expect(await readFirst(reader)).toHaveLength(1);
  const beyond = await reader.fetch(1, new Map([[0, 100]]), LIMITS);
  expect(beyond.map(({ isOutOfRange, nextOffset }) => [isOutOfRange, nextOffset])).toEqual([[true, 0]]);
  const producer = await openProducer(brokers, SPREAD);
  const message = { key: atFirst, value: Buffer.from('two') };
  expect(await producer.send([message])).toEqual([{ partition: 0, offset: 1 }]);
  await expect(producer.send([{ ...message, key: atSecond }])).rejects.toThrow('LEADER_NOT_AVAILABLE');
  await Promise.all([reader.close(), producer.close()]);
}, 60_000);
