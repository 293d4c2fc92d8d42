import type { Submission } from '../../schemas/submission.ts';
import { parseSubmission } from '../../schemas/submission-files.ts';
import { readNdjson } from '../catalog/ndjson.ts';
import { nameOfRecord, type RefusalList } from '../catalog/refusal-list.ts';

/**
 * A submission's binary form is never longer than its line, so this keeps every message below a broker's limit of a
 * megabyte.
 */
const MAX_LINE_BYTES = 900_000;

/** A file of submissions, with its `name` in messages. */
export interface SubmissionFile {
  path: string;
  name: string;
  bytes: number;
}

/** Reads the submissions of the files, in order, and adds the problems of the other lines to `refusals`. */
export async function* readSubmissions(
  files: SubmissionFile[],
  refusals: RefusalList,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Submission> {
  for (const { path, name: file } of files) {
    for await (const item of readNdjson(path, { maxLineBytes: MAX_LINE_BYTES, onBytes })) {
      const { line } = item;
      if ('fault' in item) {
        refusals.add({ file, line, field: null, message: item.fault, name: null });
        continue;
      }
      const parsed = parseSubmission(item.value);
      if (parsed.ok) {
        yield parsed.value;
        continue;
      }
      const name = nameOfRecord(item.value);
      for (const problem of parsed.problems) refusals.add({ file, line, ...problem, name });
    }
  }
}
