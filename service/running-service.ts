/** Finds the servers of the service that `npm start` runs, which describes them in `run/service.env` of its DATA_DIR. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { type Environment, readText } from './environment.ts';

/** The settings of a running service's Kafka. They belong together, since its topics are made for these values. */
const KAFKA_NAMES = ['KAFKA_BROKERS', 'TOPIC_PREFIX', 'RETENTION_MS', 'CHANGES_PARTITIONS'];

/**
 * Adds to the environment the servers of the service that runs on its DATA_DIR, if it names none itself.
 *
 * @param env the process's environment; DATA_DIR defaults to `.data`
 */
export function readEnv(env: Environment): Environment {
  const file = path.join(readText(env, 'DATA_DIR') ?? '.data', 'run', 'service.env');
  let running: Environment = {};
  try {
    running = parseEnv(readFileSync(file, 'utf8'));
  } catch {
    // No service runs here; a missing server is reported when it is needed.
  }
  const merged: Record<string, string | undefined> = { ...env };
  const lacking =
    readText(env, 'KAFKA_BROKERS') === null ? [...KAFKA_NAMES, 'DATABASE_URL'] : ['DATABASE_URL'];
  for (const name of lacking) merged[name] = readText(env, name) ?? running[name];
  return merged;
}
