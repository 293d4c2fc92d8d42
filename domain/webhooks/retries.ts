/** The waits after the first failed attempts, in milliseconds. Later ones wait as long as the last. */
export const RETRY_DELAYS_MS = [5000, 30_000, 2 * 60_000, 10 * 60_000, 30 * 60_000, 60 * 60_000] as const;
/** The largest part by which a wait is longer, by chance, so that receivers that return do not get everything at once. */
export const RETRY_JITTER = 0.2;
/** The longest wait that a receiver can ask for. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

/**
 * The wait before the next attempt, in milliseconds.
 *
 * @param failures the failed attempts since the last success, at least 1
 * @param retryAfterMs the wait that the receiver asks for; null if it does not
 * @param random from 0 to 1
 */
export function retryDelayMs(failures: number, retryAfterMs: number | null, random: number): number {
  const index = Math.min(failures, RETRY_DELAYS_MS.length) - 1;
  const scheduled = (RETRY_DELAYS_MS[index] as number) * (1 + RETRY_JITTER * random);
  return Math.max(scheduled, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

/**
 * Reads a Retry-After header: seconds, or a date of HTTP. A date counts from the answer's Date, because the receiver's
 * clock may be wrong.
 *
 * @param headers.date the answer's Date
 * @param now milliseconds since 1970, for answers without a Date
 * @returns the wait in milliseconds, not negative; null if the header is missing or has another form
 */
export function readRetryAfter(
  { 'retry-after': wait, date }: { 'retry-after'?: string | undefined; date?: string | undefined },
  now: number,
): number | null {
  if (wait === undefined) return null;
  if (/^[0-9]{1,10}$/.test(wait)) return Number(wait) * 1000;
  const time = parseDate(wait);
  return time === null ? null : Math.max(0, time - (parseDate(date) ?? now));
}

/** Milliseconds since 1970; null for another form than HTTP's. */
function parseDate(text = ''): number | null {
  if (!/^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
