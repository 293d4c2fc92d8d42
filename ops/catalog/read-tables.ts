import { createReadStream } from 'node:fs';
import { mapEndorsers } from '../../intake/catalogue/endorser-table.ts';
import { type MapOptions, mapTable } from '../../intake/catalogue/map-table.ts';
import { describeTable, readTable } from '../../intake/tables/read-table.ts';
import { TableError } from '../../intake/tables/table-error.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { checkDraft } from './check-record.ts';
import { countBytes } from './count-bytes.ts';
import type { CatalogueFile } from './find-files.ts';
import type { ReadingNotes } from './reading-notes.ts';
import type { RefusalList } from './refusal-list.ts';

const PIECE_BYTES = 256 * 1024;

/**
 * Reads a table with a row for each choice, or for each endorser.
 *
 * @throws OperatorError if the table cannot be used as a whole
 */
export async function* readTableFile(
  { path, kind }: Pick<CatalogueFile, 'path' | 'kind'>,
  refusals: RefusalList,
  { notes, facts }: ReadingNotes,
  { onBytes, ...options }: MapOptions & { onBytes: (count: number) => void },
): AsyncGenerator<StagedLine> {
  let isFirst = true;
  // Progress is that of the first reading, which reads all of the file.
  const open = () => {
    const bytes = createReadStream(path, { highWaterMark: PIECE_BYTES });
    const counted = isFirst ? countBytes(bytes, onBytes) : bytes;
    isFirst = false;
    return readTable(counted);
  };
  try {
    if (kind === 'endorsers') {
      const table = await open();
      facts.push({ label: path, value: `a table of endorsers in ${describeTable(table)}` });
      const drafts = mapEndorsers(table, options.map ?? [], notes);
      for await (const draft of drafts) yield checkDraft(path, draft, refusals);
      return;
    }
    const mapped = await mapTable(open, options, notes);
    facts.push({ label: path, value: mapped.description });
    for await (const draft of mapped.drafts) yield checkDraft(path, draft, refusals);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    throw new OperatorError(`${path}: ${error.message}`, { cause: error });
  }
}
