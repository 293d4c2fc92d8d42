import { expect, test } from '@jest/globals';
import { topicNames } from '../../kafka/topic-names.ts';
import { findHoles } from '../../ops/stream/find-holes.ts';
import { createTestTopics } from '../helpers/kafka/topics.ts';
import { writeChanges } from '../helpers/stream/write-changes.ts';

test('changes of a former epoch fill no hole of the present one', async () => {
  const { prefix, brokers } = await createTestTopics();
  const { changes: topic } = topicNames(prefix);
  const writing = { brokers, topic, atOnce: 3, partitionOf: (sequence: number) => sequence % 2 };
  await writeChanges({ ...writing, epoch: 1, count: 9 });
  await writeChanges({ ...writing, epoch: 2, count: 4 });
  const find = (epoch: number) => findHoles({ brokers, topic, epoch }, { from: 2, to: 10 }, () => {});
  expect(await find(2)).toEqual([{ from: 5, to: 10 }]);
  expect(await find(1)).toEqual([{ from: 10, to: 10 }]);
});
