import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type Admin, TOPIC_RESOURCE, withAdmin } from '../../../kafka/connection/admin.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { applyTopics, applyWith, checkTopics } from '../../../kafka/topics/topics.ts';
import { alterTopic, createTopic } from '../../helpers/kafka/topics.ts';
import { testServers } from '../../helpers/servers/servers.ts';

const { brokers } = testServers();

function options(changesPartitions = 2) {
  return { brokers, topicPrefix: `${randomUUID()}.`, retentionMs: 60_000, changesPartitions };
}

const setOnTopic = (name: string, config: Record<string, string>) =>
  withAdmin(brokers, (admin) => alterTopic(admin, name, config));

test('missing topics are named and created, and then match the plan', async () => {
  const mine = options();
  const { submissions, rejected, changes } = topicNames(mine.topicPrefix);
  expect(await checkTopics(mine)).toEqual(
    [submissions, rejected, changes].map((name) => `${name} is missing`),
  );

  expect(await applyTopics(mine)).toEqual([
    `created ${submissions} with 12 partitions`,
    `created ${rejected} with 3 partitions`,
    `created ${changes} with 2 partitions`,
  ]);
  expect(await checkTopics(mine)).toEqual([]);
  expect(await applyTopics(mine)).toEqual([]);
});

test('settings that differ are corrected, and other settings of the topic stay', async () => {
  const mine = options();
  const { changes } = topicNames(mine.topicPrefix);
  await applyTopics(mine);
  // This removes every other setting of the topic, so that Kafka's defaults apply.
  await setOnTopic(changes, { 'cleanup.policy': 'compact', 'max.message.bytes': '2000000' });
  expect(await checkTopics(mine)).toEqual(
    expect.arrayContaining([
      expect.stringContaining('cleanup.policy=compact'),
      expect.stringContaining('min.compaction.lag.ms=0'),
    ]),
  );

  expect(await applyTopics(mine)).toContain(
    `set cleanup.policy=compact,delete on ${changes} (it was compact)`,
  );
  expect(await checkTopics(mine)).toEqual([]);
  const { resources } = await withAdmin(brokers, (admin) =>
    admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: TOPIC_RESOURCE, name: changes, configNames: ['max.message.bytes'] }],
    }),
  );
  expect(resources[0]?.configEntries[0]?.configValue).toBe('2000000');
});

test('a longer retention of submissions and rejections stays, since a shorter one would remove some', async () => {
  const mine = options();
  const { submissions, rejected } = topicNames(mine.topicPrefix);
  await applyTopics(mine);
  const month = String(31 * 24 * 3_600_000);
  const kept = { 'cleanup.policy': 'delete', 'min.insync.replicas': '1' };
  await setOnTopic(submissions, {
    ...{ ...kept, 'retention.ms': month, 'message.timestamp.type': 'LogAppendTime' },
  });
  await setOnTopic(rejected, { ...kept, 'retention.ms': '-1', 'max.message.bytes': '2097152' });
  const retentions = () =>
    withAdmin(brokers, async (admin) => {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [submissions, rejected].map((name) => ({
          ...{ type: TOPIC_RESOURCE, name, configNames: ['retention.ms'] },
        })),
      });
      return resources.map(({ configEntries }) => configEntries[0]?.configValue);
    });
  expect(await applyTopics(mine)).toEqual([]);
  expect(await retentions()).toEqual([month, '-1']);
});

test('partitions are added and never removed', async () => {
  const mine = options(2);
  const { changes } = topicNames(mine.topicPrefix);
  await applyTopics(mine);
  expect(await applyTopics({ ...mine, changesPartitions: 4 })).toEqual([
    `grew ${changes} from 2 to 4 partitions`,
  ]);
  expect(await applyTopics({ ...mine, changesPartitions: 1 })).toEqual([]);
  expect(await checkTopics({ ...mine, changesPartitions: 1 })).toEqual([]);
  expect(await checkTopics({ ...mine, changesPartitions: 5 })).toEqual([
    `${changes} has 4 partitions; it needs 5`,
  ]);
});

test('a change topic with more partitions than a cursor can hold is refused and not changed', async () => {
  const mine = options();
  const { changes } = topicNames(mine.topicPrefix);
  await withAdmin(brokers, (admin) =>
    createTopic(admin, { topic: changes, numPartitions: 101, replicationFactor: 1 }),
  );
  const excess = `${changes} has 101 partitions; a cursor holds at most 100`;
  await expect(applyTopics(mine)).rejects.toThrow(excess);
  expect(await checkTopics(mine)).toContainEqual(expect.stringContaining(excess));
});

/** A client whose brokers learn of a new topic at different times: the first answers about it are errors. */
function hearingLate(admin: Admin, { unlisted = 0, unknown = 0 }): Admin {
  let [lists, answers] = [unlisted, unknown];
  return {
    ...admin,
    listTopics: async () => (lists-- > 0 ? [] : admin.listTopics()),
    fetchTopicMetadata: async (options) => {
      if (answers-- <= 0) return admin.fetchTopicMetadata(options);
      // kafkajs asks a broker for an unknown topic, and throws the answer.
      return admin.fetchTopicMetadata({ topics: [`${randomUUID()}.unknown`] });
    },
  };
}

test('a broker that does not know a new topic yet is asked again', async () => {
  const mine = options();
  await applyTopics(mine);
  await withAdmin(brokers, async (admin) => {
    expect(await applyWith(hearingLate(admin, { unknown: 2 }), mine)).toEqual([]);
  });
});

test('a topic that exists although no broker lists it yet is not reported as created', async () => {
  const mine = options();
  const { submissions } = topicNames(mine.topicPrefix);
  await applyTopics(mine);
  await setOnTopic(submissions, { 'cleanup.policy': 'delete', 'retention.ms': '1000' });
  await withAdmin(brokers, async (admin) => {
    const done = await applyWith(hearingLate(admin, { unlisted: 1 }), mine);
    expect(done.filter((line) => line.startsWith('created'))).toEqual([]);
    expect(done).toContainEqual(expect.stringMatching(/^set retention\.ms=.* \(it was 1000\)$/));
  });
});
