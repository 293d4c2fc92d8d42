import { createLog, type Logger } from '../../../service/log.ts';

/** A log whose lines a test can read. */
export interface CapturedLog {
  log: Logger;
  // biome-ignore lint/suspicious/noExplicitAny: tests check the lines that they look for.
  lines: any[];
}

export function captureLog(level = 'debug'): CapturedLog {
  const lines: unknown[] = [];
  return { log: createLog('test', level, { write: (line) => lines.push(JSON.parse(line)) }), lines };
}
