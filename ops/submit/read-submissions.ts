import { readNdjson } from '../../administration/catalogue/ndjson.ts';
import { nameOfRecord, type RefusalList } from '../../administration/catalogue/refusal-list.ts';
import { findLate, findUnpublished } from '../../domain/publication.ts';
import type { Submission } from '../../schemas/submission.ts';
import { parseSubmission } from '../../schemas/submission-files.ts';
import { countBytes } from '../catalog/count-bytes.ts';

/**
 * A submission's binary form is never longer than its line, so this keeps every message below a broker's limit of a
 * megabyte.
 */
const MAX_LINE_BYTES = 900_000;

/** A file of submissions, with its `name` in messages. */
export interface SubmissionFile {
  name: string;
  bytes: number;
  /** Its bytes from the beginning. */
  read(): AsyncIterable<Uint8Array>;
}

export interface ReadOptions {
  /** Receives the problems of lines that are not read. */
  refusals: RefusalList;
  /** Receives possible mistakes in the others. */
  warnings: RefusalList;
  /** Milliseconds since 1970. */
  now: number;
  /** Called with the number of bytes of each piece, for a progress bar. */
  onBytes?: (count: number) => void;
}

/** Reads the submissions of the files, in order, without the lines that have problems. */
export async function* readSubmissions(
  files: SubmissionFile[],
  { refusals, warnings, now, onBytes }: ReadOptions,
): AsyncGenerator<Submission> {
  for (const { read, name: file } of files) {
    for await (const item of readNdjson(file, countBytes(read(), onBytes), MAX_LINE_BYTES)) {
      const { line } = item;
      if ('fault' in item) {
        refusals.add({ file, line, field: null, message: item.fault, name: null });
        continue;
      }
      const parsed = parseSubmission(item.value);
      const problems = parsed.ok ? findUnpublished(parsed.value, now) : parsed.problems;
      const name = nameOfRecord(item.value);
      for (const problem of problems) refusals.add({ file, line, ...problem, name });
      if (!parsed.ok || problems.length > 0) continue;
      for (const problem of findLate(parsed.value)) warnings.add({ file, line, ...problem, name });
      yield parsed.value;
    }
  }
}
