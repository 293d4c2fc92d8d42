import type { MapOptions } from '../../intake/catalogue/map-table.ts';
import type { CatalogueKind } from '../../schemas/catalogue-files.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { checkRecord } from './check-record.ts';
import type { CatalogueFile } from './find-files.ts';
import { readNdjson } from './ndjson.ts';
import { type FeedOptions, FeedReader } from './read-feeds.ts';
import { readTableFile } from './read-tables.ts';
import { createReadingNotes, type ReadingNotes } from './reading-notes.ts';
import type { RefusalList } from './refusal-list.ts';

/** Far above the longest record: two thousand choices with long texts in two languages. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** How files are read. */
export interface ReadOptions extends Partial<FeedOptions>, Omit<MapOptions, 'electionType'> {
  /** Gets what a person should know about tables and feeds. */
  found?: ReadingNotes;
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
  { found = createReadingNotes(), electionType = null, onBytes = () => {}, ...table }: ReadOptions = {},
): AsyncGenerator<StagedLine> {
  const feeds = new FeedReader(refusals, found, { electionType, onBytes });
  for (const file of files) {
    if (file.format === 'xml' || file.format === 'zip') yield* feeds.read(file, file.format);
    else if (file.format === 'table')
      yield* readTableFile(file, refusals, found, { ...table, electionType, onBytes });
    else if (file.kind) yield* readRecords(file.path, file.kind, refusals, onBytes);
  }
}

async function* readRecords(
  path: string,
  kind: CatalogueKind,
  refusals: RefusalList,
  onBytes: (count: number) => void,
): AsyncGenerator<StagedLine> {
  for await (const item of readNdjson(path, { maxLineBytes: MAX_LINE_BYTES, onBytes })) {
    if ('fault' in item) {
      refusals.add({ file: path, line: item.line, field: null, message: item.fault, name: null });
      yield { kind, file: path, line: item.line, key: null, record: null };
    } else {
      yield checkRecord(kind, path, item.line, item.value, refusals);
    }
  }
}
