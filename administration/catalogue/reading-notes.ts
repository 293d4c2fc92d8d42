import { Notes } from '../../intake/catalogue/notes.ts';

/** What a person should know about the files of an import, found while they are read. */
export interface ReadingNotes {
  notes: Notes;
  /** Facts about each table and feed, such as its version. */
  facts: { label: string; value: string }[];
}

export const createReadingNotes = (): ReadingNotes => ({ notes: new Notes(), facts: [] });
