import { type DestinationStream, type Logger, pino } from 'pino';
import { type Environment, readText, SettingError } from './environment.ts';
import { currentTraceIds, isTracing } from './tracing.ts';

export type { Logger };

const LEVELS = [...Object.keys(pino.levels.values), 'silent'];

/**
 * The lowest level to log: LOG_LEVEL, or `info` by default.
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

/** The most bytes of waiting lines if standard output cannot be written. Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Standard output as a destination of a log. If it cannot be written, for instance to a full disk, lines wait
 * for the next attempt and the process continues. It can also still end: pino alone would try to write the
 * last lines for ever.
 */
function openStandardOutput(): DestinationStream {
  const output = pino.destination({ fd: process.stdout.fd || 1, maxLength: MAX_WAITING_BYTES });
  const flushSync = output.flushSync.bind(output);
  let isFailing = false;
  output.on('error', () => {
    isFailing = true;
  });
  output.on('write', () => {
    isFailing = false;
  });
  output.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return output;
}

/**
 * A log of JSON lines, by default on standard output. While traces are sent, lines name their trace.
 *
 * @param name the value of `service` in every line
 * @param level the lowest level to log
 */
export function createLog(name: string, level: string, destination = openStandardOutput()): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    base: { service: name },
    serializers: { error: pino.stdSerializers.err },
    errorKey: 'error',
    ...(isTracing() ? { mixin: currentTraceIds } : {}),
  };
  return pino(options, destination);
}
