import { type DestinationStream, type Logger, pino } from 'pino';
import { type Environment, readText, SettingError } from './environment.ts';

export type { Logger };

const LEVELS = [...Object.keys(pino.levels.values), 'silent'];

/**
 * The least level that is written: LOG_LEVEL, `info` where it is not given.
 *
 * @throws SettingError for a level that there is none of.
 */
export function readLogLevel(env: Environment): string {
  const level = readText(env, 'LOG_LEVEL') ?? 'info';
  if (!LEVELS.includes(level)) {
    throw new SettingError(`LOG_LEVEL is "${level}"; it must be one of ${LEVELS.join(', ')}.`);
  }
  return level;
}

/**
 * A log of JSON lines on standard output, or elsewhere.
 *
 * @param level the least level that is written.
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
