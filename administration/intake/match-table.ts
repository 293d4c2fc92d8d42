/** Matches a table of endorsements with the catalogue, and stages what is sure. */
import type { ClientBase } from 'pg';
import { ENDORSEMENT_FIELDS } from '../../intake/endorsements/fields.ts';
import type { IntakeOutcome } from '../../intake/endorsements/outcome.ts';
import { type EndorsementColumns, readColumns } from '../../intake/endorsements/read-row.ts';
import { readColumnMap } from '../../intake/tables/columns.ts';
import { describeTable, readTable, type Table } from '../../intake/tables/read-table.ts';
import { joinNames } from '../../intake/tables/whole-names.ts';
import type { Alias } from '../../schemas/alias-files.ts';
import { finishStage, keepStored, OPTIONAL_VALUES, type OptionalValue } from '../../store/intake/staged.ts';
import { refuseUnknown } from './match-names.ts';
import { scanTable } from './scan-table.ts';
import { loadSources } from './sources.ts';
import { type TableOptions, TableWork } from './table-work.ts';

export interface MatchedTable {
  /** How the table was read, in words. */
  read: string;
  /** The columns that hold nothing that is used. */
  unused: string[];
  /** Whether it is a review file, which has only the rows of a table that needed a decision. */
  isReview: boolean;
  outcome: IntakeOutcome;
  /** The number of staged rows, and of rows in the review file. */
  staged: number;
  reviewed: number;
  /** The decisions of people in the table, to remember them: none about a name on which they differ. */
  decisions: Alias[];
}

/** Reads a table of endorsements, with the whole names of candidates in a column. @throws TableError as `readTable` */
export const openTable = async (...source: Parameters<typeof readTable>): Promise<Table> =>
  joinNames(await readTable(...source), ENDORSEMENT_FIELDS.choice);

/**
 * Matches every row, in the caller's transaction with a stage. Values that the table has no column for stay as stored.
 *
 * @throws TableError if the table or an option cannot be used
 * @throws OperatorError if the catalogue is too large, or the table has too many decisions
 */
export async function matchTable(client: ClientBase, options: TableOptions): Promise<MatchedTable> {
  const map = readColumnMap(options.map, ENDORSEMENT_FIELDS);
  const first = await openTable(options.open(), options.pause);
  const firstColumns = readColumns(first.header, map, options.constants);
  const { isReview, ...meaning } = await scanTable(first, firstColumns, map, options.pause);
  const table = await openTable(options.open(), options.pause);
  const columns = { ...readColumns(table.header, map, options.constants), ...meaning };
  const sources = await loadSources(client, options);
  // The endorsers of an account can change while a person decides, which opens the rows instead.
  if (options.endorsers === undefined) refuseUnknown(options.constants, sources);
  const work = new TableWork(client, sources, options, columns, table);
  for await (const row of table.rows) {
    if ('fault' in row) work.refuse(row.line, row.fault);
    else await work.take(row.line, row.cells);
    await options.pause?.();
  }
  if (!options.lookOnly) {
    await work.flush();
    await finishStage(client);
    await keepStored(client, listMissing(columns));
  }
  return {
    read: describeTable(table),
    unused: columns.unused,
    isReview,
    ...work.result,
    decisions: work.decisions.clear,
  };
}

/** The values that the table has no column for. */
const listMissing = ({ places }: EndorsementColumns): OptionalValue[] =>
  OPTIONAL_VALUES.filter((value) => !places.has(value === 'details' ? 'source_url' : value));
