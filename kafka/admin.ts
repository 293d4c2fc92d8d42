import kafkajs, { type Admin } from 'kafkajs';
import { OperatorError } from '../service/operator-error.ts';
import { createKafkaClient } from './client.ts';

export type { Admin };

/** The resource type of topics in describeConfigs and alterConfigs. */
export const TOPIC_RESOURCE = kafkajs.ConfigResourceTypes.TOPIC;

/** Names of the kafkajs errors that mean that no broker answers. */
const UNREACHABLE = /^KafkaJS(Connection|NumberOfRetries|BrokerNotFound)/;

function nameBrokers(error: unknown, brokers: string[]): unknown {
  const { name, message } = error as Error;
  if (!UNREACHABLE.test(name)) return error;
  return new OperatorError(`Kafka at ${brokers.join(', ')} does not answer: ${message}`, { cause: error });
}

/**
 * Runs `work` with a connected admin client, and disconnects it whatever happens.
 *
 * @param brokers `host:port` of each
 * @param options.retries how often a request is tried again before it fails
 * @throws OperatorError if no broker answers, and whatever else kafkajs or `work` throws
 */
export async function withAdmin<T>(
  brokers: string[],
  work: (admin: Admin) => Promise<T>,
  { retries = 5 }: { retries?: number } = {},
): Promise<T> {
  const admin = createKafkaClient({ brokers, clientId: 'ballot-endorsements-admin', retries }).admin();
  try {
    await admin.connect();
    return await work(admin);
  } catch (error) {
    throw nameBrokers(error, brokers);
  } finally {
    await admin.disconnect();
  }
}

/**
 * Checks that Kafka can be reached.
 *
 * @param brokers `host:port` of each
 * @throws OperatorError if no broker answers
 */
export async function requireBrokers(brokers: string[]): Promise<void> {
  await withAdmin(brokers, async () => {});
}
