import { type Logger, pino } from 'pino';

export type { Logger };

/** A log of JSON lines on standard output; LOG_LEVEL sets the least level that is written, `info` by default. */
export function createLog(name: string, level = process.env.LOG_LEVEL ?? 'info'): Logger {
  return pino({
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    base: { service: name },
    serializers: { error: pino.stdSerializers.err },
    errorKey: 'error',
  });
}
