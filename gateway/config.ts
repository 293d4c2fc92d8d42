import { availableParallelism } from 'node:os';
import {
  type Environment,
  readDate,
  readInteger,
  readPort,
  readPublicUrl,
  readRetention,
  readText,
} from '../service/environment.ts';
import { STOP_DEADLINE_MS } from '../service/lifecycle.ts';
import { readServers, type Servers } from '../service/servers.ts';
import { readWebhookSettings, type WebhookSettings } from '../service/webhook-settings.ts';
import { type ConsoleConfig, readProvider } from './console/config.ts';

export interface GatewayConfig extends Servers, ConsoleConfig {
  port: number;
  /** The port of the first process; each further process takes the next port. 0 for free ports. */
  metricsPort: number;
  /** How many processes serve the port. */
  processes: number;
  /** The date of today for `upcoming`, YYYY-MM-DD; null for the clock's date. */
  today: string | null;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  /** How long a stream lasts before its client is asked to reconnect, in milliseconds. */
  streamLifetimeMs: number;
  /** The interval of heartbeats on a stream, in milliseconds. */
  streamHeartbeatMs: number;
  /** The memory for the newest changes of the stream, in bytes. */
  feedMemoryBytes: number;
  /** The most requests of one account, long polls included, that the gateway handles at a time. */
  accountConcurrency: number;
  /** How long a client may take to send the headers of a request, in milliseconds. */
  headersTimeoutMs: number;
  /** How long a client may take to send a whole request, in milliseconds. */
  requestTimeoutMs: number;
  /** How many proxies in front of the gateway are trusted to name the client; 0 for none. */
  trustedProxies: number;
  /** The memory for older changes that were read and may be requested again, in bytes. */
  feedReplayBytes: number;
  /** The memory for answers that can be reused, in bytes; 0 for none. */
  responseMemoryBytes: number;
  /** The memory for ballots, from which recommendations are made, in bytes. */
  ballotMemoryBytes: number;
  /** The settings of webhooks; null if they are off. */
  webhooks: WebhookSettings | null;
  /** Whether the gateway serves the console. */
  hasConsole: boolean;
  /** The time over which a stopping gateway spreads the ends of its streams, in milliseconds. */
  drainMs: number;
}

const MINUTE_MS = 60_000;
/** How long stopping may take after all streams have ended, in milliseconds. */
const AFTER_DRAIN_MS = 10_000;
const MEGABYTE = 1024 * 1024;

const MAX_PROCESSES = 64;

/** @throws SettingError if the setting is neither a number nor `auto`, the number of processors */
function readProcesses(env: Environment): number {
  const name = 'GATEWAY_PROCESSES';
  return readText(env, name) === 'auto'
    ? Math.min(availableParallelism(), MAX_PROCESSES)
    : (readInteger(env, name, { min: 1, max: MAX_PROCESSES, or: 'auto' }) ?? 1);
}

/**
 * Reads the settings of a gateway from environment variables or a test's own values.
 *
 * @throws SettingError if a setting is missing or invalid.
 */
export function createConfig(env: Environment): GatewayConfig {
  const number = (name: string, min: number, max: number) => readInteger(env, name, { min, max });
  const publicUrl = readPublicUrl(env);
  return {
    ...readServers(env),
    port: readPort(env, 'PORT') ?? 8080,
    metricsPort: readPort(env, 'METRICS_PORT') ?? 9090,
    processes: readProcesses(env),
    today: readDate(env, 'TODAY'),
    retentionMs: readRetention(env),
    streamLifetimeMs: number('STREAM_LIFETIME_MS', 1000, 24 * 60 * MINUTE_MS) ?? 60 * MINUTE_MS,
    streamHeartbeatMs: number('STREAM_HEARTBEAT_MS', 100, MINUTE_MS) ?? 20_000,
    feedMemoryBytes: (number('FEED_MEMORY_MB', 1, 16_384) ?? 64) * MEGABYTE,
    accountConcurrency: 1000,
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 30_000,
    trustedProxies: number('TRUST_PROXY', 0, 10) ?? 0,
    feedReplayBytes: (number('FEED_REPLAY_MB', 1, 16_384) ?? 32) * MEGABYTE,
    responseMemoryBytes: (number('RESPONSE_MEMORY_MB', 0, 16_384) ?? 32) * MEGABYTE,
    ballotMemoryBytes: (number('BALLOT_MEMORY_MB', 1, 16_384) ?? 192) * MEGABYTE,
    publicUrl,
    provider: readProvider(env, publicUrl),
    webhooks: readWebhookSettings(env),
    hasConsole: number('CONSOLE', 0, 1) !== 0,
    drainMs: number('DRAIN_MS', 0, STOP_DEADLINE_MS - AFTER_DRAIN_MS) ?? 5000,
  };
}
