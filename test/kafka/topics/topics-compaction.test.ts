/**
 * INV-6: compaction never reaches into the window. Two topics on one broker get the same records and the same
 * cleaner: one as applyTopics makes it, one without the compaction lag. The loss on the second proves that
 * the cleaner has run, and that this test would see a loss on the first.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EachBatchPayload } from 'kafkajs';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { createKafkaClient } from '../../../kafka/connection/client.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { changesTopicSettings } from '../../../kafka/topics/topic-settings.ts';
import { applyTopics } from '../../../kafka/topics/topics.ts';
import { alterTopic, createTopic } from '../../helpers/kafka/topics.ts';
import { testServers } from '../../helpers/servers/servers.ts';

const RECORDS = 1000;
const KEYS = 10;
const BATCH = 100;
const HOUR_MS = 3_600_000;

/** Segments that close at once, and a cleaner that cleans every closed one. */
const EAGER_CLEANER = { 'segment.ms': '100', 'min.cleanable.dirty.ratio': '0.001' };

const { brokers } = testServers();
const kafka = createKafkaClient({ brokers, clientId: 'test' });
const producer = kafka.producer({ allowAutoTopicCreation: false });
const topicPrefix = `${randomUUID()}.`;
const keeping = topicNames(topicPrefix).changes;
const losing = `${topicPrefix}without-lag`;

beforeAll(async () => {
  const config = { ...changesTopicSettings(HOUR_MS, 1), ...EAGER_CLEANER };
  await applyTopics({ brokers, topicPrefix, retentionMs: HOUR_MS, changesPartitions: 1 });
  await withAdmin(brokers, async (admin) => {
    await alterTopic(admin, keeping, config);
    const withoutLag = { ...config, 'min.compaction.lag.ms': '0' };
    await createTopic(admin, {
      topic: losing,
      numPartitions: 1,
      replicationFactor: 1,
      configEntries: Object.entries(withoutLag).map(([name, value]) => ({ name, value })),
    });
  });
  await producer.connect();
});

afterAll(() => producer.disconnect());

async function sendToBoth(messages: Array<{ key: string; value: string }>): Promise<void> {
  await producer.sendBatch({ topicMessages: [keeping, losing].map((topic) => ({ topic, messages })) });
}

/** The number of the thousand records that can be read from the topic now. */
async function countRecords(topic: string): Promise<number> {
  const consumer = kafka.consumer({ groupId: randomUUID() });
  let count = 0;
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      consumer.on('consumer.crash', ({ payload }) => payload.restart || reject(payload.error));
      const eachBatch = async ({ batch }: EachBatchPayload) => {
        count += batch.messages.filter(({ key }) => key?.toString().startsWith('endorser-')).length;
        if (BigInt(batch.lastOffset()) + 1n >= BigInt(batch.highWatermark)) resolve();
      };
      consumer.run({ autoCommit: false, eachBatch }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return count;
}

test('INV-6: every record inside the window outlives compaction', async () => {
  for (let sent = 0; sent < RECORDS; sent += BATCH) {
    const numbers = Array.from({ length: BATCH }, (_, i) => sent + i);
    await sendToBoth(numbers.map((n) => ({ key: `endorser-${n % KEYS}`, value: String(n) })));
  }

  // A segment closes when a record arrives after its time is up, so each check first sends one more.
  do {
    await sendToBoth([{ key: 'later', value: randomUUID() }]);
  } while ((await countRecords(losing)) > RECORDS / 2);

  expect(await countRecords(keeping)).toBe(RECORDS);
});
