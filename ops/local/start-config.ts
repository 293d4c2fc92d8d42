/** The settings of `npm start`, read from the environment. */
import path from 'node:path';
import { createConfig as createConsumersConfig } from '../../consumers/config.ts';
import { createConfig as createGatewayConfig } from '../../gateway/config.ts';
import { type Environment, readBrokers, readInteger, readText } from '../../service/environment.ts';
import { readLogLevel } from '../../service/log.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { createTopicConfig, type TopicConfig } from '../config.ts';

const PORTS = { min: 1, max: 65_535 };
/** They stand in for servers that are yet to be started. */
const SERVERS_TO_COME = { DATABASE_URL: 'postgres://to-come', KAFKA_BROKERS: 'to-come:9092' };

export interface StartConfig extends TopicConfig {
  /** The gateway's port. */
  port: number;
  /** The port of the gateway's metrics; the consumers' metrics are on the next one. */
  metricsPort: number | null;
  /** An absolute path. */
  dataDir: string;
  /** A Postgres to use instead of the embedded one. */
  databaseUrl: string | null;
  /** A Kafka to use instead of the embedded one. */
  brokers: string[] | null;
  /** Whether to load demo data into an empty store, and to keep endorsements changing. */
  demo: boolean;
  /** The date that `upcoming` counts from; null for the clock's. */
  today: string | null;
}

/**
 * @param env the process's environment
 * @throws OperatorError, SettingError with the invalid variable, its value, and the form that it must have
 */
export function createStartConfig(env: Environment): StartConfig {
  const databaseUrl = readText(env, 'DATABASE_URL');
  const brokers = readBrokers(env);
  // The programs read their own settings again; invalid ones are reported here, before a server is started.
  const handedOn = {
    ...env,
    DATABASE_URL: databaseUrl ?? SERVERS_TO_COME.DATABASE_URL,
    KAFKA_BROKERS: brokers?.join(',') ?? SERVERS_TO_COME.KAFKA_BROKERS,
  };
  const { today } = createGatewayConfig(handedOn);
  createConsumersConfig(handedOn);
  readLogLevel(env);
  const port = readInteger(env, 'PORT', PORTS) ?? 8080;
  const metricsPort = readInteger(env, 'METRICS_PORT', { ...PORTS, max: PORTS.max - 1 });
  if (metricsPort === port)
    throw new OperatorError(`PORT and METRICS_PORT are both ${port}; they must differ.`);
  return {
    port,
    metricsPort,
    dataDir: path.resolve(readText(env, 'DATA_DIR') ?? '.data'),
    databaseUrl,
    brokers,
    demo: readText(env, 'DEMO') !== '0',
    today,
    ...createTopicConfig(env),
  };
}
