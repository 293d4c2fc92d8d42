/**
 * Which servers the commands of `npm run ops` talk to: those the environment names, else those of the service
 * that `npm start` runs on the same DATA_DIR and describes in `run/service.env` there.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { type Environment, readInteger, readText } from './environment.ts';
import { OpsError } from './ops-error.ts';

const ONE_WEEK_MS = 7 * 24 * 60 * 60 * 1000;

/** The longest window that makes sense: a year. Beyond it a value is more likely in the wrong unit. */
const LONGEST_RETENTION_MS = 366 * 24 * 60 * 60 * 1000;

/** What the topics are made for. */
export interface TopicConfig {
  /** What every topic's name begins with; empty in ordinary use. */
  topicPrefix: string;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  changesPartitions: number;
}

export interface KafkaConfig extends TopicConfig {
  /** `host:port` of each broker. */
  brokers: string[];
}

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
  const merged: Environment = { ...env };
  const lacking =
    readText(env, 'KAFKA_BROKERS') === null ? [...KAFKA_NAMES, 'DATABASE_URL'] : ['DATABASE_URL'];
  for (const name of lacking) merged[name] = readText(env, name) ?? running[name];
  return merged;
}

/**
 * The settings of the topics alone, for callers that know their servers already.
 *
 * @throws OpsError for a value that cannot be right
 */
export function createTopicConfig(values: Environment): TopicConfig {
  return {
    topicPrefix: readText(values, 'TOPIC_PREFIX') ?? '',
    retentionMs: readInteger(values, 'RETENTION_MS', { min: 1000, max: LONGEST_RETENTION_MS }) ?? ONE_WEEK_MS,
    changesPartitions: readInteger(values, 'CHANGES_PARTITIONS', { min: 1, max: 1000 }) ?? 12,
  };
}

function requireText(values: Environment, name: string): string {
  const text = readText(values, name);
  if (text !== null) return text;
  throw new OpsError(
    `${name} is not given and no service runs on this DATA_DIR: start one with "npm start", ` +
      `give the DATA_DIR it was started with, or set ${name}.`,
  );
}

/**
 * For commands that need Kafka alone.
 *
 * @param values what readEnv gave, or a test's own
 * @throws OpsError where no broker is named, or a value cannot be right
 */
export function createKafkaConfig(values: Environment): KafkaConfig {
  return { brokers: parseBrokers(requireText(values, 'KAFKA_BROKERS')), ...createTopicConfig(values) };
}

/**
 * For commands that need Postgres alone.
 *
 * @param values what readEnv gave, or a test's own
 * @throws OpsError where no database is named
 */
export function createDatabaseConfig(values: Environment): DatabaseConfig {
  return { databaseUrl: requireText(values, 'DATABASE_URL') };
}

/**
 * For commands that need both.
 *
 * @param values what readEnv gave, or a test's own
 * @throws OpsError where a server is not named, or a value cannot be right
 */
export function createConfig(values: Environment): OpsConfig {
  return { ...createDatabaseConfig(values), ...createKafkaConfig(values) };
}

/**
 * @param text `host:port`, comma-separated
 * @throws OpsError where an item is not `host:port`
 */
export function parseBrokers(text: string): string[] {
  const brokers = text.split(',').map((item) => item.trim());
  for (const broker of brokers) {
    if (!/^[^\s:]+:\d{1,5}$|^\[[^\]]+\]:\d{1,5}$/.test(broker)) {
      throw new OpsError(`KAFKA_BROKERS is "${text}"; it must be host:port, comma-separated.`);
    }
  }
  return brokers;
}
