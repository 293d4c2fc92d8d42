import { randomBytes } from 'node:crypto';
import { applyTopics } from '../../kafka/topics.ts';
import { testServers } from './servers.ts';

export interface TestTopics {
  /** What the names of this test's topics begin with. */
  prefix: string;
  brokers: string[];
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** The service's topics under a prefix of their own, as `topics apply` makes them. */
export async function createTestTopics({
  partitions = 12,
  retentionMs = WEEK_MS,
}: {
  partitions?: number;
  retentionMs?: number;
} = {}): Promise<TestTopics> {
  const prefix = `test-${randomBytes(6).toString('hex')}-`;
  const { brokers } = testServers();
  await applyTopics({ brokers, topicPrefix: prefix, retentionMs, changesPartitions: partitions });
  return { prefix, brokers };
}
