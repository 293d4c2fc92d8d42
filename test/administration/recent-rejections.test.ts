import { expect, test } from '@jest/globals';
import { loadRecentRejections } from '../../administration/rejections/recent.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { rejectionCodec } from '../../schemas/submission.ts';
import { startKafkajsClient } from '../helpers/kafka/outside-javascript.ts';
import { createTestTopics } from '../helpers/kafka/topics.ts';

/** The bytes of a rejection, at a second of 1970. */
const rejectedAt = (second: number): Buffer =>
  rejectionCodec.encode({
    ...{ code: 'undecodable', message: 'No.', topic: 'any', partition: 0, offset: second, last_offset: null },
    ...{ rejected_at: second * 1000, value: null, truncated: null },
  });

test('the newest records of each partition are read, and are complete only if no partition has older ones', async () => {
  const { prefix, brokers } = await createTestTopics();
  const producer = await startKafkajsClient(brokers, topicNames(prefix).rejected).open();
  const record = { key: null, partition: 0 };
  const values = [rejectedAt(1), Buffer.from('noise'), rejectedAt(3), rejectedAt(4)];
  await producer.send(values.map((value) => ({ ...record, value })));
  await producer.send([{ ...record, partition: 1, value: rejectedAt(2) }]);
  await producer.close();

  const load = async (ofPartition: number) => {
    const { rejections, strangers, before } = await loadRecentRejections(
      { brokers, topicPrefix: prefix },
      ofPartition,
    );
    return { seconds: rejections.map(({ offset }) => offset), strangers, isComplete: before === null };
  };
  expect(await load(1)).toEqual({ seconds: [2, 4], strangers: 0, isComplete: false });
  expect(await load(3)).toEqual({ seconds: [2, 3, 4], strangers: 1, isComplete: false });
  expect(await load(4)).toEqual({ seconds: [1, 2, 3, 4], strangers: 1, isComplete: true });
  expect(await load(100)).toEqual({ seconds: [1, 2, 3, 4], strangers: 1, isComplete: true });
});
