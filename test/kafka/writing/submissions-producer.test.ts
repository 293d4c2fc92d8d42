import { expect, test } from '@jest/globals';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { identifyTopic, readTopic } from '../../../kafka/reading/read-topic.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { openProducer } from '../../../kafka/writing/submissions-producer.ts';
import { createTestTopics, createTopic } from '../../helpers/kafka/topics.ts';
import { until } from '../../helpers/until.ts';

const KEYS = ['ada', 'bob', 'cyd', 'dan', 'eve'];

test('sends at the same time take turns, and each message is at the place that is told', async () => {
  const { prefix, brokers } = await createTestTopics({ partitions: 3 });
  const topic = topicNames(prefix).submissions;
  const producer = await openProducer(brokers, topic);
  const sends = Array.from({ length: 5 }, (_, send) =>
    Array.from({ length: 20 }, (_none, index) => ({
      key: KEYS[(send + index) % KEYS.length] ?? '',
      value: Buffer.from(`${send}/${index}`),
    })),
  );
  const places = await Promise.all(sends.map((messages) => producer.send(messages)));
  await producer.close();

  const found = new Map<string, string>();
  for await (const { partition, records } of readTopic({ brokers, topic, clientId: 'test' })) {
    for (const { offset, value } of records) found.set(`${partition}/${offset}`, String(value));
  }
  const told = places.flatMap((own, send) =>
    own.map(({ partition, offset }, index) => [`${partition}/${offset}`, `${send}/${index}`] as const),
  );
  expect(found.size).toBe(100);
  expect(new Map(told)).toEqual(found);
});

test('a topic that is made anew is known by its new id at once', async () => {
  const { prefix, brokers } = await createTestTopics({ partitions: 1 });
  const topic = topicNames(prefix).submissions;
  const producer = await openProducer(brokers, topic);
  const former = await producer.identifyTopic();
  await withAdmin(brokers, async (admin) => {
    await admin.deleteTopics({ topics: [topic] });
    await until('the topic is gone', async () => !(await admin.listTopics()).includes(topic));
    await createTopic(admin, { topic });
  });
  const { topicId } = await identifyTopic({ brokers, topic, clientId: 'test' });
  expect(topicId).not.toBe(former);
  expect(await producer.identifyTopic()).toBe(topicId);
  await producer.close();
});
