import {
  importOfficeholders,
  type OfficeholderImport,
  type OfficeholderImportOptions,
} from '../../store/officeholders/import.ts';
import { withDatabase } from '../database.ts';
import type { FoundPeople, PersonFile } from './find-files.ts';
import { type ReadPeople, readPeople } from './read-people.ts';

export interface ImportOptions extends OfficeholderImportOptions {
  databaseUrl: string;
  /** Skip people with refused files and load the others; otherwise one refusal stops the whole import. */
  skipRefused: boolean;
  /** Keep people whose files are missing: the checkout has only a part of the people. */
  keepMissing: boolean;
  onFile?: () => void;
}

export interface ImportOutcome extends ReadPeople {
  /** The changes, made or only planned; null if refused files stopped the import. */
  result: OfficeholderImport | null;
}

/** The person's id from the end of a file's name; null if there is none. */
function idInName({ path }: PersonFile): string | null {
  return /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.ya?ml$/i.exec(path)?.[1] ?? null;
}

/**
 * Loads the people of a checkout in one transaction. A person with a refused file stays as stored. A refused file that
 * does not name its person may be anybody's, so nobody is removed then for a missing file.
 *
 * @throws OperatorError if the database cannot be reached or is not migrated
 */
export async function importPeople(
  { files, places }: FoundPeople,
  { databaseUrl, skipRefused, keepMissing, onFile, ...options }: ImportOptions,
): Promise<ImportOutcome> {
  const read = await readPeople(files, options.now.toISOString().slice(0, 10), onFile);
  if (read.refusals.length > 0 && !skipRefused) return { ...read, result: null };
  const refusedIds = read.refusedFiles.map(idInName);
  const load = {
    people: read.people,
    places: keepMissing || refusedIds.includes(null) ? [] : places,
    leftIds: read.leftIds,
    refusedIds: refusedIds.filter((id) => id !== null),
  };
  const result = await withDatabase(databaseUrl, 'officeholders-import', (client) =>
    importOfficeholders(client, load, options),
  );
  return { ...read, result };
}
