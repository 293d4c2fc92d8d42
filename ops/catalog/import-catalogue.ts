import { type ImportOutcome, importCheckedLines } from '../../administration/catalogue/import-lines.ts';
import type { RefusalList } from '../../administration/catalogue/refusal-list.ts';
import type { CatalogueImportOptions } from '../../store/catalogue/import.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { withDatabase } from '../database.ts';
import type { CatalogueFile } from './find-files.ts';
import { type ReadOptions, readCatalogue } from './read-catalogue.ts';

export interface ImportOptions extends CatalogueImportOptions {
  databaseUrl: string;
}

/** Loads catalogue files in one transaction (contract, "Catalogue and submission files"). */
export async function importFiles(
  files: CatalogueFile[],
  { reading, ...options }: ImportOptions & { reading: ReadOptions },
): Promise<ImportOutcome> {
  return importLines((refusals) => readCatalogue(files, refusals, reading), options);
}

/**
 * Loads checked lines from any source.
 *
 * @throws OperatorError if the database cannot be reached or is not migrated
 */
export async function importLines(
  read: (refusals: RefusalList) => AsyncIterable<StagedLine>,
  { databaseUrl, ...options }: ImportOptions,
): Promise<ImportOutcome> {
  return withDatabase(databaseUrl, 'catalog-import', (client) => importCheckedLines(client, read, options));
}
