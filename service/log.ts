import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/**
 * A log of JSON lines on standard output, or elsewhere; LOG_LEVEL sets the least level that is written, `info` by
 * default.
 */
export function createLog(
  name: string,
  level = process.env.LOG_LEVEL ?? 'info',
  destination?: DestinationStream,
): Logger {
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
