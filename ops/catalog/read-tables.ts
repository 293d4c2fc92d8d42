import { createReadStream } from 'node:fs';
import { type MapOptions, type MappedTable, mapTable } from '../../intake/catalogue/map-table.ts';
import { readTable } from '../../intake/tables/read-table.ts';
import { TableError } from '../../intake/tables/table-error.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { checkDraft } from './check-record.ts';
import { countBytes } from './count-bytes.ts';
import type { ReadingNotes } from './reading-notes.ts';
import type { RefusalList } from './refusal-list.ts';

const PIECE_BYTES = 256 * 1024;

/**
 * Reads a table with a row for each choice.
 *
 * @throws OperatorError if the table cannot be used as a whole
 */
export async function* readTableFile(
  path: string,
  refusals: RefusalList,
  { notes, facts }: ReadingNotes,
  { onBytes, ...options }: MapOptions & { onBytes: (count: number) => void },
): AsyncGenerator<StagedLine> {
  const bytes = countBytes(createReadStream(path, { highWaterMark: PIECE_BYTES }), onBytes);
  let mapped: MappedTable;
  try {
    mapped = await mapTable(await readTable(bytes), options, notes);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    throw new OperatorError(`${path}: ${error.message}`, { cause: error });
  }
  facts.push({ label: path, value: mapped.description });
  for (const draft of mapped.drafts) yield checkDraft(path, draft, refusals);
}
