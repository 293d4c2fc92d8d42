/** The one place where ops knows kafkajs. */
import kafkajs, { type Admin, type Kafka } from 'kafkajs';
import { createKafkaClient as createClient } from '../../service/kafka-client.ts';

export type { Admin };

/** What describeConfigs and alterConfigs call a topic. */
export const TOPIC_RESOURCE = kafkajs.ConfigResourceTypes.TOPIC;

/**
 * A kafkajs client that logs nothing: what goes wrong is thrown, and the caller says it.
 *
 * @param brokers `host:port` of each
 * @param options.retries how often a request is tried again before it fails
 */
export function createKafkaClient(brokers: string[], { retries = 5 }: { retries?: number } = {}): Kafka {
  return createClient({ brokers, clientId: 'ballot-endorsements-ops', retries });
}

/**
 * Runs `work` with a connected admin client and disconnects it whatever happens.
 *
 * @param brokers `host:port` of each
 * @throws whatever kafkajs or `work` throws
 */
export async function withAdmin<T>(
  brokers: string[],
  work: (admin: Admin) => Promise<T>,
  options: { retries?: number } = {},
): Promise<T> {
  const admin = createKafkaClient(brokers, options).admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
