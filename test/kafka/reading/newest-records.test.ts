import { expect, test } from '@jest/globals';
import { readNewestRecords } from '../../../kafka/reading/newest-records.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { startKafkajsClient } from '../../helpers/kafka/outside-javascript.ts';
import { createTestTopics } from '../../helpers/kafka/topics.ts';

test('the newest record of a partition is the one with the latest time, wherever it is', async () => {
  const { prefix, brokers } = await createTestTopics();
  // Its records have their producers' times.
  const topic = topicNames(prefix).rejected;
  const producer = await startKafkajsClient(brokers, topic).open();
  const now = Date.now();
  for (const [index, agoMs] of [3000, 1000, 2000].entries()) {
    const value = Buffer.from(`record ${index}`);
    await producer.send([{ partition: 1, key: null, value, timestamp: now - agoMs }]);
  }
  await producer.close();
  expect(await readNewestRecords({ brokers, topic })).toEqual([
    { partition: 1, value: Buffer.from('record 1'), appendedAt: now - 1000 },
  ]);
});
