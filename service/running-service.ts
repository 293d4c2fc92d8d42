/** Finds the servers of the service that `npm start` runs, which describes them in `run/service.env` of its DATA_DIR. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { KAFKA_SECURITY_SETTINGS } from './brokers.ts';
import { type Environment, readPort, readPublicUrl, readText, SettingError } from './environment.ts';

const DEFAULT_PORT = 8080;

/** The settings of a running service's Kafka. They belong together, since its topics are made for these values. */
const KAFKA_NAMES = [
  'KAFKA_BROKERS',
  ...KAFKA_SECURITY_SETTINGS,
  'TOPIC_PREFIX',
  'RETENTION_MS',
  'CHANGES_PARTITIONS',
];

/**
 * The settings with which a start connects to Kafka. Paths become absolute, since commands may run in another folder.
 *
 * @throws SettingError if a text cannot be written to `run/service.env`
 */
export function describeKafkaSecurity(env: Environment): Record<string, string> {
  const described: Record<string, string> = {};
  for (const name of KAFKA_SECURITY_SETTINGS) {
    const text = readText(env, name);
    // The file can be read by a shell, and only an address can encode this.
    if (text?.includes("'")) {
      throw new SettingError(`${name} holds a "'", which "npm start" cannot pass on; use a file instead.`);
    }
    if (text !== null) described[name] = name.endsWith('_FILE') ? path.resolve(text) : text;
  }
  return described;
}

/** The settings of the service that runs on the environment's DATA_DIR; none if no service runs there. */
function readRunning(env: Environment): Environment {
  const file = path.join(readText(env, 'DATA_DIR') ?? '.data', 'run', 'service.env');
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    // A missing server is reported when it is needed.
    return {};
  }
}

/**
 * The address under which people open the service: PUBLIC_URL, or this machine's with PORT or the port of the service that
 * runs on DATA_DIR.
 *
 * @returns it without a slash at its end
 * @throws SettingError if a setting is invalid
 */
export function readServiceUrl(env: Environment): string {
  const port = readPort(env, 'PORT') ?? readPort(readRunning(env), 'PORT') ?? DEFAULT_PORT;
  return readPublicUrl(env) ?? `http://localhost:${port}`;
}

/**
 * Adds to the environment the servers of the service that runs on its DATA_DIR, if it names none itself.
 *
 * @param env the process's environment; DATA_DIR defaults to `.data`
 */
export function readEnv(env: Environment): Environment {
  const running = readRunning(env);
  const merged: Record<string, string | undefined> = { ...env };
  const lacking =
    readText(env, 'KAFKA_BROKERS') === null ? [...KAFKA_NAMES, 'DATABASE_URL'] : ['DATABASE_URL'];
  for (const name of lacking) merged[name] = readText(env, name) ?? running[name];
  return merged;
}
