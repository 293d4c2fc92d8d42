import fs from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import { type Environment, readText, SettingError } from './environment.ts';
import { currentTraceIds, isTracing } from './tracing.ts';

export type { Logger };

const LEVELS = [...Object.keys(pino.levels.values), 'silent'];

/** The lowest level to log: LOG_LEVEL, or `info` by default. @throws SettingError for an unknown level */
export function readLogLevel(env: Environment): string {
  const level = readText(env, 'LOG_LEVEL') ?? 'info';
  if (!LEVELS.includes(level)) {
    throw new SettingError(`LOG_LEVEL is "${level}"; it must be one of ${LEVELS.join(', ')}.`);
  }
  return level;
}

/** The most bytes of waiting lines if standard output cannot be written. Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** How long the end of a process waits for a reader that takes no lines, in milliseconds. */
const MAX_FLUSH_MS = 1000;

/**
 * Standard output as a destination of a log. If it cannot be written, for instance to a full disk, lines wait
 * for the next attempt and the process continues.
 */
function openStandardOutput(): DestinationStream {
  const output = pino.destination({ fd: process.stdout.fd || 1, maxLength: MAX_WAITING_BYTES });
  output.on('error', () => {});
  const flushSync = output.flushSync.bind(output);
  output.flushSync = () => loseFailedWrites(flushSync);
  return output;
}

/**
 * Writes the last lines, and loses those that cannot be written. Alone, pino's destination repeats a write that fails for
 * ever, for instance to a pipe that nobody reads any more, so that the process would never end.
 */
function loseFailedWrites(flush: () => void): void {
  const { writeSync } = fs;
  const giveUpAt = performance.now() + MAX_FLUSH_MS;
  const writeOrLose = (fd: number, data: string | Buffer): number => {
    try {
      return writeSync(fd, data as string);
    } catch (error) {
      const isFull = (error as NodeJS.ErrnoException).code === 'EAGAIN';
      if (isFull && performance.now() < giveUpAt) throw error;
      return Buffer.byteLength(data);
    }
  };
  // Nothing else runs meanwhile.
  fs.writeSync = writeOrLose as typeof writeSync;
  try {
    flush();
  } finally {
    fs.writeSync = writeSync;
  }
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
