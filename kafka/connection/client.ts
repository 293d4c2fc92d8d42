import { Kafka, type LogEntry, logLevel } from 'kafkajs';
import type { Brokers } from '../../service/brokers.ts';
import { dropWarning } from '../../service/drop-warning.ts';
import type { Logger } from '../../service/log.ts';
import { NEW_LOGIN_MS } from './access-token.ts';
import { kafkajsConnection } from './connections.ts';

/**
 * Writes a log entry of kafkajs to ours, at a lower level. kafkajs also logs errors that it handles itself,
 * such as a moving leader or a loading coordinator. It throws those that it cannot handle. So failed
 * responses and crashes of consumers are logged at `debug`, and failed connections at `warn`.
 */
function writeKafkaLog(log: Logger, { level, label, log: { message, error } }: LogEntry): void {
  const write = level === logLevel.ERROR && !/^(Response|Crash:) /.test(message) ? 'warn' : 'debug';
  log[write]({ label, reason: error }, `kafka: ${message}`);
}

/**
 * Creates a kafkajs client. Only this function creates one. Without a log it is silent, because it also
 * throws its errors.
 *
 * @param options.retries how often a failed request is retried
 */
export function createKafkaClient({
  brokers,
  clientId,
  log,
  retries = 5,
}: {
  brokers: Brokers;
  clientId: string;
  log?: Logger;
  retries?: number;
}): Kafka {
  // kafkajs 2.2 sets timers in the past. That is harmless, but newer versions of Node print this warning.
  dropWarning('TimeoutNegativeWarning');
  // Otherwise kafkajs prints advice on its partitioner at every start.
  process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';
  return new Kafka({
    clientId,
    ...kafkajsConnection(brokers),
    connectionTimeout: 3000,
    requestTimeout: 30_000,
    reauthenticationThreshold: NEW_LOGIN_MS,
    retry: { initialRetryTime: 100, maxRetryTime: 5000, retries },
    logLevel: log ? logLevel.WARN : logLevel.NOTHING,
    logCreator: () => (entry) => {
      if (log) writeKafkaLog(log, entry);
    },
  });
}
