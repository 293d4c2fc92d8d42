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
    ['all submissions', null, null, null, total(submissions, 'stable_lag'), total(submissions, 'lag')],
    ['changes', changes.done, null, changes.end, null, changes.lag],
    ['rejections', null, null, null, null, rejections.lag],
  ];
}

const total = (submissions: ServiceLag['submissions'], field: 'lag' | 'stable_lag'): number =>
  submissions.reduce((sum, each) => sum + each[field], 0);

/** A table with a line for each partition and one for all of them. @param isAligned as `formatTable` takes it */
export function formatLag(lag: ServiceLag, isAligned: boolean): string[] {
  return formatTable(COLUMNS, rowsOf(lag), isAligned);
}

/** All of it in one line. */
export function summarizeLag({ submissions, changes, rejections }: ServiceLag): string {
  const waiting = total(submissions, 'lag');
  const held = waiting - total(submissions, 'stable_lag');
  return [
    `submissions ${count(waiting)}${held === 0 ? '' : ` (${count(held)} held back by a transaction)`}`,
    `changes ${count(changes.lag)}`,
    `rejections ${count(rejections.lag)}`,
  ].join(', ');
}
