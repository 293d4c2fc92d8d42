import kafkajs, { type Admin } from 'kafkajs';
import { type Brokers, nameBrokers, nameProtocol } from '../../service/brokers.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { createKafkaClient } from './client.ts';
import { explainingRefusals } from './refusal.ts';
import { errorsWithin, type Operation, withRight } from './rights.ts';

export type { Admin };

/** The resource type of topics in describeConfigs and alterConfigs. */
export const TOPIC_RESOURCE = kafkajs.ConfigResourceTypes.TOPIC;

/** Names of the kafkajs errors that mean that no broker answers. */
const UNREACHABLE = /^KafkaJS(Connection|NumberOfRetries|BrokerNotFound)/;

/** The message of kafkajs for a broker that does so, as one does with a client of another protocol. */
const HUNG_UP = 'Closed connection';

function describeUnreachable(error: unknown, brokers: Brokers): unknown {
  const { name, message } = error as Error;
  if (!UNREACHABLE.test(name)) return error;
  if (message === HUNG_UP) {
    return new OperatorError(
      `${nameBrokers(brokers)} ends the connection: check that its listener is ${nameProtocol(brokers)}, as ` +
        'KAFKA_SECURITY_PROTOCOL says.',
      { cause: error },
    );
  }
  return new OperatorError(`${nameBrokers(brokers)} does not answer: ${message}`, { cause: error });
}

/**
 * Runs `work` with a connected admin client, and disconnects it whatever happens.
 *
 * @param options.retries how often a request is tried again before it fails
 * @throws OperatorError if no broker answers or Kafka refuses this process, and whatever else kafkajs or `work` throws
 */
export async function withAdmin<T>(
  brokers: Brokers,
  work: (admin: Admin) => Promise<T>,
  { retries = 5 }: { retries?: number } = {},
): Promise<T> {
  const admin = createKafkaClient({ brokers, clientId: 'ballot-endorsements-admin', retries }).admin();
  try {
    return await explainingRefusals(brokers, async () => {
      await admin.connect();
      return work(admin);
    });
  } catch (error) {
    throw describeUnreachable(error, brokers);
  } finally {
    await admin.disconnect();
  }
}

/** Kafka's error of a broker that does not know a topic. */
export const UNKNOWN_TOPIC = 'UNKNOWN_TOPIC_OR_PARTITION';

/**
 * Whether a topic is there. A list of topics leaves out those that this process may not see, so a missing one is asked
 * for by name.
 *
 * @param operation the right that the caller needs, which is named if it is missing
 * @throws OperatorError if no broker answers, or Kafka refuses this process
 */
export async function topicExists(
  brokers: Brokers,
  topic: string,
  operation: Operation = 'Describe',
): Promise<boolean> {
  if (await withAdmin(brokers, async (admin) => (await admin.listTopics()).includes(topic))) return true;
  const right = { operation, resource: 'topic', name: topic } as const;
  const ask = (admin: Admin) => withRight(right, () => admin.fetchTopicMetadata({ topics: [topic] }));
  try {
    // kafkajs would ask again and again for a topic that is not there.
    await withAdmin(brokers, ask, { retries: 0 });
    return true;
  } catch (error) {
    if ([...errorsWithin(error)].some(({ type }) => type === UNKNOWN_TOPIC)) return false;
    throw error;
  }
}

/**
 * Checks that Kafka can be reached.
 *
 * @throws OperatorError if no broker answers, or Kafka refuses this process
 */
export async function requireBrokers(brokers: Brokers): Promise<void> {
  await withAdmin(brokers, async () => {});
}
