import { showControls } from '../schemas/show-controls.ts';

/**
 * The lines of a table with tabs between its columns, the head first. A null is shown as `-`. Control characters are
 * written out, so that they break no line or column.
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string[] {
  return [head, ...rows].map((row) =>
    row.map((cell) => (cell === null ? '-' : showControls(String(cell)))).join('\t'),
  );
}

/** The lines of a table of counts, the headings first: labels on the left, numbers aligned on the right. */
export function formatCounts(
  headings: readonly string[],
  rows: readonly (readonly [label: string, ...counts: number[]])[],
): string[] {
  return [['', ...headings], ...rows.map(([label, ...counts]) => [label, ...counts.map(count)])].map(
    ([label = '', ...cells]) => label.padEnd(20) + cells.map((cell) => cell.padStart(11)).join(''),
  );
}

/** A number for people to read, such as `1,756`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** The day of a time, in UTC. */
export function formatDay(time: Date | null): string | null {
  return time?.toISOString().slice(0, 10) ?? null;
}

/** A time to the minute, in UTC. */
export function formatMinute(time: Date | null): string | null {
  return time === null ? null : `${time.toISOString().slice(0, 16)}Z`;
}
