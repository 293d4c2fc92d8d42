import { mapColumns, readColumnMap } from '../tables/columns.ts';
import { ENCODING_NAMES } from '../tables/encoding.ts';
import type { Table } from '../tables/read-table.ts';
import { TableError } from '../tables/table-error.ts';
import { buildDrafts } from './build-drafts.ts';
import { collectRows, type TableOptions } from './collect-rows.ts';
import type { Draft } from './draft.ts';
import type { Notes } from './notes.ts';
import { type CatalogueField, COLUMN_NAMES } from './table-fields.ts';

export interface MapOptions extends TableOptions {
  /** The fields that a person gives to columns, as `COLUMN=FIELD`. */
  map?: readonly string[];
}

/** What a table of choices becomes. */
export interface MappedTable {
  drafts: Draft[];
  /** What the table is: its encoding and its columns. */
  description: string;
}

/**
 * Maps a table with a row for each choice to records of the catalogue (docs/data-formats.md, "A table").
 *
 * @param notes gets what the table does not say, and the columns that are not read
 * @throws TableError if the table or the map cannot be used as a whole
 */
export async function mapTable(
  table: Table,
  { map = [], ...options }: MapOptions,
  notes: Notes,
): Promise<MappedTable> {
  const columns = mapColumns(table.header, COLUMN_NAMES, readColumnMap(map, COLUMN_NAMES));
  const { places, unused } = columns;
  if (!['contest', 'measure', 'contest_key'].some((name) => places.has(name as CatalogueField))) {
    throw new TableError(
      'The table has no column for the contests: name it contest, office or measure, or give it with --map COLUMN=contest.',
    );
  }
  const isSaid =
    (options.election ?? null) !== null ||
    places.has('election') ||
    (places.has('state') && places.has('election_date'));
  if (!isSaid) {
    throw new TableError(
      'The table does not say its election: it needs the columns state, election_date and election_type, or the option --election SLUG.',
    );
  }
  for (const name of unused) notes.add('left out', 'columns of a table that hold no field', name);
  const elections = await collectRows(table, columns, options);
  const shape = {
    hasCandidates: places.has('candidate'),
    hasAnswers: places.has('measure_answer'),
    hasOptions: places.has('option'),
  };
  return {
    drafts: elections.flatMap((each) => buildDrafts(each, shape, notes)),
    description: `a table in ${ENCODING_NAMES[table.encoding]} with ${places.size} known columns`,
  };
}
