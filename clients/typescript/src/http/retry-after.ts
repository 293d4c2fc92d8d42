/** Reads `Retry-After`: seconds or a date. @returns milliseconds from now; null if it is missing or neither */
export function readRetryAfter(value: string | null, now: number = Date.now()): number | null {
  if (value === null) return null;
  if (/^\s*[0-9]+\s*$/.test(value)) return Number(value) * 1000;
  const time = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : Math.max(0, time - now);
}
