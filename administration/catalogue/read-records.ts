import type { CatalogueKind } from '../../schemas/catalogue-files.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';
import { checkRecord } from './check-record.ts';
import { readNdjson } from './ndjson.ts';
import type { RefusalList } from './refusal-list.ts';

/** Far above the longest record: two thousand choices with long texts in two languages. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file with a record in each line. A bad line has no record, and its problems are added to `refusals`.
 *
 * @param file the file's name in messages
 * @throws the errors of `bytes`
 */
export async function* readRecords(
  { file, kind, bytes }: { file: string; kind: CatalogueKind; bytes: AsyncIterable<Uint8Array> },
  refusals: RefusalList,
): AsyncGenerator<StagedLine> {
  for await (const item of readNdjson(file, bytes, MAX_LINE_BYTES)) {
    if ('fault' in item) {
      refusals.add({ file, line: item.line, field: null, message: item.fault, name: null });
      yield { kind, file, line: item.line, key: null, record: null };
    } else {
      yield checkRecord(kind, file, item.line, item.value, refusals);
    }
  }
}
