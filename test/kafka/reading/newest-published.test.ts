import { expect, test } from '@jest/globals';
import { readNewestPublished } from '../../../kafka/reading/newest-published.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { openProducer } from '../../../kafka/writing/submissions-producer.ts';
import { createTestTopics } from '../../helpers/kafka/topics.ts';
import { writeChanges } from '../../helpers/stream/write-changes.ts';

test('the newest published change is the last one of the highest epoch, although others have higher sequences and other records follow', async () => {
  const { prefix, brokers } = await createTestTopics();
  const topic = topicNames(prefix).changes;
  expect(await readNewestPublished({ brokers, topic })).toBeNull();
  const atOnce = 10;
  await writeChanges({ brokers, topic, epoch: 1, count: 6, atOnce, partitionOf: (sequence) => sequence % 2 });
  await writeChanges({ brokers, topic, epoch: 2, count: 3, atOnce, partitionOf: () => 1 });
  const producer = await openProducer(brokers, topic);
  const noise = Array.from({ length: 300 }, (_, index) => ({ key: `${index}`, value: Buffer.from('noise') }));
  await producer.send(noise);
  await producer.close();
  expect(await readNewestPublished({ brokers, topic })).toMatchObject({ epoch: 2, sequence: 3 });
});
