import { showControls } from '../schemas/show-controls.ts';

type Cell = string | number | null;

/**
 * The lines of a table, the head first. A null is shown as `-`. Control characters are written out, so that they break no
 * line or column.
 *
 * @param isAligned whether its columns are aligned, for a terminal, instead of having tabs in between, for programs
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  isAligned = false,
): string[] {
  const lines = [head, ...rows].map((row) =>
    row.map((cell) => (cell === null ? '-' : showControls(String(cell)))),
  );
  if (!isAligned) return lines.map((cells) => cells.join('\t'));
  const columns = head.map((_, column) => {
    const isNumber = rows.every((row) => typeof (row[column] ?? 0) === 'number');
    return { width: Math.max(...lines.map((cells) => cells[column]?.length ?? 0)), isNumber };
  });
  return lines.map((cells) =>
    columns
      .map(({ width, isNumber }, at) => (isNumber ? cells[at]?.padStart(width) : cells[at]?.padEnd(width)))
      .join('  ')
      .trimEnd(),
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
