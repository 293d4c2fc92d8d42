import { MAX_LISTED } from '../../administration/catalogue/refusal-list.ts';
import { showControls } from '../../schemas/show-controls.ts';
import type { OfficeholderImport } from '../../store/officeholders/import.ts';
import { count, formatCounts } from '../table.ts';
import type { FileRefusal, ReadPeople } from './read-people.ts';

const COLUMNS = ['added', 'changed', 'unchanged', 'gone'] as const;

/**
 * A table of an import's changes, and below it the number of people who were left out, by reason, and the number of
 * details, by field.
 */
export function formatLoad(
  { people, seats }: OfficeholderImport['counts'],
  { leftOut, leftOutDetails }: Pick<ReadPeople, 'leftOut' | 'leftOutDetails'>,
): string[] {
  const reasons = [...leftOut].sort(([a], [b]) => (a < b ? -1 : 1));
  const details = [...leftOutDetails].map(([field, number]) => `${count(number)} in ${field}`);
  return [
    ...formatCounts(COLUMNS, [
      ['officeholders', ...COLUMNS.map((column) => people[column])],
      ['seats', ...COLUMNS.map((column) => seats[column])],
    ]),
    ...reasons.map(([reason, number]) => `${count(number)} left out: ${reason}`),
    ...(details.length > 0 ? [`Blank or unusable details left out: ${details.join(', ')}`] : []),
  ];
}

/** The first refusals as lines of text, such as `file: field roles[0].district: must be …`. */
export function formatFileRefusals(refusals: readonly FileRefusal[]): string[] {
  const lines = refusals
    .slice(0, MAX_LISTED)
    .map(({ file, field, message }) => `${file}: ${field === null ? '' : `field ${field}: `}${message}`);
  const more = refusals.length - lines.length;
  if (more > 0) lines.push(`… and ${count(more)} more`);
  return lines.map(showControls);
}
