import { beforeEach, expect, test } from '@jest/globals';
import type { KafkaConfig } from 'kafkajs';
import pg from 'pg';
import { applyBatch } from '../../consumers/apply/apply-batch.ts';
import { readTopic } from '../../kafka/read-topic.ts';
import { createRejectedProducer } from '../../kafka/rejected-producer.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { readRejections } from '../../ops/rejected/read-rejections.ts';
import { type Rejection, submissionCodec } from '../../schemas/submission.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { createHushedKafka, type HushedKafka } from '../helpers/hushed-kafka.ts';
import { endorse } from '../helpers/submissions.ts';
import { createTestTopics } from '../helpers/topics.ts';
import { until } from '../helpers/until.ts';

let brokers: string[];
let topic: string;
let way: HushedKafka;

beforeEach(async () => {
  const topics = await createTestTopics({ partitions: 1 });
  brokers = topics.brokers;
  topic = topicNames(topics.prefix).rejected;
});

/** A rejected producer whose broker can be hushed. */
async function openProducer(config: Partial<KafkaConfig> = {}) {
  way = createHushedKafka(brokers, config);
  const producer = createRejectedProducer(way.kafka, topic);
  await producer.connect();
  return producer;
}

const encoded = submissionCodec.encode(endorse('nobody', 'mayor', 'ann'));
const rejection = (offset: number, value: Buffer | null = encoded): Rejection => ({
  code: 'unknown_endorser',
  message: 'There is none.',
  topic: 'submissions',
  partition: 0,
  offset,
  rejected_at: offset,
  last_offset: null,
  truncated: null,
  value,
});

async function recordedOffsets(): Promise<number[]> {
  const { rejections } = await readRejections({ brokers, topic });
  return rejections.map(({ offset }) => offset);
}

/** A request whose acknowledgement is lost: the broker has it, and who sent it does not know. */
async function sendInVain(producer: Awaited<ReturnType<typeof openProducer>>, offset: number) {
  way.hush();
  const sent = producer.send([rejection(offset)]);
  await expect(sent).rejects.toThrow();
  way.mend();
}

test('INV-9: after lost acknowledgements, what is refused later is not taken for a copy', async () => {
  const producer = await openProducer({ requestTimeout: 300, retry: { retries: 1, initialRetryTime: 50 } });
  await producer.send([rejection(1)]);
  await sendInVain(producer, 2);
  await until('the broker has it', async () => (await recordedOffsets()).includes(2));
  // Another consumer has the partition now; this one goes on with what is its own.
  for (const offset of [3, 4, 5]) await producer.send([rejection(offset)]);
  expect(await recordedOffsets()).toEqual([1, 2, 3, 4, 5]);
  await producer.disconnect();
});

test('what names no endorser goes to one partition, so that it stays in its order', async () => {
  const producer = await openProducer();
  for (let offset = 0; offset < 6; offset += 1)
    await producer.send([rejection(offset, Buffer.from('nonsense'))]);
  await producer.disconnect();
  const sizes: number[] = [];
  for await (const { records } of readTopic({ brokers, topic })) sizes.push(records.length);
  expect(sizes.sort((a, b) => a - b)).toEqual([0, 0, 6]);
});

test('a broker that does not acknowledge holds the stream up for seconds, and nothing is lost', async () => {
  const databaseUrl = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const producer = await openProducer();
  const apply = () =>
    applyBatch(
      pool,
      { topic: 'submissions', partition: 0, messages: [{ offset: 0, value: encoded }], logStart: 0 },
      { now: () => new Date(), reject: producer.send },
    );
  way.hush();
  const begun = performance.now();
  await expect(apply()).rejects.toThrow('Kafka did not take refused submissions within 4000 ms.');
  expect(performance.now() - begun).toBeLessThan(8000);
  // Rolled back: the lock is free, and the submission is still to be applied.
  await pool.query('SELECT FROM stream_head FOR UPDATE NOWAIT');

  way.mend();
  expect(await apply()).toEqual({ applied: 1, changes: 0, rejected: 1 });
  expect(await recordedOffsets()).toEqual([0]);
  await producer.disconnect();
  await pool.end();
}, 30_000);
