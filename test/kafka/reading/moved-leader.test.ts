import { afterAll, beforeAll, expect } from '@jest/globals';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { TopicReader } from '../../../kafka/reading/topic-reader.ts';
import { openProducer } from '../../../kafka/writing/submissions-producer.ts';
import { createTopic } from '../../helpers/kafka/topics.ts';
import { startTwoBrokers, type TwoBrokers } from '../../helpers/kafka/two-brokers.ts';
import { securedTest as test } from '../../helpers/servers/secured-test.ts';
import { until } from '../../helpers/until.ts';

const TOPIC = 'moved';
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

beforeAll(async () => {
  cluster = await startTwoBrokers();
  await withAdmin(cluster.brokers, (admin) =>
    createTopic(admin, { topic: TOPIC, replicaAssignment: [{ partition: 0, replicas: [2, 1] }] }),
  );
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

test('a reader still asks for the topic while the only broker that it was given is away', async () => {
  const brokers = { ...cluster.brokers, addresses: cluster.second.brokers.addresses };
  const reader = new TopicReader({ brokers, topic: TOPIC, clientId: 'test' });
  const { topicId } = await reader.identify();
  await cluster.second.stop();
  expect(await reader.identify()).toMatchObject({ topicId });
  await reader.close();
});
