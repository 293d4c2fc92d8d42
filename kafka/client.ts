import { Kafka, type LogEntry, logLevel } from 'kafkajs';
import type { Logger } from '../service/log.ts';

let silenced = false;

/**
 * kafkajs 2.2 arms a timer at a time in the past, which newer versions of Node call a TimeoutNegativeWarning. It is
 * harmless, and says nothing to whoever reads our output: exactly that warning is dropped.
 */
function silenceNegativeTimeouts(): void {
  if (silenced) return;
  silenced = true;
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]) => {
    const kind = args[1];
    if (kind !== 'TimeoutNegativeWarning') emitWarning(...args);
  };
}

/**
 * What kafkajs calls an error is mostly a broker that moves or a coordinator that loads, which it then handles itself;
 * what it cannot handle it throws, or says to whoever runs a consumer. So an answer that it will ask for again and the
 * end of a consumer are debugging to us, a connection that fails is a warning, and so on down.
 */
function writeKafkaLog(log: Logger, { level, label, log: { message, error } }: LogEntry): void {
  const write = level === logLevel.ERROR && !/^(Response|Crash:) /.test(message) ? 'warn' : 'debug';
  log[write]({ label, reason: error }, `kafka: ${message}`);
}

/**
 * A kafkajs client. Without a log it is silent: what goes wrong is thrown, and the caller says it.
 *
 * @param options.brokers `host:port` of each.
 * @param options.retries how often a request is tried again before it fails.
 */
export function createKafkaClient({
  brokers,
  clientId,
  log,
  retries = 5,
}: {
  brokers: string[];
  clientId: string;
  log?: Logger;
  retries?: number;
}): Kafka {
  silenceNegativeTimeouts();
  // kafkajs would recommend at every start to read how version 2 places keys.
  process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1';
  return new Kafka({
    clientId,
    brokers,
    connectionTimeout: 3000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 100, maxRetryTime: 5000, retries },
    logLevel: log ? logLevel.WARN : logLevel.NOTHING,
    logCreator: () => (entry) => {
      if (log) writeKafkaLog(log, entry);
    },
  });
}
