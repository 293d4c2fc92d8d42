import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Admin } from '@platformatic/kafka';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { GroupOffsets } from '../../../kafka/reading/group-offsets.ts';
import { identifyTopic } from '../../../kafka/reading/read-topic.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { createTestTopics, createTopic } from '../../helpers/kafka/topics.ts';
import { until } from '../../helpers/until.ts';

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

test('offsets are not committed for a topic that was made anew a moment ago', async () => {
  const anew = { topic: `${topic}-anew`, numPartitions: 1, replicationFactor: 1 };
  await withAdmin(brokers, (admin) => createTopic(admin, anew));
  const named = { brokers, topic: anew.topic };
  const { topicId } = await identifyTopic({ ...named, clientId: 'test' });
  const ofAnew = new GroupOffsets({ ...named, groupId: `${topic}-apply` });
  await ofAnew.commit(new Map([[0, 7]]), topicId);
  expect(await ofAnew.load()).toEqual(new Map([[0, 7]]));
  await withAdmin(brokers, (admin) => admin.deleteTopics({ topics: [anew.topic] }));
  const make = () =>
    withAdmin(brokers, (admin) => admin.createTopics({ waitForLeaders: false, topics: [anew] }));
  await until('it is made anew', () => make().catch(() => false));
  await ofAnew.commit(new Map([[0, 8]]), topicId).catch(() => {});
  await until('the offsets of the former topic are gone', async () => (await ofAnew.load()).get(0) !== 7);
  expect(await ofAnew.load()).toEqual(new Map());
  await ofAnew.close();
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
