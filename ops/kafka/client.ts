/** The one place where ops knows kafkajs. */
import kafkajs, { type Admin, type Kafka } from 'kafkajs';
import { createKafkaClient as createClient } from '../../service/kafka-client.ts';
import { OpsError } from '../ops-error.ts';

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

/** What to throw for a failure of kafkajs: brokers that cannot be reached are the operator's to mend. */
function nameBrokers(error: unknown, brokers: string[]): unknown {
  const { name, message } = error as Error;
  if (!/^KafkaJS(Connection|NumberOfRetries|BrokerNotFound)/.test(name)) return error;
  return new OpsError(`Kafka at ${brokers.join(', ')} does not answer: ${message}`, { cause: error });
}

/**
 * Runs `work` as `withAdmin` does, for commands.
 *
 * @param brokers `host:port` of each
 * @throws OpsError where none of them answers; whatever else kafkajs or `work` throws
 */
export async function askBrokers<T>(brokers: string[], work: (admin: Admin) => Promise<T>): Promise<T> {
  try {
    return await withAdmin(brokers, work);
  } catch (error) {
    throw nameBrokers(error, brokers);
  }
}

/**
 * Connects once, for the sake of what is said where that fails.
 *
 * @param brokers `host:port` of each
 * @throws OpsError where none of them answers
 */
export async function requireBrokers(brokers: string[]): Promise<void> {
  await askBrokers(brokers, async () => {});
}
