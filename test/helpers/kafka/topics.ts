import { randomBytes } from 'node:crypto';
import type { ITopicConfig } from 'kafkajs';
import { type Admin, TOPIC_RESOURCE, withAdmin } from '../../../kafka/connection/admin.ts';
import { applyTopics } from '../../../kafka/topics/topics.ts';
import type { Brokers } from '../../../service/brokers.ts';
import { waitFor } from '../../../service/wait-for.ts';
import { grantRights } from '../servers/secured-cluster.ts';
import { brokersOf, isSecured, testServers } from '../servers/servers.ts';
import { until } from '../until.ts';

export interface TestTopics {
  /** The prefix of this test's topics. */
  prefix: string;
  brokers: Brokers;
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** A unique prefix. */
export function chooseTopicPrefix(): string {
  return `test-${randomBytes(6).toString('hex')}-`;
}

/** Creates the service's topics under their own prefix, as `topics apply` does. */
export async function createTestTopics({
  prefix = chooseTopicPrefix(),
  partitions = 2,
  retentionMs = WEEK_MS,
}: {
  prefix?: string;
  partitions?: number;
  retentionMs?: number;
} = {}): Promise<TestTopics> {
  const { brokers } = testServers();
  const options = { topicPrefix: prefix, retentionMs, changesPartitions: partitions };
  if (isSecured()) {
    await grantRights(brokers, prefix);
    // Brokers learn of rights one after another.
    const apply = () => applyTopics({ ...options, brokers: brokersOf('ops') });
    await waitFor('The topics', apply, { timeoutMs: 60_000 });
  } else await applyTopics({ ...options, brokers });
  return { prefix, brokers };
}

/**
 * Removes the topics of a prefix. Kafka looks at every topic several times a second, so that those of earlier tests slow
 * down the later ones.
 */
export async function removeTestTopics(prefix: string): Promise<void> {
  await withAdmin(testServers().brokers, async (admin) => {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  });
}

/**
 * Creates a topic, and waits until its partitions have leaders. kafkajs gives up if a broker does not know the topic
 * yet.
 */
export async function createTopic(admin: Admin, config: ITopicConfig): Promise<void> {
  const { topic } = config;
  await admin.createTopics({ waitForLeaders: false, topics: [config] });
  await until(`the topic ${topic} has leaders`, async () => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] }).catch(() => ({ topics: [] }));
    const partitions = topics[0]?.partitions ?? [];
    return partitions.length > 0 && partitions.every(({ leader }) => leader >= 0);
  });
}

/** Sets settings of a topic in place of all earlier ones, and waits until a broker shows them. */
export async function alterTopic(admin: Admin, name: string, config: Record<string, string>): Promise<void> {
  const configEntries = Object.entries(config).map(([key, value]) => ({ name: key, value }));
  const resources = [{ type: TOPIC_RESOURCE, name, configEntries }];
  await admin.alterConfigs({ validateOnly: false, resources });
  await until(`the settings of the topic ${name}`, async () => {
    const asked = [{ type: TOPIC_RESOURCE, name, configNames: Object.keys(config) }];
    const described = await admin.describeConfigs({ includeSynonyms: false, resources: asked });
    const entries = described.resources[0]?.configEntries ?? [];
    return entries.every(({ configName, configValue }) => configValue === config[configName]);
  });
}
