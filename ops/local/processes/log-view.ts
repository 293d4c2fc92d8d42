/**
 * What the terminal shows of a child's log: warnings and errors, a short line each. All of it is in the log file.
 */

/** The levels of our log that the terminal shows, and what it calls them. */
const SHOWN_LEVELS = new Map([
  ['warn', 'warning'],
  ['error', 'error'],
  ['fatal', 'error'],
]);

const REPEAT_AFTER_MS = 10_000;

/** What of a line of service/log.ts is shown. */
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
 * A log line as the terminal shows it, or null where it is not for the terminal.
 *
 * @param text a line of JSON as our log writes it, or anything else that the child printed
 */
export function renderLogLine(name: string, text: string): string | null {
  const line = parse(text);
  // Not ours: what Node prints of a crash. The frames of its stack are in the file.
  if (line === null) return /^\s|^$|^Node\.js v/.test(text) ? null : `${name}: ${text}`;
  const word = SHOWN_LEVELS.get(line.level);
  if (word === undefined) return null;
  const cause = line.error?.message;
  const message = line.msg ?? cause ?? '';
  return `${name} ${word}: ${cause && cause !== message ? `${message} (${cause})` : message}`;
}

/**
 * A filter that lets a line through once in ten seconds: while a server is away, every try says the same.
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
