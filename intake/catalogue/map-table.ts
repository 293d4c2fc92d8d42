import { foldName, mapColumns, readColumnMap } from '../tables/columns.ts';
import { describeTable, type Table } from '../tables/read-table.ts';
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

/** A table of choices, ready to be mapped. */
export interface MappedTable {
  /** The form of the table: its encoding and its columns. */
  description: string;
  /**
   * The records, election by election. If they do not fit into memory together, the table is read again for the others.
   * Throws a TableError if the table cannot be used as a whole.
   */
  drafts: AsyncIterable<Draft>;
}

/**
 * Maps a table with a row for each choice to records of the catalogue (docs/data-formats.md, "A table").
 *
 * @param open reads the table from its beginning
 * @param notes gets what the table does not say, and the columns that are not read
 * @throws TableError if the header or the map cannot be used
 */
export async function mapTable(
  open: () => Promise<Table>,
  { map = [], ...options }: MapOptions,
  notes: Notes,
): Promise<MappedTable> {
  const table = await open();
  const said = readColumnMap(map, COLUMN_NAMES);
  const columns = mapColumns(table.header, COLUMN_NAMES, said);
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
  const countyAt = table.header.findIndex((name) => foldName(name) === 'county' && !said.has(name));
  const shape = {
    hasCandidates: places.has('candidate'),
    hasAnswers: places.has('measure_answer'),
    hasOptions: places.has('option'),
  };
  async function* readDrafts(): AsyncGenerator<Draft> {
    const read = new Set<string>();
    for (let next: Table | null = table; next !== null; ) {
      const { elections, hasMore } = await collectRows(next, columns, { ...options, countyAt }, read);
      for (const [name, each] of elections) {
        read.add(name);
        yield* buildDrafts(each, { shape, notes, ...(options.pause && { pause: options.pause }) });
      }
      next = hasMore ? await open() : null;
    }
  }
  return {
    description: `a table in ${describeTable(table)} (${places.size} known columns)`,
    drafts: readDrafts(),
  };
}
