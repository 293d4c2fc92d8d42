import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Admin } from '@platformatic/kafka';
import { GroupOffsets } from '../../../kafka/reading/group-offsets.ts';
import { identifyTopic } from '../../../kafka/reading/read-topic.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { createTestTopics } from '../../helpers/kafka/topics.ts';

let brokers: Brokers;
let topic: string;
let rejected: string;
let group: GroupOffsets;
/** The offsets of another topic in the same group. */
let other: GroupOffsets;

beforeAll(async () => {
  const topics = await createTestTopics();
  brokers = topics.brokers;
  topic = topicNames(topics.prefix).submissions;
  const groupId = `${topics.prefix}apply`;
  group = new GroupOffsets({ brokers, groupId, topic });
  rejected = topicNames(topics.prefix).rejected;
  other = new GroupOffsets({ brokers, groupId, topic: rejected });
});
afterAll(() => Promise.all([group.close(), other.close()]));

test('offsets are committed for a topic, and only while it is the topic that they are of', async () => {
  const idOf = async (name: string) =>
    (await identifyTopic({ brokers, topic: name, clientId: 'test' })).topicId;
  await group.commit(new Map([[0, 5]]), await idOf(rejected));
  expect(await group.load()).toEqual(new Map());
  await group.commit(new Map([[0, 7]]), await idOf(topic));
  await other.commit(new Map([[1, 9]]), await idOf(rejected));
  expect([await group.load(), await other.load()]).toEqual([new Map([[0, 7]]), new Map([[1, 9]])]);
});

test('partitions without a committed offset are left out', async () => {
  const partitions = [-1n, 0n, 5n].map((committedOffset, partitionIndex) => ({
    partitionIndex,
    committedOffset,
  }));
  const listed = jest.spyOn(Admin.prototype, 'listConsumerGroupOffsets');
  listed.mockImplementationOnce((async () => [{ topics: [{ name: topic, partitions }] }]) as never);
  expect(await group.load()).toEqual(
    new Map([
      [1, 0],
      [2, 5],
    ]),
  );
  listed.mockRestore();
});
