import {
  type Environment,
  readDate,
  readInteger,
  readPort,
  readRetention,
  readServers,
  type Servers,
} from '../service/environment.ts';
import { STOP_DEADLINE_MS } from '../service/lifecycle.ts';

export interface GatewayConfig extends Servers {
  port: number;
  metricsPort: number;
  /** The date that `upcoming` counts from, YYYY-MM-DD; null for the clock's. */
  today: string | null;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  /** How long a stream lasts before it is asked to reconnect, in milliseconds. */
  streamLifetimeMs: number;
  /** How often a stream gets a sign of life, in milliseconds. */
  streamHeartbeatMs: number;
  /** How much of the change stream is kept in memory, in bytes. */
  feedMemoryBytes: number;
  /** The most requests of an account, long polls included, that the gateway works on at a time. */
  accountConcurrency: number;
  /** How long a client may take to send the headers of a request, and the whole of it, in milliseconds. */
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  /** How many proxies in front may be believed whom they forward for; 0 for none. */
  trustedProxies: number;
  /** How much of what readers of older changes were given is kept for others, in bytes. */
  feedReplayBytes: number;
  /** How much of the answers that were given is kept to be given again, in bytes; 0 for nothing. */
  responseMemoryBytes: number;
  /** How long a stopping gateway takes to send its streams away, in milliseconds. */
  drainMs: number;
}

const MINUTE_MS = 60_000;
/** What stopping may still take once all streams were sent away, in milliseconds. */
const AFTER_DRAIN_MS = 10_000;
const MEGABYTE = 1024 * 1024;

/**
 * The settings of a gateway, out of environment variables or a test's own values.
 *
 * @throws SettingError where one is missing or cannot be right.
 */
export function createConfig(env: Environment): GatewayConfig {
  const number = (name: string, min: number, max: number) => readInteger(env, name, { min, max });
  return {
    ...readServers(env),
    port: readPort(env, 'PORT') ?? 8080,
    metricsPort: readPort(env, 'METRICS_PORT') ?? 9090,
    today: readDate(env, 'TODAY'),
    retentionMs: readRetention(env),
    streamLifetimeMs: number('STREAM_LIFETIME_MS', 1000, 24 * 60 * MINUTE_MS) ?? 60 * MINUTE_MS,
    streamHeartbeatMs: number('STREAM_HEARTBEAT_MS', 100, MINUTE_MS) ?? 20_000,
    feedMemoryBytes: (number('FEED_MEMORY_MB', 1, 16_384) ?? 64) * MEGABYTE,
    accountConcurrency: number('ACCOUNT_CONCURRENCY', 1, 1_000_000) ?? 1000,
    headersTimeoutMs: number('HEADERS_TIMEOUT_MS', 100, 10 * MINUTE_MS) ?? 10_000,
    requestTimeoutMs: number('REQUEST_TIMEOUT_MS', 100, 10 * MINUTE_MS) ?? 30_000,
    trustedProxies: number('TRUST_PROXY', 0, 10) ?? 0,
    feedReplayBytes: (number('FEED_REPLAY_MB', 1, 16_384) ?? 32) * MEGABYTE,
    responseMemoryBytes: (number('RESPONSE_MEMORY_MB', 0, 16_384) ?? 32) * MEGABYTE,
    drainMs: number('DRAIN_MS', 0, STOP_DEADLINE_MS - AFTER_DRAIN_MS) ?? 5000,
  };
}
