import { Notes } from '../../intake/catalogue/notes.ts';

/** Notes for people on the files of an import, collected while they are read. */
export interface ReadingNotes {
  notes: Notes;
  /** Facts about each table and feed, such as its version. */
  facts: { label: string; value: string }[];
}

export const createReadingNotes = (): ReadingNotes => ({ notes: new Notes(), facts: [] });
