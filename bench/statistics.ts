/** The value below which the given part of the sorted values lies, from 0 to 1. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export interface Summary {
  median: number;
  p99: number;
}

export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}

/** Durations in milliseconds as text: "median 1.2 ms, p99 3.4 ms, longest 5.6 ms of 100". */
export function formatDurations(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const show = (part: number) => `${quantile(sorted, part).toFixed(1)} ms`;
  return `median ${show(0.5)}, p99 ${show(0.99)}, longest ${show(1)} of ${times.length}`;
}

function format(values: readonly number[], digits: number, low: number, high: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  const show = (part: number) => quantile(sorted, part).toFixed(digits);
  return `${show(0.5)} (${show(low)} to ${show(high)})`;
}

/** The median of several values and their range: "12.3 (11.0 to 14.1)". */
export function formatSpread(values: readonly number[], digits = 1): string {
  return format(values, digits, 0, 1);
}

/** The median of these numbers of several things, and their range. */
export function spreadOf<T>(
  things: readonly T[],
  pick: (thing: T, index: number) => number,
  digits = 1,
): string {
  return formatSpread(things.map(pick), digits);
}

/** The median of very many values, and the range of the half closest to it. */
export function formatMiddleHalf(values: readonly number[], digits: number): string {
  return format(values, digits, 0.25, 0.75);
}
