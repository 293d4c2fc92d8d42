/** The terminal's view of a child's log: warnings and errors, a short line each. The log file has everything. */

/** The levels that the terminal shows, with their labels. */
const SHOWN_LEVELS = new Map([
  ['warn', 'warning'],
  ['error', 'error'],
  ['fatal', 'error'],
]);

const REPEAT_AFTER_MS = 10_000;

/** The shown parts of a line of service/log.ts. */
interface LogLine {
  level: string;
  msg?: string;
  error?: { message?: string };
}

function parse(text: string): LogLine | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'level' in value ? (value as LogLine) : null;
  } catch {
    return null;
  }
}

/**
 * Renders a line for the terminal; null if the terminal does not show it.
 *
 * @param text a line of JSON of service/log.ts, or any other output of the child
 */
export function renderLogLine(name: string, text: string): string | null {
  const line = parse(text);
  // Not of this log: Node's report of a crash, without its stack.
  if (line === null) return /^\s|^$|^Node\.js v/.test(text) ? null : `${name}: ${text}`;
  const word = SHOWN_LEVELS.get(line.level);
  if (word === undefined) return null;
  const cause = line.error?.message;
  const message = line.msg ?? cause ?? '';
  // The reason that a message ends with can be the cause's own sentence. pino appends a cause's cause after a colon.
  const isNew = cause && !message.includes(cause.replace(/\.(: .*)?$/s, ''));
  return `${name} ${word}: ${isNew ? `${message} (${cause})` : message}`;
}

/**
 * Creates a filter that lets the same line through once in ten seconds, because every retry logs it during an outage.
 *
 * @param now the time in milliseconds
 */
export function createRepeatFilter(now: () => number = Date.now): (line: string) => boolean {
  const shownAt = new Map<string, number>();
  return (line) => {
    const time = now();
    for (const [known, at] of shownAt) if (time - at >= REPEAT_AFTER_MS) shownAt.delete(known);
    if (shownAt.has(line)) return false;
    shownAt.set(line, time);
    return true;
  };
}
