const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;
const SHORT: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Text with each tab, line break and other control character written out, as `\t` or `\u001b`. */
export function showControls(text: string): string {
  return text.replace(
    CONTROL,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * The lines of a table whose columns are parted by tabs, its head first. An empty cell is shown as `-`, and whatever
 * would break a line or a column is written out.
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string[] {
  return [head, ...rows].map((row) =>
    row.map((cell) => (cell === null ? '-' : showControls(String(cell)))).join('\t'),
  );
}

/** The lines of a table of counts, its headings first: labels on the left, numbers on the right under their headings. */
export function formatCounts(
  headings: readonly string[],
  rows: readonly (readonly [label: string, ...counts: number[]])[],
): string[] {
  return [['', ...headings], ...rows.map(([label, ...counts]) => [label, ...counts.map(count)])].map(
    ([label = '', ...cells]) => label.padEnd(20) + cells.map((cell) => cell.padStart(11)).join(''),
  );
}

/** A number as it is shown to people, such as `1,756`. */
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
