/**
 * Which servers the commands of `npm run ops` talk to: those the environment names, else those of the service
 * that `npm start` runs on the same DATA_DIR and describes in `run/service.env` there.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { TopicsOptions } from '../kafka/topics.ts';
import { MAX_PARTITIONS } from '../schemas/cursor.ts';
import {
  type Environment,
  readBrokers,
  readInteger,
  readRetention,
  readText,
} from '../service/environment.ts';
import { OperatorError } from '../service/operator-error.ts';

/** What the topics are made for, on servers that the caller knows already. */
export type TopicConfig = Omit<TopicsOptions, 'brokers'>;

export type KafkaConfig = TopicsOptions;

export interface DatabaseConfig {
  databaseUrl: string;
}

export interface OpsConfig extends KafkaConfig, DatabaseConfig {}

/** What a running service says of its Kafka, which goes together: its topics are made for these values. */
const KAFKA_NAMES = ['KAFKA_BROKERS', 'TOPIC_PREFIX', 'RETENTION_MS', 'CHANGES_PARTITIONS'];

/**
 * The environment, with what it lacks filled in from the service that runs on its DATA_DIR.
 *
 * @param env the process's environment; DATA_DIR defaults to `.data`
 */
export function readEnv(env: Environment): Environment {
  const file = path.join(readText(env, 'DATA_DIR') ?? '.data', 'run', 'service.env');
  let running: Environment = {};
  try {
    running = parseEnv(readFileSync(file, 'utf8'));
  } catch {
    // No service runs here; what is missing is said when it is needed.
  }
  const merged: Record<string, string | undefined> = { ...env };
  const lacking =
    readText(env, 'KAFKA_BROKERS') === null ? [...KAFKA_NAMES, 'DATABASE_URL'] : ['DATABASE_URL'];
  for (const name of lacking) merged[name] = readText(env, name) ?? running[name];
  return merged;
}

/**
 * The settings of the topics alone, for callers that know their servers already.
 *
 * @throws OperatorError for a value that cannot be right
 */
export function createTopicConfig(values: Environment): TopicConfig {
  return {
    topicPrefix: readText(values, 'TOPIC_PREFIX') ?? '',
    retentionMs: readRetention(values),
    changesPartitions: readInteger(values, 'CHANGES_PARTITIONS', { min: 1, max: MAX_PARTITIONS }) ?? 12,
  };
}

function requireText(values: Environment, name: string): string {
  const text = readText(values, name);
  if (text !== null) return text;
  throw new OperatorError(
    `${name} is not given and no service runs on this DATA_DIR: start one with "npm start", ` +
      `give the DATA_DIR it was started with, or set ${name}.`,
  );
}

/**
 * For commands that need Kafka alone.
 *
 * @param values what readEnv gave, or a test's own
 * @throws OperatorError where no broker is named, or a value cannot be right
 */
export function createKafkaConfig(values: Environment): KafkaConfig {
  requireText(values, 'KAFKA_BROKERS');
  return { brokers: readBrokers(values) ?? [], ...createTopicConfig(values) };
}

/**
 * For commands that need Postgres alone.
 *
 * @param values what readEnv gave, or a test's own
 * @throws OperatorError where no database is named
 */
export function createDatabaseConfig(values: Environment): DatabaseConfig {
  return { databaseUrl: requireText(values, 'DATABASE_URL') };
}

/**
 * For commands that need both.
 *
 * @param values what readEnv gave, or a test's own
 * @throws OperatorError where a server is not named, or a value cannot be right
 */
export function createConfig(values: Environment): OpsConfig {
  return { ...createDatabaseConfig(values), ...createKafkaConfig(values) };
}
