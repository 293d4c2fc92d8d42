/**
 * Reads `Retry-After`: seconds or a date. A date counts from the answer's `Date`, because the clock of this machine may be
 * wrong.
 *
 * @param now this machine's time, for answers without a `Date`
 * @returns milliseconds from the answer; null if the header is missing or neither
 */
export function readRetryAfter(headers: Headers, now: number = Date.now()): number | null {
  const value = headers.get('Retry-After');
  if (value === null) return null;
  if (/^\s*[0-9]+\s*$/.test(value)) return Number(value) * 1000;
  const time = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) return null;
  const sentAt = Date.parse(headers.get('Date') ?? '');
  return Math.max(0, time - (Number.isNaN(sentAt) ? now : sentAt));
}
