import { type CatalogueImport, importCatalogue } from '../../store/catalogue/import.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { withDatabase } from '../database.ts';
import type { CatalogueFile } from './find-files.ts';
import { type ReadOptions, readCatalogue } from './read-catalogue.ts';
import { createRefusalList, MAX_LISTED, type RefusalList } from './refusal-list.ts';

export interface ImportOptions {
  databaseUrl: string;
  /** Leave out refused lines and load the others; otherwise one refusal stops the whole import. */
  skipRefused: boolean;
  /** The most contests, choices and endorsements that the import may take away; null for few (contract). */
  maxRemovals: number | null;
  /** Keep contests and choices that the files lack. */
  keepMissing?: boolean;
  /** Accept choices that keep their keys and get other people's names. */
  allowRenames?: boolean;
  /** Do everything, report the result, and roll back. */
  dryRun: boolean;
  /** Called with the number of endorsements announced after the commit so far, and the total. */
  onAnnounced?: (done: number, total: number) => void;
}

export interface ImportOutcome extends CatalogueImport {
  /** All refusals: first those of single lines, then those of comparing lines with each other and with the store. */
  allRefusals: Omit<RefusalList, 'add'>;
}

/** Loads catalogue files in one transaction (contract, "Catalogue and submission files"). */
export async function importFiles(
  files: CatalogueFile[],
  { reading, ...options }: ImportOptions & { reading?: ReadOptions },
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
  const ofLines = createRefusalList();
  const result = await withDatabase(databaseUrl, 'catalog-import', (client) =>
    importCatalogue(client, read(ofLines), options),
  );
  const allRefusals = {
    kept: [...ofLines.kept, ...result.refusals].slice(0, MAX_LISTED),
    total: ofLines.total + result.refusalCount,
    counts: [...ofLines.counts, ...result.refusalCounts],
  };
  return { ...result, allRefusals };
}
