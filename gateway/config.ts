import {
  type Environment,
  readBrokers,
  readDate,
  readInteger,
  readPort,
  readRetention,
  readText,
  requireText,
} from '../service/environment.ts';

export interface GatewayConfig {
  databaseUrl: string;
  brokers: string[];
  topicPrefix: string;
  port: number;
  metricsPort: number;
  /** The date that `upcoming` counts from, YYYY-MM-DD; undefined for the clock's. */
  today: string | undefined;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  /** How long a stream lasts before it is asked to reconnect, in milliseconds. */
  streamLifetimeMs: number;
  /** How often a stream gets a sign of life, in milliseconds. */
  streamHeartbeatMs: number;
  /** How much of the change stream is kept in memory, in bytes. */
  feedMemoryBytes: number;
  /** How long a stopping gateway takes to send its streams away, in milliseconds. */
  drainMs: number;
}

const MINUTE_MS = 60_000;
const MEGABYTE = 1024 * 1024;

/**
 * The settings of a gateway, out of environment variables or a test's own values.
 *
 * @throws SettingError where one is missing or cannot be right.
 */
export function createConfig(env: Environment): GatewayConfig {
  return {
    databaseUrl: requireText(env, 'DATABASE_URL', 'postgres://user:password@host/database'),
    brokers: readBrokers(env, 'KAFKA_BROKERS'),
    topicPrefix: readText(env, 'TOPIC_PREFIX') ?? '',
    port: readPort(env, 'PORT', 8080),
    metricsPort: readPort(env, 'METRICS_PORT', 9090),
    today: readDate(env, 'TODAY'),
    retentionMs: readRetention(env),
    streamLifetimeMs: readInteger(env, 'STREAM_LIFETIME_MS', {
      min: 1000,
      max: 24 * 60 * MINUTE_MS,
      fallback: 60 * MINUTE_MS,
    }),
    streamHeartbeatMs: readInteger(env, 'STREAM_HEARTBEAT_MS', {
      min: 100,
      max: MINUTE_MS,
      fallback: 20_000,
    }),
    feedMemoryBytes: readInteger(env, 'FEED_MEMORY_MB', { min: 1, max: 16_384, fallback: 64 }) * MEGABYTE,
    drainMs: readInteger(env, 'DRAIN_MS', { min: 0, max: 10 * MINUTE_MS, fallback: 5000 }),
  };
}
