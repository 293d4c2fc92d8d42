/** The environment of `npm start`, read in two steps: text to values here, servers made from values elsewhere. */
import path from 'node:path';
import { type Environment, readBrokers, readDate, readInteger, readText } from '../../service/environment.ts';
import { createTopicConfig, type TopicConfig } from '../config.ts';
import { OpsError } from '../ops-error.ts';

const PORTS = { min: 1, max: 65_535 };
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

export interface StartConfig extends TopicConfig {
  /** The gateway's port. */
  port: number;
  /** The port of the gateway's metrics; the consumers' are on the next. */
  metricsPort: number | null;
  /** An absolute path. */
  dataDir: string;
  /** A Postgres to use instead of the embedded one. */
  databaseUrl: string | null;
  /** A Kafka to use instead of the embedded one. */
  brokers: string[] | null;
  /** Whether to load demo data into an empty store, and to keep endorsements changing. */
  demo: boolean;
  /** The date that `upcoming` counts from, or null for the clock's. */
  today: string | null;
}

/**
 * @param env the process's environment
 * @throws OpsError naming the variable that cannot be right, its value, and what would be
 */
export function createStartConfig(env: Environment): StartConfig {
  // These go to the gateway as they are; a mistake in one is better said before servers are started.
  for (const name of ['STREAM_LIFETIME_MS', 'STREAM_HEARTBEAT_MS']) {
    readInteger(env, name, { min: 1, max: YEAR_MS });
  }
  const port = readInteger(env, 'PORT', PORTS) ?? 8080;
  const metricsPort = readInteger(env, 'METRICS_PORT', { ...PORTS, max: PORTS.max - 1 });
  if (metricsPort === port) throw new OpsError(`PORT and METRICS_PORT are both ${port}; they must differ.`);
  return {
    port,
    metricsPort,
    dataDir: path.resolve(readText(env, 'DATA_DIR') ?? '.data'),
    databaseUrl: readText(env, 'DATABASE_URL'),
    brokers: readBrokers(env),
    demo: readText(env, 'DEMO') !== '0',
    today: readDate(env, 'TODAY'),
    ...createTopicConfig(env),
  };
}
