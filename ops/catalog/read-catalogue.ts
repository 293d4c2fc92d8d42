import { readRecords } from '../../administration/catalogue/read-records.ts';
import { readTableRecords } from '../../administration/catalogue/read-tables.ts';
import type { ReadingNotes } from '../../administration/catalogue/reading-notes.ts';
import type { RefusalList } from '../../administration/catalogue/refusal-list.ts';
import type { MapOptions } from '../../intake/catalogue/map-table.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { readBytes } from './count-bytes.ts';
import type { CatalogueFile } from './find-files.ts';
import { type FeedOptions, FeedReader } from './read-feeds.ts';

/** How files are read. */
export interface ReadOptions extends FeedOptions, Omit<MapOptions, 'electionType'> {
  /** Gets what a person should know about tables and feeds. */
  found: ReadingNotes;
}

/**
 * Reads the lines of the files and checks each by itself. A bad line has no record, and its problems are added to
 * `refusals`.
 *
 * @throws OperatorError if a table or a feed cannot be used as a whole
 */
export async function* readCatalogue(
  files: CatalogueFile[],
  refusals: RefusalList,
  { found, electionType, onBytes, ...table }: ReadOptions,
): AsyncGenerator<StagedLine> {
  const feeds = new FeedReader(refusals, found, { electionType, onBytes });
  for (const file of files) {
    const { path, format, kind } = file;
    if (format === 'xml' || format === 'zip') yield* feeds.read(file, format);
    else if (format === 'table') {
      // Progress is that of the first reading, which reads all of the file.
      let count: typeof onBytes | undefined = onBytes;
      const open = () => {
        const bytes = readBytes(path, count);
        count = undefined;
        return bytes;
      };
      yield* readTableRecords({ file: path, kind, open }, refusals, found, { ...table, electionType });
    } else if (kind) yield* readRecords({ file: path, kind, bytes: readBytes(path, onBytes) }, refusals);
  }
}
