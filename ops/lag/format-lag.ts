import type { ServiceLag } from '../../administration/lag.ts';
import { count, formatTable } from '../table.ts';

const COLUMNS = ['WHAT', 'DONE', 'LAST STABLE', 'END', 'LAG TO LAST STABLE', 'LAG'];

function rowsOf({ submissions, changes, rejections }: ServiceLag): (string | number | null)[][] {
  return [
    ...submissions.map((each) => [
      `submissions ${each.partition}`,
      each.done,
      each.stable_end,
      each.end,
      each.stable_lag,
      each.lag,
    ]),
    ['changes', changes.done, null, changes.end, null, changes.lag],
    ['rejections', null, null, null, null, rejections.lag],
  ];
}

/** A table with tabs between its columns, a line for each partition. */
export function formatLag(lag: ServiceLag): string[] {
  return formatTable(COLUMNS, rowsOf(lag));
}

/** The same table with aligned columns, for a terminal. */
export function alignLag(lag: ServiceLag): string[] {
  const rows = [COLUMNS, ...rowsOf(lag)].map((row) => row.map((cell) => String(cell ?? '-')));
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map(([name = '', ...numbers]) =>
    [name.padEnd(widths[0] ?? 0), ...numbers.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join(
      '  ',
    ),
  );
}

/** All of it in one line. */
export function summarizeLag({ submissions, changes, rejections }: ServiceLag): string {
  const total = (pick: (each: ServiceLag['submissions'][number]) => number) =>
    count(submissions.reduce((sum, each) => sum + pick(each), 0));
  const held = total((each) => each.lag - each.stable_lag);
  return [
    `submissions ${total((each) => each.lag)}${held === '0' ? '' : ` (${held} held back by a transaction)`}`,
    `changes ${count(changes.lag)}`,
    `rejections ${count(rejections.lag)}`,
  ].join(', ');
}
