import { createInnerError, IncompleteExportError, NetworkError, UnexpectedAnswerError } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { QueryValues } from '../http/query.ts';
import { Patience } from '../http/retries.ts';
import type { CallOptions } from '../options.ts';
import { readLines } from './lines.ts';

/** A record, whose id is also the position in the export. */
export interface Identified {
  id: number;
}

/** Some records of an export, in the order of their ids. */
export interface Batch<Item> {
  records: Item[];
  /** The position of the first answer in the stream: events after it complete the export. */
  streamCursor: string;
  /** The position of these records in the stream. After a cut it is later than `streamCursor`. */
  readAt: string;
}

export interface ExportSettings extends CallOptions {
  path: string;
  filter: QueryValues;
  /** The export begins after this id. */
  after?: number | undefined;
}

const FIRST_RETRY_MS = 500;

/**
 * Reads all records of a list as lines of JSON. After a cut it continues after the last record. It checks the number of
 * records against the answer's own count.
 *
 * @throws ApiError, NetworkError or TimeoutError after all retries without a new record; IncompleteExportError for
 * another number of records; UnexpectedAnswerError for a malformed answer; the signal's reason
 */
export async function* readExport<Item extends Identified>(
  connection: Connection,
  settings: ExportSettings,
): AsyncGenerator<Batch<Item>, void> {
  const { path, filter, signal } = settings;
  const { timeoutMs = connection.timeoutMs, maxRetries = connection.maxRetries } = settings;
  const patience = new Patience({ connection, path, signal, retryMs: FIRST_RETRY_MS, maxRetries });
  let { after } = settings;
  let streamCursor: string | null = null;
  for (;;) {
    try {
      const request = { path, query: { ...filter, after }, accept: 'application/x-ndjson' };
      const attempt = { signal, timeoutMs, silenceMs: timeoutMs };
      const parts = connection.open(request, attempt, (pieces) => readParts<Item>(pieces, path));
      for await (const { records, readAt } of parts) {
        // An answer that breaks off after its first line is not progress.
        if (records.length > 0) patience.succeed();
        else patience.recognize();
        streamCursor ??= readAt;
        after = records.at(-1)?.id ?? after;
        yield { records, streamCursor, readAt };
      }
      return;
    } catch (error) {
      await patience.bear(error);
    }
  }
}

/** Reads one answer. @throws NetworkError if its last line is missing */
async function* readParts<Item extends Identified>(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<Omit<Batch<Item>, 'streamCursor'>, void> {
  let readAt: string | null = null;
  let count = 0;
  for await (const lines of readLines(pieces)) {
    const records: Item[] = [];
    for (const line of lines) {
      const parsed = parseLine<Item>(line);
      if (isRecord(parsed)) records.push(parsed);
      else if (typeof parsed.stream_cursor === 'string') readAt = parsed.stream_cursor;
      else if (typeof parsed.count === 'number') {
        count += records.length;
        if (count !== parsed.count) throw createCountError(path, count, parsed.count);
        if (readAt !== null) yield { records, readAt };
        return;
      } else throw createInnerError((parsed.error ?? {}) as object);
    }
    count += records.length;
    if (readAt === null)
      throw new UnexpectedAnswerError(`${path} answered without a stream_cursor in its first line.`);
    yield { records, readAt };
  }
  throw new NetworkError(`The answer of ${path} broke off after ${count} records.`);
}

/** A line other than a record: the first, the last, or an error. */
interface OtherLine {
  stream_cursor?: unknown;
  count?: unknown;
  error?: unknown;
}

function isRecord<Item extends Identified>(line: Item | OtherLine): line is Item {
  return 'id' in line;
}

function parseLine<Item extends Identified>(line: string): Item | OtherLine {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Item | OtherLine;
  } catch {
    // The text is refused below.
  }
  throw new UnexpectedAnswerError(`A line of an export is not a JSON object: ${line.slice(0, 80)}`);
}

function createCountError(path: string, received: number, count: number): IncompleteExportError {
  return new IncompleteExportError(`${path} sent ${received} records but announced ${count}.`);
}
