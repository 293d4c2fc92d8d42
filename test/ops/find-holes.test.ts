import { expect, jest, test } from '@jest/globals';
import { topicNames } from '../../kafka/topic-names.ts';
import { findHoles } from '../../ops/stream/find-holes.ts';
import { startKafkajsClient } from '../helpers/kafka/outside-javascript.ts';
import { createTestTopics } from '../helpers/kafka/topics.ts';
import { encodeChange, writeChanges } from '../helpers/stream/write-changes.ts';

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

test('each hole is told once, whole, and neither noise nor changes beyond the range fill or make one', async () => {
  const { prefix, brokers } = await createTestTopics();
  const { changes: topic } = topicNames(prefix);
  const producer = await startKafkajsClient(brokers, topic).open();
  const values = [9, 3, 4, 6, 3, 1, 100].map((sequence) => encodeChange(7, sequence));
  const records = [...values, Buffer.from('noise')].map((value, at) => ({
    key: Buffer.from(String(at)),
    partition: at % 2,
    value,
  }));
  await producer.send(records);
  await producer.close();
  const onProgress = jest.fn<(done: number, total: number) => void>();
  const find = (from: number, to: number) =>
    findHoles({ brokers, topic, epoch: 7 }, { from, to }, onProgress);
  expect(await find(2, 11)).toEqual([
    { from: 2, to: 2 },
    { from: 5, to: 5 },
    { from: 7, to: 8 },
    { from: 10, to: 11 },
  ]);
  const [read, total] = onProgress.mock.lastCall as [number, number];
  // The producer sends a batch again whose acknowledgement is late.
  expect(total).toBeGreaterThanOrEqual(records.length);
  expect(read).toBe(total);
  expect(await find(3, 4)).toEqual([]);
  expect(await find(5, 4)).toEqual([]);
});
