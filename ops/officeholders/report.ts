import type { LoadCounts } from '../../store/officeholders/import.ts';
import { count, MAX_LISTED } from '../catalog/refusal-list.ts';
import type { FileRefusal } from './read-people.ts';

const COLUMNS = ['added', 'changed', 'unchanged', 'gone'] as const;

/** A table of what an import did, and below it how many people were left out and why. */
export function formatCounts(
  counts: { people: LoadCounts; seats: LoadCounts },
  leftOut: ReadonlyMap<string, number>,
): string[] {
  const row = (label: string, cells: string[]) =>
    [label.padEnd(20), ...cells.map((cell) => cell.padStart(11))].join('');
  const rowOf = (label: string, numbers: LoadCounts) =>
    row(
      label,
      COLUMNS.map((column) => count(numbers[column])),
    );
  const reasons = [...leftOut].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    row('', [...COLUMNS]),
    rowOf('officeholders', counts.people),
    rowOf('seats', counts.seats),
    ...reasons.map(([reason, people]) => `${count(people)} left out: ${reason}`),
  ];
}

/** The refusals as lines of text, `file: field roles[0].district: must be …`; the first of them where there are many. */
export function formatFileRefusals(refusals: readonly FileRefusal[]): string[] {
  const lines = refusals
    .slice(0, MAX_LISTED)
    .map(({ file, field, message }) => `${file}: ${field === null ? '' : `field ${field}: `}${message}`);
  const more = refusals.length - lines.length;
  return more > 0 ? [...lines, `… and ${count(more)} more`] : lines;
}
