/** The lines of a table whose columns are parted by tabs, its head first; an empty cell is shown as `-`. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string[] {
  return [head, ...rows].map((row) => row.map((cell) => (cell === null ? '-' : String(cell))).join('\t'));
}

/** The day of a time, in UTC. */
export function formatDay(time: Date | null): string | null {
  return time?.toISOString().slice(0, 10) ?? null;
}

/** A time to the minute, in UTC. */
export function formatMinute(time: Date | null): string | null {
  return time === null ? null : `${time.toISOString().slice(0, 16)}Z`;
}
