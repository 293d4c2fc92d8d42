/**
 * The servers for the commands of `npm run ops`: from the environment, or else from the service that `npm start` runs
 * on the same DATA_DIR and describes in `run/service.env` there.
 */
import type { TopicsOptions } from '../kafka/topics/topics.ts';
import { MAX_PARTITIONS } from '../schemas/cursor.ts';
import { readBrokers } from '../service/brokers.ts';
import { readDatabaseUrl } from '../service/database-address.ts';
import { type Environment, readInteger, readRetention, readTopicPrefix } from '../service/environment.ts';
import { OperatorError } from '../service/operator-error.ts';

/** The settings of the topics, for callers that already know their brokers. */
export type TopicConfig = Omit<TopicsOptions, 'brokers'>;

export type KafkaConfig = TopicsOptions;

export interface DatabaseConfig {
  databaseUrl: string;
}

export interface OpsConfig extends KafkaConfig, DatabaseConfig {}

/** Reads only the settings of the topics. @throws OperatorError if a value is invalid */
export function createTopicConfig(values: Environment): TopicConfig {
  return {
    topicPrefix: readTopicPrefix(values),
    retentionMs: readRetention(values),
    changesPartitions: readInteger(values, 'CHANGES_PARTITIONS', { min: 1, max: MAX_PARTITIONS }) ?? 12,
  };
}

function missing(name: string): OperatorError {
  return new OperatorError(
    `${name} is not set and no service runs on this DATA_DIR: start one with "npm start", ` +
      `set the DATA_DIR that it was started with, or set ${name}.`,
  );
}

/**
 * Reads the settings of commands that need only Kafka.
 *
 * @param values the result of readEnv, or a test's own values
 * @throws OperatorError if no broker is named or a value is invalid
 */
export function createKafkaConfig(values: Environment): KafkaConfig {
  const brokers = readBrokers(values);
  if (brokers === null) throw missing('KAFKA_BROKERS');
  return { brokers, ...createTopicConfig(values) };
}

/**
 * Reads the settings of commands that need only Postgres.
 *
 * @param values the result of readEnv, or a test's own values
 * @throws OperatorError if no database is named
 */
export function createDatabaseConfig(values: Environment): DatabaseConfig {
  const databaseUrl = readDatabaseUrl(values);
  if (databaseUrl === null) throw missing('DATABASE_URL');
  return { databaseUrl };
}

/**
 * Reads the settings of commands that need both servers.
 *
 * @param values the result of readEnv, or a test's own values
 * @throws OperatorError if a server is not named or a value is invalid
 */
export function createConfig(values: Environment): OpsConfig {
  return { ...createDatabaseConfig(values), ...createKafkaConfig(values) };
}
