/** The value below which a part of the sorted values lies, from 0 to 1. */
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

/** "12.3 (11.0 to 14.1)": the middle one of several, and how far they spread. */
export function formatSpread(values: readonly number[], digits = 1): string {
  const sorted = values.toSorted((a, b) => a - b);
  const show = (value: number | undefined) => (value ?? Number.NaN).toFixed(digits);
  return `${show(quantile(sorted, 0.5))} (${show(sorted[0])} to ${show(sorted.at(-1))})`;
}
