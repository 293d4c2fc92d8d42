/** The one place where ops knows kafkajs. */
import kafkajs, { type Admin, type Kafka } from 'kafkajs';

export type { Admin };

/** What describeConfigs and alterConfigs call a topic. */
export const TOPIC_RESOURCE = kafkajs.ConfigResourceTypes.TOPIC;

let quiet = false;

/**
 * kafkajs 2.2 schedules a check of its request queue at a time in the past, which newer versions of Node call a
 * TimeoutNegativeWarning, once a process. It is harmless, and says nothing to whoever reads our output.
 */
function silenceNegativeTimeouts(): void {
  if (quiet) return;
  quiet = true;
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] === 'TimeoutNegativeWarning') return;
    (emitWarning as (warning: string | Error, ...rest: unknown[]) => void)(warning, ...rest);
  }) as typeof process.emitWarning;
}

/**
 * A kafkajs client that logs nothing: what goes wrong is thrown, and the caller says it.
 *
 * @param brokers `host:port` of each
 * @param options.retries how often a request is tried again before it fails
 */
export function createKafkaClient(brokers: string[], options: { retries?: number } = {}): Kafka {
  silenceNegativeTimeouts();
  return new kafkajs.Kafka({
    clientId: 'ballot-endorsements-ops',
    brokers,
    logLevel: kafkajs.logLevel.NOTHING,
    connectionTimeout: 3000,
    retry: { retries: options.retries ?? 5, initialRetryTime: 100 },
  });
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
