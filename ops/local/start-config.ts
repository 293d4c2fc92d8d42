/** The settings of `npm start`, read from the environment. */

import path from 'node:path';
import { createConfig as createConsumersConfig } from '../../consumers/config.ts';
import { createConfig as createGatewayConfig } from '../../gateway/config.ts';
import { type Brokers, KAFKA_SECURITY_SETTINGS, readBrokers } from '../../service/brokers.ts';
import { DATABASE_SETTINGS, readDatabaseUrl } from '../../service/database-address.ts';
import { type Environment, readInteger, readText, SettingError } from '../../service/environment.ts';
import { readLogLevel } from '../../service/log.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readDataDir } from '../../service/running-service.ts';
import { createTopicConfig, type TopicConfig } from '../config.ts';
import { isQuotable } from './processes/run-files.ts';

const PORTS = { min: 1, max: 65_535 };
/** Placeholders for the addresses of servers before their start. */
const SERVERS_TO_COME = { DATABASE_URL: 'postgres://to-come', KAFKA_BROKERS: 'to-come:9092' };

export interface StartConfig extends TopicConfig {
  /** The gateway's port. */
  port: number;
  /** The address that the gateway, its metrics and the consumers' listen on. */
  host: string;
  /** The port of the gateway's metrics. Further gateway processes and then the consumers use the next ports. */
  metricsPort: number | null;
  /** The number of gateway processes. */
  gatewayProcesses: number;
  /** An absolute path. */
  dataDir: string;
  /** A Postgres to use instead of the embedded one. */
  databaseUrl: string | null;
  /** A Kafka to use instead of the embedded one. */
  brokers: Brokers | null;
  /** Whether to load demo data into an empty store, and to keep changing endorsements. */
  demo: boolean;
  /** The date from which `upcoming` counts; null for the clock's. */
  today: string | null;
  /** The service's public address; null for this machine's. */
  publicUrl: string | null;
  /** Whether the gateway serves the console. */
  hasConsole: boolean;
  /** Whether to start only Postgres and Kafka. */
  serversOnly: boolean;
}

const SERVERS_ONLY = '--servers-only';

/**
 * @param args the arguments after `npm start --`
 * @returns whether they ask for the servers only
 * @throws OperatorError if there is another argument, or npm has swallowed the option
 */
function readServersOnly(args: string[], env: Environment): boolean {
  const unknown = args.find((argument) => argument !== SERVERS_ONLY);
  if (unknown !== undefined) {
    throw new OperatorError(
      `Unknown argument "${unknown}": "npm start" takes only ${SERVERS_ONLY}, as in "npm start -- ${SERVERS_ONLY}"; ` +
        'everything else is set by environment variables, which docs/operations.md lists.',
    );
  }
  const isAsked = args.length > 0;
  // npm turns an option before the "--" into this variable, and passes it to no program.
  if (!isAsked && readText(env, 'npm_config_servers_only') !== null) {
    throw new OperatorError(`npm did not pass ${SERVERS_ONLY} on: write "npm start -- ${SERVERS_ONLY}".`);
  }
  return isAsked;
}

/** Refuses settings for a server that this start makes itself, without certificates or passwords. */
function refuseLonely(env: Environment, names: readonly string[], server: string): void {
  const name = names.find((each) => readText(env, each) !== null);
  if (name !== undefined) {
    throw new OperatorError(`${name} is set without ${server}, to which it belongs: set both or neither.`);
  }
}

/** @throws SettingError if the file of the servers' addresses cannot hold the folder's name, see `writeServiceEnv` */
function resolveDataDir(env: Environment): string {
  const dataDir = path.resolve(readDataDir(env));
  if (!isQuotable(dataDir)) {
    throw new SettingError(
      `DATA_DIR is "${dataDir}"; a path with an apostrophe must have none of " $ \` \\: choose another folder.`,
    );
  }
  return dataDir;
}

/**
 * @param env the process's environment
 * @param args the arguments after `npm start --`
 * @throws OperatorError, SettingError with the invalid variable, its value, and its valid form
 */
export function createStartConfig(env: Environment, args: string[]): StartConfig {
  const serversOnly = readServersOnly(args, env);
  const databaseUrl = readDatabaseUrl(env);
  const brokers = readBrokers(env);
  refuseLonely(env, databaseUrl === null ? DATABASE_SETTINGS : [], 'DATABASE_URL');
  refuseLonely(env, brokers === null ? KAFKA_SECURITY_SETTINGS : [], 'KAFKA_BROKERS');
  // The programs read their own settings later; invalid ones are reported here, before a server starts.
  const handedOn = {
    ...env,
    DATABASE_URL: databaseUrl ?? SERVERS_TO_COME.DATABASE_URL,
    KAFKA_BROKERS: brokers?.addresses.join(',') ?? SERVERS_TO_COME.KAFKA_BROKERS,
  };
  const { today, publicUrl, hasConsole, processes: gatewayProcesses } = createGatewayConfig(handedOn);
  createConsumersConfig(handedOn);
  readLogLevel(env);
  const port = readInteger(env, 'PORT', PORTS) ?? 8080;
  const metricsPorts = { min: 0, max: PORTS.max - gatewayProcesses };
  // 0 asks for a free port, and so does no port.
  const metricsPort = readInteger(env, 'METRICS_PORT', metricsPorts) || null;
  if (metricsPort === port)
    throw new OperatorError(`PORT and METRICS_PORT are both ${port}; they must differ.`);
  if (serversOnly && databaseUrl !== null && brokers !== null) {
    throw new OperatorError(
      `DATABASE_URL and KAFKA_BROKERS name both servers, so ${SERVERS_ONLY} has nothing to start: unset one of them.`,
    );
  }
  return {
    port,
    host: readText(env, 'HOST') ?? '127.0.0.1',
    metricsPort,
    gatewayProcesses,
    dataDir: resolveDataDir(env),
    databaseUrl,
    brokers,
    demo: readInteger(env, 'DEMO', { min: 0, max: 1 }) !== 0,
    today,
    publicUrl,
    hasConsole,
    serversOnly,
    ...createTopicConfig(env),
  };
}
