import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { Publishing } from '../../../gateway/publishing/publishing.ts';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { systemClock } from '../../../service/clock.ts';
import { createLog } from '../../../service/log.ts';
import { createTopic } from '../../helpers/kafka/topics.ts';
import { testServers } from '../../helpers/servers/servers.ts';

test('a producer that could not be opened is opened by a later request, and then kept', async () => {
  const { brokers, databaseUrl } = testServers();
  const topicPrefix = `${randomUUID()}.`;
  const { submissions: topic } = topicNames(topicPrefix);
  const log = createLog('test', 'silent');
  const publishing = new Publishing({ brokers, databaseUrl, topicPrefix }, { clock: systemClock, log });
  await expect(publishing.producer()).rejects.toThrow(topic);
  await withAdmin(brokers, (admin) => createTopic(admin, { topic, numPartitions: 1, replicationFactor: 1 }));
  const producer = await publishing.producer();
  expect(await producer.send([{ key: 'a', value: Buffer.from('b') }])).toEqual([{ partition: 0, offset: 0 }]);
  expect(await publishing.producer()).toBe(producer);
  await publishing.stop();
});
