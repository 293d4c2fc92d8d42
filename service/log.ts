import { type DestinationStream, type Logger, pino } from 'pino';
import { type Environment, readText, SettingError } from './environment.ts';

export type { Logger };

const LEVELS = [...Object.keys(pino.levels.values), 'silent'];

/**
 * The lowest level that is logged: LOG_LEVEL, or `info` by default.
 *
 * @throws SettingError for an unknown level
 */
export function readLogLevel(env: Environment): string {
  const level = readText(env, 'LOG_LEVEL') ?? 'info';
  if (!LEVELS.includes(level)) {
    throw new SettingError(`LOG_LEVEL is "${level}"; it must be one of ${LEVELS.join(', ')}.`);
  }
  return level;
}

/**
 * A log of JSON lines, by default on standard output.
 *
 * @param name the value of `service` in every line
 * @param level the lowest level that is logged
 */
export function createLog(name: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    base: { service: name },
    serializers: { error: pino.stdSerializers.err },
    errorKey: 'error',
  };
  return pino(options, destination);
}
