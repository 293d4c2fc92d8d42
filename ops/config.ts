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

export interface OpsConfig {
  databaseUrl: string;
  /** `host:port` of each broker. */
  brokers: string[];
  /** What every topic's name begins with; empty in ordinary use. */
  topicPrefix: string;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  changesPartitions: number;
}

/** What the change topic is made for, as the environment says it. */
export type TopicConfig = Pick<OpsConfig, 'topicPrefix' | 'retentionMs' | 'changesPartitions'>;

/**
 * The environment, with DATABASE_URL and KAFKA_BROKERS filled in from the running service where it lacks them.
 *
 * @param env the process's environment; DATA_DIR defaults to `.data`
 */
export function readEnv(env: Environment): Environment {
  const file = path.join(readText(env, 'DATA_DIR') ?? '.data', 'run', 'service.env');
  let running: Environment = {};
  try {
    running = parseEnv(readFileSync(file, 'utf8'));
  } catch {
    // No service runs here; createConfig says what is missing.
  }
  return {
    ...env,
    DATABASE_URL: readText(env, 'DATABASE_URL') ?? running.DATABASE_URL,
    KAFKA_BROKERS: readText(env, 'KAFKA_BROKERS') ?? running.KAFKA_BROKERS,
  };
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

/**
 * @param values what readEnv gave, or a test's own
 * @throws OpsError where a server is not named, or a value cannot be right
 */
export function createConfig(values: Environment): OpsConfig {
  const databaseUrl = readText(values, 'DATABASE_URL');
  const brokers = readText(values, 'KAFKA_BROKERS');
  if (databaseUrl === null || brokers === null) {
    const missing = databaseUrl === null ? 'DATABASE_URL' : 'KAFKA_BROKERS';
    throw new OpsError(
      `${missing} is not given and no service runs on this DATA_DIR: start one with "npm start", ` +
        `give the DATA_DIR it was started with, or set DATABASE_URL and KAFKA_BROKERS.`,
    );
  }
  return { databaseUrl, brokers: parseBrokers(brokers), ...createTopicConfig(values) };
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
