import { type ImportOutcome, importCheckedLines } from '../../administration/catalogue/import-lines.ts';
import type { RefusalList } from '../../administration/catalogue/refusal-list.ts';
import type { CatalogueImportOptions } from '../../store/catalogue/import.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { withDatabase } from '../database.ts';

export interface ImportOptions extends CatalogueImportOptions {
  databaseUrl: string;
}

/**
 * Loads checked lines from any source in one transaction (contract, "Catalogue and submission files").
 *
 * @throws OperatorError if the database cannot be reached or is not migrated
 */
export async function importLines(
  read: (refusals: RefusalList) => AsyncIterable<StagedLine>,
  { databaseUrl, ...options }: ImportOptions,
): Promise<ImportOutcome> {
  return withDatabase(databaseUrl, 'catalog-import', (client) => importCheckedLines(client, read, options));
}
