import { mapEndorsers } from '../../intake/catalogue/endorser-table.ts';
import { type MapOptions, mapTable } from '../../intake/catalogue/map-table.ts';
import { COLUMN_NAMES } from '../../intake/catalogue/table-fields.ts';
import { describeTable, readTable } from '../../intake/tables/read-table.ts';
import { TableError } from '../../intake/tables/table-error.ts';
import { joinNames } from '../../intake/tables/whole-names.ts';
import type { CatalogueKind } from '../../schemas/catalogue-files.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { checkDraft } from './check-record.ts';
import type { ReadingNotes } from './reading-notes.ts';
import type { RefusalList } from './refusal-list.ts';

/** The names of columns for whole names of candidates. */
const WHOLE_NAMES = [...COLUMN_NAMES.candidate, ...COLUMN_NAMES.choice];

/**
 * Reads a table with a row for each choice, or for each endorser.
 *
 * @param table.file its name in messages
 * @param table.open its bytes from the beginning; a table of many elections is read several times
 * @throws OperatorError if the table cannot be used as a whole
 */
export async function* readTableRecords(
  { file, kind, open }: { file: string; kind: CatalogueKind | null; open: () => AsyncIterable<Uint8Array> },
  refusals: RefusalList,
  { notes, facts }: ReadingNotes,
  options: MapOptions,
): AsyncGenerator<StagedLine> {
  try {
    if (kind === 'endorsers') {
      const table = await readTable(open(), options.pause);
      facts.push({ label: file, value: `a table of endorsers in ${describeTable(table)}` });
      const drafts = mapEndorsers(table, options.map ?? [], notes);
      for await (const draft of drafts) yield checkDraft(file, draft, refusals);
      return;
    }
    const mapped = await mapTable(
      async () => joinNames(await readTable(open(), options.pause), WHOLE_NAMES),
      options,
      notes,
    );
    facts.push({ label: file, value: mapped.description });
    for await (const draft of mapped.drafts) yield checkDraft(file, draft, refusals);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    throw new OperatorError(`${file}: ${error.message}`, { cause: error });
  }
}
