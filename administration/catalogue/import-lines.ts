import type pg from 'pg';
import { OperatorError } from '../../service/operator-error.ts';
import {
  type CatalogueImport,
  type CatalogueImportOptions,
  importCatalogue,
} from '../../store/catalogue/import.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { createRefusalList, MAX_LISTED, type RefusalList } from './refusal-list.ts';

export interface ImportOutcome extends CatalogueImport {
  /** All refusals: first those of single lines, then those of comparing lines with each other and with the store. */
  allRefusals: Omit<RefusalList, 'add'>;
}

/**
 * Loads checked lines from any source in one transaction (contract, "Catalogue and submission files").
 *
 * @param client a connection of the caller's own, outside of a transaction
 * @param read the lines, which add their own problems to the list
 * @throws OperatorError if there are no lines; the errors of `read` and of the database, after rolling back
 */
export async function importCheckedLines(
  client: pg.Client,
  read: (refusals: RefusalList) => AsyncIterable<StagedLine>,
  options: CatalogueImportOptions,
): Promise<ImportOutcome> {
  const ofLines = createRefusalList();
  const result = await importCatalogue(client, requireLines(read(ofLines)), options);
  const allRefusals = {
    kept: [...ofLines.kept, ...result.refusals].slice(0, MAX_LISTED),
    total: ofLines.total + result.refusalCount,
    counts: [...ofLines.counts, ...result.refusalCounts],
  };
  return { ...result, allRefusals };
}

/** Passes lines on. Files without any, such as those of a failed download, are not a catalogue that is loaded already. */
async function* requireLines(lines: AsyncIterable<StagedLine>): AsyncGenerator<StagedLine> {
  let isEmpty = true;
  for await (const line of lines) {
    isEmpty = false;
    yield line;
  }
  if (isEmpty) {
    throw new OperatorError('Nothing was loaded, because there were no records: fetch or write them again.');
  }
}
