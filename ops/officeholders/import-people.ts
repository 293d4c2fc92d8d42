import { importOfficeholders, type LoadCounts } from '../../store/officeholders/import.ts';
import { withDatabase } from '../database.ts';
import type { FoundPeople, PersonFile } from './find-files.ts';
import { type ReadPeople, readPeople } from './read-people.ts';

export interface ImportOptions {
  databaseUrl: string;
  /** Skip people with refused files and load the others; otherwise one refusal stops the whole import. */
  skipRefused: boolean;
  now: Date;
  onFile?: () => void;
}

export interface ImportOutcome extends ReadPeople {
  /** Null if nothing was loaded. */
  counts: { people: LoadCounts; seats: LoadCounts } | null;
}

/** The person's id from the end of a file's name; null if there is none. */
function idInName({ path }: PersonFile): string | null {
  return /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.ya?ml$/i.exec(path)?.[1] ?? null;
}

/**
 * Loads the people of a checkout in one transaction. A person with a refused file stays as stored. If such a file does
 * not name its person, nobody in its state is removed.
 *
 * @throws OperatorError if the database cannot be reached or is not migrated
 */
export async function importPeople(
  { files, places }: FoundPeople,
  { databaseUrl, skipRefused, now, onFile }: ImportOptions,
): Promise<ImportOutcome> {
  const read = await readPeople(files, now.toISOString().slice(0, 10), onFile);
  if (read.refusals.length > 0 && !skipRefused) return { ...read, counts: null };
  const refused = read.refusedFiles.map((file) => ({ place: file.place, id: idInName(file) }));
  const inDoubt = refused.filter(({ id }) => id === null).map(({ place }) => place);
  const load = {
    people: read.people,
    places: places.filter((place) => !inDoubt.includes(place)),
    refusedIds: refused.flatMap(({ id }) => id ?? []),
  };
  const counts = await withDatabase(databaseUrl, 'officeholders-import', (client) =>
    importOfficeholders(client, load, now),
  );
  return { ...read, counts };
}
