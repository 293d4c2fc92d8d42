import { type Brokers, readBrokers } from './brokers.ts';
import { readReplicaUrls, requireDatabaseUrl } from './database-address.ts';
import { type Environment, readText, readTopicPrefix, SettingError } from './environment.ts';

/** The servers that every process of the service connects to. */
export interface Servers {
  databaseUrl: string;
  /** The replicas of the database that gateways may read from. The relay manages them. */
  readDatabaseUrls?: readonly string[];
  brokers: Brokers;
  /** The beginning of every topic's name; empty in ordinary use. */
  topicPrefix: string;
  /** The address that the process listens on; null for all of its machine. */
  host?: string | null;
}

/** @throws SettingError if DATABASE_URL or KAFKA_BROKERS is missing, or a setting of the servers is invalid */
export function readServers(env: Environment): Servers {
  const databaseUrl = requireDatabaseUrl(env);
  const brokers = readBrokers(env);
  if (brokers === null) {
    throw new SettingError(
      'KAFKA_BROKERS is not set; it must be like host:9092. Without it, DATA_DIR must be that of a running "npm start".',
    );
  }
  return {
    databaseUrl,
    readDatabaseUrls: readReplicaUrls(env),
    brokers,
    topicPrefix: readTopicPrefix(env),
    host: readText(env, 'HOST'),
  };
}
