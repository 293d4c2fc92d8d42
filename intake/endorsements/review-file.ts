import { formatRow, TABLE_START } from '../tables/cells.ts';
import { foldName } from '../tables/columns.ts';
import { type EndorsementField, REVIEW_FIELDS } from './fields.ts';
import type { EndorsementColumns } from './read-row.ts';

/** A row of a review file, by its columns. */
type ReviewCells = Record<(typeof REVIEW_FIELDS)[number], string>;

/** Writes the lines of a review file: the table with the columns of the review at its end. */
export interface ReviewWriter {
  head: string;
  write(cells: readonly string[], review: ReviewCells): string;
}

const isDecision = (name: string): boolean => foldName(name) === 'decision';

/** @param header the header of the table; if it is a review file itself, its columns of the review are replaced */
export function createReviewWriter(header: readonly string[], { places }: EndorsementColumns): ReviewWriter {
  const own = new Set(REVIEW_FIELDS.map((field: EndorsementField) => places.get(field)));
  const keep = (cells: readonly string[]) =>
    header.flatMap((_, at) => (own.has(at) ? [] : [cells[at] ?? '']));
  // Beside the column of the review, the table's own decisions need another name.
  const names = header.map((name, at) =>
    at === places.get('position') && isDecision(name) ? 'position' : name,
  );
  return {
    head: `${TABLE_START}${formatRow([...keep(names), ...REVIEW_FIELDS])}`,
    write: (cells, review) => formatRow([...keep(cells), ...REVIEW_FIELDS.map((field) => review[field])]),
  };
}
