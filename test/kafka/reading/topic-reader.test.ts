import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { createKafkaClient } from '../../../kafka/connection/client.ts';
import type { PartitionRead } from '../../../kafka/reading/partition-read.ts';
import { TopicReader } from '../../../kafka/reading/topic-reader.ts';
import { BufferPool } from '../../../service/buffer-pool.ts';
import { explainFailure } from '../../../service/explain-failure.ts';
import { createTopic } from '../../helpers/kafka/topics.ts';
import { testServers } from '../../helpers/servers/servers.ts';
import { until } from '../../helpers/until.ts';

/** The number of records in the first batch, one for each key. */
const BATCH = 10;
/** The keys to send again, so that compaction makes holes inside of the first batch and at its end. */
const SENT_AGAIN = [3, 4, 8, 9];
const KEPT = [0, 1, 2, 5, 6, 7];
/** Segments that close at once, and a cleaner that cleans every closed one. */
const EAGER_CLEANER = {
  'cleanup.policy': 'compact',
  'segment.ms': '100',
  'min.compaction.lag.ms': '0',
  'min.cleanable.dirty.ratio': '0.001',
};

const { brokers } = testServers();
const topic = randomUUID();
const producer = createKafkaClient({ brokers, clientId: 'test' }).producer({ allowAutoTopicCreation: false });
const reader = new TopicReader({ brokers, topic, clientId: 'test-reader' });

beforeAll(async () => {
  await withAdmin(brokers, (admin) =>
    createTopic(admin, {
      topic,
      numPartitions: 1,
      replicationFactor: 1,
      configEntries: Object.entries(EAGER_CLEANER).map(([name, value]) => ({ name, value })),
    }),
  );
  await producer.connect();
});
afterAll(async () => {
  await producer.disconnect();
  await reader.close();
});

const send = (keys: readonly number[]) =>
  producer.send({ topic, messages: keys.map((key) => ({ key: `key-${key}`, value: randomUUID() })) });

/** Fetches from an offset, no more than one batch. */
async function fetchFrom(offset: number, from = reader): Promise<PartitionRead> {
  const [node = 0] = await from.sources();
  const [read] = await from.fetch(node, new Map([[0, offset]]), { maxWaitMs: 0, partitionMaxBytes: 1 });
  if (!read) throw new Error('The broker has said nothing about the partition.');
  return read;
}

const offsetsOf = ({ records }: PartitionRead) => records.map(({ offset }) => offset);

test('a batch thinned by compaction is read whole and passed by its last offset, not by its records', async () => {
  await send(Array.from({ length: BATCH }, (_, key) => key));
  await until('the broker has compacted the batch', async () => {
    // A segment closes when a record arrives after its time is up.
    await send(SENT_AGAIN);
    return offsetsOf(await fetchFrom(0)).length < BATCH;
  });
  for (const from of [0, 3, 7, 8, 9]) {
    const read = await fetchFrom(from);
    expect(offsetsOf(read)).toEqual(KEPT.filter((offset) => offset >= from));
    expect([read.nextOffset, read.unreadable, read.isOutOfRange]).toEqual([BATCH, [], false]);
  }
});

test('reading by nextOffset reaches the end, past batches emptied by compaction', async () => {
  const { end } = await fetchFrom(0);
  let read = await fetchFrom(0);
  for (let steps = 0; !read.atEnd && steps < end; steps += 1) {
    const { nextOffset } = read;
    read = await fetchFrom(nextOffset);
    expect(read.nextOffset).toBeGreaterThan(nextOffset);
  }
  expect(read.atEnd).toBe(true);
});

test('an offset beyond the end of the log becomes its beginning, and the end itself does not', async () => {
  const { end } = await fetchFrom(0);
  expect(await fetchFrom(end + 1)).toMatchObject({ records: [], nextOffset: 0, isOutOfRange: true });
  expect(await fetchFrom(end)).toMatchObject({ records: [], nextOffset: end, isOutOfRange: false });
});

test('INV-14: a partition that its broker does not serve leaves the others readable', async () => {
  const [node = 0] = await reader.sources();
  const limits = { maxWaitMs: 0, partitionMaxBytes: 1 };
  const fetch = (...partitions: number[]) =>
    reader.fetch(node, new Map(partitions.map((partition) => [partition, 0])), limits);
  const reads = await fetch(1, 0);
  expect(reads.map(({ partition, records }) => [partition, records.length > 0])).toEqual([[0, true]]);
  await expect(fetch(1)).rejects.toThrow('UNKNOWN_TOPIC_OR_PARTITION');
});

test('records in buffers of a pool are the same, and a later fetch reuses a released buffer', async () => {
  const buffers = new BufferPool({ maxIdle: 1, maxBytes: 1024 * 1024 });
  const pooled = new TopicReader({ brokers, topic, clientId: 'test-reader', buffers });
  const memoryOf = ({ records }: PartitionRead) => records[0]?.value?.buffer;
  const first = await fetchFrom(0, pooled);
  expect(first.records).toEqual((await fetchFrom(0)).records);
  const second = await fetchFrom(0, pooled);
  expect(memoryOf(second)).not.toBe(memoryOf(first));
  first.release?.();
  expect(memoryOf(await fetchFrom(0, pooled))).toBe(memoryOf(first));
  const end = await fetchFrom(first.end, pooled);
  expect([end.records, end.release]).toEqual([[], undefined]);
  await pooled.close();
});

test('a topic that was made anew has its own id at once, although its former one is remembered', async () => {
  const anew = { topic: randomUUID(), numPartitions: 1, replicationFactor: 1 };
  const make = () =>
    withAdmin(brokers, (admin) => admin.createTopics({ waitForLeaders: false, topics: [anew] }));
  const open = (expectedId: () => string | null) =>
    new TopicReader({ brokers, topic: anew.topic, clientId: 'test-reader', expectedId });
  let expected: string | null = null;
  const [knowing, asking] = [open(() => expected), open(() => null)];
  await withAdmin(brokers, (admin) => createTopic(admin, anew));
  const { topicId: former } = await asking.identify();
  await knowing.sources();
  await withAdmin(brokers, (admin) => admin.deleteTopics({ topics: [anew.topic] }));
  await until('it is made anew', () => make().catch(() => false));
  await until('the brokers know it', async () => {
    expected = await asking.identify().then(
      ({ topicId }) => topicId,
      () => former,
    );
    return expected !== former;
  });
  expect(await knowing.sources()).toHaveLength(1);
  await Promise.all([knowing.close(), asking.close()]);
});

test('a topic that the database does not know is refused with the settings to check', async () => {
  const expectedId = () => randomUUID();
  const other = new TopicReader({ brokers, topic, clientId: 'test-reader', expectedId });
  const error = await other.sources().catch((caught: unknown) => caught);
  expect(explainFailure(error)).toMatchObject({
    failure: 'kafka_away',
    reason: expect.stringMatching(/^The topic .+ check KAFKA_BROKERS, TOPIC_PREFIX and DATABASE_URL$/),
  });
  await other.close();
});
