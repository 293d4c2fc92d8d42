/** Finds the servers of a service under `npm start`, which writes them to `run/service.env` in its DATA_DIR. */
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { KAFKA_SECURITY_SETTINGS } from './brokers.ts';
import { type Environment, readPort, readPublicUrl, readText, SettingError } from './environment.ts';

/** The settings of a running service's Kafka. They belong together, because its topics are made for these values. */
const KAFKA_NAMES = [
  'KAFKA_BROKERS',
  ...KAFKA_SECURITY_SETTINGS,
  'TOPIC_PREFIX',
  'RETENTION_MS',
  'CHANGES_PARTITIONS',
];

/** The settings of a running service's webhooks: they open what is sealed in its database. */
const WEBHOOK_NAMES = ['WEBHOOK_SECRET_KEY', 'WEBHOOK_SECRET_KEY_FILE', 'ALLOW_PRIVATE_WEBHOOKS'];

/**
 * The settings with which a start connects to Kafka. Paths become absolute, because commands may run in
 * another folder.
 *
 * @throws SettingError if a text cannot be written to `run/service.env`
 */
export function describeKafkaSecurity(env: Environment): Record<string, string> {
  const described: Record<string, string> = {};
  for (const name of KAFKA_SECURITY_SETTINGS) {
    const text = readText(env, name);
    // A shell can read the file, and only an address can encode this character.
    if (text?.includes("'")) {
      throw new SettingError(`${name} holds a "'", which "npm start" cannot pass on; use a file instead.`);
    }
    if (text !== null) described[name] = name.endsWith('_FILE') ? path.resolve(text) : text;
  }
  return described;
}

const DEFAULT_PORT = 8080;
/** The hosts that the name localhost reaches. The first two stand for every address of the machine. */
const LOCAL_HOSTS = ['0.0.0.0', '::', '127.0.0.1'];

/** The address at which this machine reaches a service. @param host the address that the service listens on, if set */
export function localAddress(host: string | null, port: number): string {
  if (host === null || LOCAL_HOSTS.includes(host)) return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The settings of the service that runs on the environment's DATA_DIR; empty without one. */
function readRunning(env: Environment): Environment {
  const file = path.join(readDataDir(env), 'run', 'service.env');
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    // No service runs here. A missing server is reported when it is needed.
    return {};
  }
}

/** The folder of the service on this machine: DATA_DIR, by default `.data`. */
export function readDataDir(env: Environment): string {
  return readText(env, 'DATA_DIR') ?? '.data';
}

/** Whether the environment names a service, or one runs on its DATA_DIR. */
export function hasService(env: Environment): boolean {
  const names = ['DATABASE_URL', 'PORT', 'PUBLIC_URL'];
  return names.some((name) => readText(env, name) !== null) || readText(readRunning(env), 'PORT') !== null;
}

/**
 * Adds the servers of the service that runs on the environment's DATA_DIR, unless the environment names
 * servers.
 *
 * @param env the process's environment; DATA_DIR defaults to `.data`
 */
export function readEnv(env: Environment): Environment {
  const running = readRunning(env);
  const merged: Record<string, string | undefined> = { ...env };
  const lacking =
    readText(env, 'KAFKA_BROKERS') === null ? [...KAFKA_NAMES, 'DATABASE_URL'] : ['DATABASE_URL'];
  const hasOwn = ['DATABASE_URL', ...WEBHOOK_NAMES].some((name) => readText(env, name) !== null);
  if (!hasOwn) lacking.push(...WEBHOOK_NAMES);
  for (const name of lacking) merged[name] = readText(env, name) ?? running[name];
  return merged;
}

/**
 * The service's address for people: PUBLIC_URL, or this machine's at HOST and PORT. Without either, the address of the
 * service that runs on DATA_DIR, unless DATABASE_URL names another one.
 *
 * @returns the address, without a slash at its end
 * @throws SettingError if a setting is invalid
 */
export function readServiceUrl(env: Environment): string {
  const running = readText(env, 'DATABASE_URL') === null ? readRunning(env) : {};
  for (const settings of [env, running]) {
    const publicUrl = readPublicUrl(settings);
    if (publicUrl !== null) return publicUrl;
    const port = readPort(settings, 'PORT');
    if (port !== null) return localAddress(readText(settings, 'HOST'), port);
  }
  return `http://localhost:${DEFAULT_PORT}`;
}
