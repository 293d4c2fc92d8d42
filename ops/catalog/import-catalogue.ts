import { type CatalogueImport, importCatalogue } from '../../store/catalogue/import.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { withDatabase } from '../database.ts';
import type { CatalogueFile } from './find-files.ts';
import { readCatalogue } from './read-catalogue.ts';
import { createRefusalList, type LineRefusal, MAX_LISTED, type RefusalList } from './refusal-list.ts';

export interface ImportOptions {
  databaseUrl: string;
  /** Loads what is good and leaves out what is refused; otherwise one refusal stops the whole import. */
  skipRefused: boolean;
  now?: Date;
}

export interface ImportOutcome extends CatalogueImport {
  /** The first refusals of every kind, and how many there are. */
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
 * Loads lines from anywhere, checked as those of files are.
 *
 * @throws OperatorError when the database cannot be reached or is not migrated.
 */
export async function importLines(
  read: (refusals: RefusalList) => AsyncIterable<StagedLine>,
  { databaseUrl, skipRefused, now = new Date() }: ImportOptions,
): Promise<ImportOutcome> {
  const refusals = createRefusalList();
  const result = await withDatabase(databaseUrl, 'catalog-import', (client) =>
    importCatalogue(client, read(refusals), { skipRefused, now }),
  );
  return { ...result, ...joinRefusals(refusals, result) };
}

/** The refusals of single lines, then those that come of comparing lines with each other and with the store. */
function joinRefusals(
  refusals: RefusalList,
  result: CatalogueImport,
): Pick<ImportOutcome, 'listed' | 'total'> {
  const listed = [...refusals.kept, ...result.refusals].slice(0, MAX_LISTED);
  return { listed, total: refusals.total + result.refusalCount };
}
