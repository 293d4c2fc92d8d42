import { type CatalogueKind, catalogueKey, parseCatalogueRecord } from '../../schemas/catalogue-files.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import type { CatalogueFile } from './find-files.ts';
import { readNdjson } from './ndjson.ts';
import { nameOfRecord, type RefusalList } from './refusal-list.ts';

/** Far above the longest record: two thousand choices with long texts in two languages. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Reads the lines of the files and checks each by itself. A bad line has no record, and its problems are added to
 * `refusals`.
 */
export async function* readCatalogue(
  files: CatalogueFile[],
  refusals: RefusalList,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<StagedLine> {
  for (const file of files) {
    for await (const item of readNdjson(file.path, { maxLineBytes: MAX_LINE_BYTES, onBytes })) {
      if ('fault' in item) {
        refusals.add({ file: file.path, line: item.line, field: null, message: item.fault, name: null });
        yield { kind: file.kind, file: file.path, line: item.line, key: null, record: null };
      } else {
        yield checkRecord(file.kind, file.path, item.line, item.value, refusals);
      }
    }
  }
}

/** Checks one record; its problems are added to `refusals`. */
export function checkRecord(
  kind: CatalogueKind,
  file: string,
  line: number,
  json: unknown,
  refusals: RefusalList,
): StagedLine {
  const parsed = parseCatalogueRecord(kind, json);
  if (!parsed.ok) {
    const name = nameOfRecord(json);
    for (const problem of parsed.problems) refusals.add({ file, line, ...problem, name });
  }
  return { kind, file, line, key: catalogueKey(kind, json), record: parsed.ok ? parsed.value : null };
}
