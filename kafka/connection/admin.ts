import kafkajs, { type Admin } from 'kafkajs';
import { type Brokers, nameBrokers, nameProtocol } from '../../service/brokers.ts';
import { withDeadline } from '../../service/deadline.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { createKafkaClient } from './client.ts';
import { explainingRefusals } from './refusal.ts';
import { isUnknownTopic, type Operation, withRight } from './rights.ts';

export type { Admin };

/** The resource type of topics in describeConfigs and alterConfigs. */
export const TOPIC_RESOURCE = kafkajs.ConfigResourceTypes.TOPIC;

/** Names of the kafkajs errors if no broker answers. */
const UNREACHABLE = /^KafkaJS(Connection|NumberOfRetries|BrokerNotFound)/;

/** The message of kafkajs if a broker hangs up, for instance on a client of another protocol. */
const HUNG_UP = 'Closed connection';
/** The message of kafkajs if a broker accepts connections and then stays silent. */
const SILENT = 'Broker not connected';

/** The longest wait for the first answer of a broker, in milliseconds. */
const ANSWER_MS = 10_000;

function describeUnreachable(error: unknown, brokers: Brokers): unknown {
  const { name, message } = error as Error;
  if (message === SILENT) return describeSilent(brokers, error);
  if (!UNREACHABLE.test(name)) return error;
  if (message === HUNG_UP) {
    return new OperatorError(
      `${nameBrokers(brokers)} ends the connection: check that its listener is ${nameProtocol(brokers)}, as ` +
        'KAFKA_SECURITY_PROTOCOL says.',
      { cause: error },
    );
  }
  const sentence = `${nameBrokers(brokers)} does not answer (${message}): start it, or correct KAFKA_BROKERS.`;
  return new OperatorError(sentence, { cause: error });
}

function describeSilent(brokers: Brokers, cause?: unknown): OperatorError {
  return new OperatorError(`${nameBrokers(brokers)} gave no answer: check the server and the way to it.`, {
    cause,
  });
}

/**
 * Runs `work` with a connected admin client, and always disconnects it.
 *
 * @param options.retries how often a failed request is retried
 * @throws OperatorError if no broker answers or Kafka refuses this process; otherwise the error of kafkajs or
 * `work`
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

/**
 * Whether a topic exists. A list of topics omits those that this process may not see, so this asks for a
 * missing topic by name.
 *
 * @param operation the right that the caller needs; the error names it if it is missing
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
    // Without this, kafkajs would ask for a missing topic again and again.
    await withAdmin(brokers, ask, { retries: 0 });
    return true;
  } catch (error) {
    if (isUnknownTopic(error)) return false;
    throw error;
  }
}

/**
 * Checks that Kafka can be reached: that one of the brokers answers. Each is asked by itself, because kafkajs keeps to
 * a broker that accepts its connection and then stays silent.
 *
 * @throws OperatorError if no broker answers, or Kafka refuses this process
 */
export async function requireBrokers(brokers: Brokers): Promise<void> {
  const answers = brokers.addresses.map((address) =>
    withAdmin({ ...brokers, addresses: [address] }, (admin) => admin.describeCluster()),
  );
  const first = Promise.any(answers).catch(({ errors }: AggregateError) => {
    throw errors[0];
  });
  await withDeadline(first, ANSWER_MS, () => describeSilent(brokers));
}
