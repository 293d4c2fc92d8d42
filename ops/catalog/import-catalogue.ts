import { type CatalogueImport, importCatalogue } from '../../store/catalogue/import.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { withDatabase } from '../database.ts';
import type { CatalogueFile } from './find-files.ts';
import { readCatalogue } from './read-catalogue.ts';
import { createRefusalList, type LineRefusal, MAX_LISTED, type RefusalList } from './refusal-list.ts';

export interface ImportOptions {
  databaseUrl: string;
  /** Leave refused lines out and load the others; otherwise one refusal stops the whole import. */
  skipRefused: boolean;
}

export interface ImportOutcome extends CatalogueImport {
  /** The first refusals of every kind, and the number of all of them. */
  listed: LineRefusal[];
  total: number;
}

/** Loads catalogue files in one transaction (contract, "Catalogue and submission files"). */
export async function importFiles(
  files: CatalogueFile[],
  options: ImportOptions & { onBytes?: (count: number) => void },
): Promise<ImportOutcome> {
  return importLines((refusals) => readCatalogue(files, refusals, options.onBytes), options);
}

/**
 * Loads lines that are checked already, wherever they come from.
 *
 * @throws OperatorError if the database cannot be reached or is not migrated
 */
export async function importLines(
  read: (refusals: RefusalList) => AsyncIterable<StagedLine>,
  { databaseUrl, skipRefused }: ImportOptions,
): Promise<ImportOutcome> {
  const refusals = createRefusalList();
  const result = await withDatabase(databaseUrl, 'catalog-import', (client) =>
    importCatalogue(client, read(refusals), { skipRefused }),
  );
  return { ...result, ...joinRefusals(refusals, result) };
}

/** The refusals of single lines, then those of comparing lines with each other and with the store. */
function joinRefusals(
  refusals: RefusalList,
  result: CatalogueImport,
): Pick<ImportOutcome, 'listed' | 'total'> {
  const listed = [...refusals.kept, ...result.refusals].slice(0, MAX_LISTED);
  return { listed, total: refusals.total + result.refusalCount };
}
