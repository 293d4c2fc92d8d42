import { createHash } from 'node:crypto';
import type { Refusal } from '../../domain/refusal.ts';
import { normalizeSubmission, refuseLarge, refuseWrongKey } from '../../domain/submission-rules.ts';
import { type FetchedRecord, readHeaders } from '../../kafka/protocol/record-batches.ts';
import type { PartitionRead, UnreadableBatch } from '../../kafka/reading/partition-read.ts';
import { AvroDecodeError } from '../../schemas/avro-codec.ts';
import { readSender, readTraceparent } from '../../schemas/record-headers.ts';
import { type Rejection, type Submission, submissionCodec } from '../../schemas/submission.ts';
import { DEFECT } from './submission-fault.ts';

/** A decoded and checked record of the submissions topic, or an unreadable batch. */
export interface SubmissionRecord {
  offset: number;
  /** For an unreadable batch: the offset of its last record. */
  lastOffset: number | null;
  key: Buffer | null;
  /** The raw bytes of the submission or of the whole batch; only their beginning if they are large and never valid. */
  value: Buffer | null;
  truncated: Rejection['truncated'];
  submission: Submission | Refusal;
  /** The append time, in milliseconds since 1970; null for an unreadable batch. */
  submittedAt: number | null;
  /** Its W3C trace context; null without one. */
  traceparent: string | null;
  /** The name that its sender gives itself; null without one. */
  sender: string | null;
}

/** A part of a partition's log, from one offset up to another, without the latter. */
export interface SubmissionRange {
  partition: number;
  from: number;
  to: number;
  /** The append time of its newest submission, in milliseconds since 1970; null without times. */
  appendedAt: number | null;
  records: SubmissionRecord[];
}

/** The refusals of a value that no change of the catalogue can make valid. Only its beginning is kept. */
const NEVER_VALID: ReadonlySet<Refusal['code']> = new Set([
  'unreadable',
  'too_large',
  'undecodable',
  'invalid_submission',
]);
/** The most bytes to keep of a value that is never valid, and of all of a fetch together. */
const MAX_INVALID_BYTES = 64 * 1024;
const MAX_INVALID_BYTES_OF_FETCH = 4 * 1024 * 1024;
/** The bytes to keep of such a value even so. */
const MIN_INVALID_BYTES = 512;
/** The most bytes of a key to keep. No endorser's slug is longer. */
export const MAX_KEY_BYTES = 200;
/** The most records and approximate bytes of a range. Decoding more at once would block the rest of this process. */
const MAX_RANGE_RECORDS = 1000;
const MAX_RANGE_BYTES = 1024 * 1024;
/** The approximate memory of a record without its key, value and picks, and of a pick without its texts, in bytes. */
const RECORD_OVERHEAD_BYTES = 500;
const PICK_OVERHEAD_BYTES = 250;

/** The part of a value to keep: the whole value, or its beginning with the size and digest of the whole. */
export function truncateValue(
  value: Buffer | null,
  maxBytes: number,
): Pick<Rejection, 'value' | 'truncated'> {
  if (value === null || value.length <= maxBytes) return { value, truncated: null };
  const truncated = { size: value.length, sha256: createHash('sha256').update(value).digest() };
  return { value: value.subarray(0, maxBytes), truncated };
}

/** The bytes of a fetch that may still be kept of values that are never valid. */
interface InvalidBudget {
  bytes: number;
}

/** The bytes to keep while a record waits: copies, because the originals are parts of a much larger buffer. */
function keep(
  { key, value }: Pick<FetchedRecord, 'key' | 'value'>,
  submission: Submission | Refusal,
  budget: InvalidBudget,
): Pick<SubmissionRecord, 'key' | 'value' | 'truncated'> {
  const isInvalid = 'code' in submission && NEVER_VALID.has(submission.code);
  const allowed = Math.min(MAX_INVALID_BYTES, Math.max(MIN_INVALID_BYTES, budget.bytes));
  const { value: kept, truncated } = truncateValue(value, isInvalid ? allowed : Number.POSITIVE_INFINITY);
  if (isInvalid) budget.bytes -= kept?.length ?? 0;
  return {
    key: key && Buffer.from(key.subarray(0, MAX_KEY_BYTES)),
    value: kept && Buffer.from(kept),
    truncated,
  };
}

/** The submission of a record, or the reason to refuse it. Checks the size before it decodes (INV-14, INV-15). */
function readSubmission(
  { key, value }: Pick<FetchedRecord, 'key' | 'value'>,
  onDefect: (error: unknown) => void,
): Submission | Refusal {
  const large = refuseLarge(value?.length ?? 0);
  if (large) return large;
  try {
    const submission = normalizeSubmission(submissionCodec.decode(value));
    return 'code' in submission ? submission : (refuseWrongKey(submission, key) ?? submission);
  } catch (error) {
    if (error instanceof AvroDecodeError) return { code: 'undecodable', message: error.message };
    onDefect(error);
    return DEFECT;
  }
}

/** Later times are false, and some exceed the database's range; in milliseconds since 1970. */
const MAX_TIME = Date.UTC(3000, 0);

/** The time of a record, unless its producer made it up. */
function readTime(timestamp: number): number | null {
  return timestamp > 0 && timestamp < MAX_TIME ? timestamp : null;
}

const NO_HEADERS = { traceparent: null, sender: null };

/** Nothing but tracing and histories needs headers, so broken headers count as missing. */
function readOrigin(headers: Buffer | null): Pick<SubmissionRecord, 'traceparent' | 'sender'> {
  if (headers === null) return NO_HEADERS;
  try {
    const read = readHeaders(headers);
    return { traceparent: readTraceparent(read), sender: readSender(read) };
  } catch {
    return NO_HEADERS;
  }
}

/**
 * @param onDefect receives an error from a defect of the code; the submission is still rejected
 * @param budget lowered by the bytes that are kept of a value that is never valid
 */
export function createRecord(
  record: FetchedRecord,
  onDefect: (error: unknown) => void,
  budget: InvalidBudget = { bytes: MAX_INVALID_BYTES },
): SubmissionRecord {
  const submission = readSubmission(record, onDefect);
  return {
    offset: record.offset,
    lastOffset: null,
    ...keep(record, submission, budget),
    submission,
    submittedAt: readTime(record.timestamp),
    ...readOrigin(record.headers),
  };
}

function createUnreadableRecord(
  { firstOffset, lastOffset, bytes, reason }: UnreadableBatch,
  budget: InvalidBudget,
): SubmissionRecord {
  const message = `The batch of offsets ${firstOffset} to ${lastOffset} cannot be read: ${reason}.`;
  const submission: Refusal = { code: 'unreadable', message };
  return {
    offset: firstOffset,
    lastOffset,
    ...keep({ key: null, value: bytes }, submission, budget),
    submission,
    submittedAt: null,
    ...NO_HEADERS,
  };
}

const firstOffsetOf = (part: FetchedRecord | UnreadableBatch) =>
  'reason' in part ? part.firstOffset : part.offset;

/** The latest append time of some submissions, in milliseconds since 1970; null without times. */
function lastAppended(records: readonly SubmissionRecord[]): number | null {
  const newest = records.reduce((latest, { submittedAt }) => Math.max(latest, submittedAt ?? 0), 0);
  return newest > 0 ? newest : null;
}

/** The ranges of a fetch that began at offset `from`, in order. Decodes each range on demand. */
export function* createRanges(
  from: number,
  { partition, records, unreadable, nextOffset, newestAt }: PartitionRead,
  onDefect: (error: unknown) => void,
): Generator<SubmissionRange> {
  const parts: (FetchedRecord | UnreadableBatch)[] = [...records, ...unreadable];
  if (unreadable.length > 0) parts.sort((a, b) => firstOffsetOf(a) - firstOffsetOf(b));
  const budget: InvalidBudget = { bytes: MAX_INVALID_BYTES_OF_FETCH };
  let rangeFrom = from;
  let next = 0;
  do {
    const range: SubmissionRecord[] = [];
    for (let bytes = 0; range.length < MAX_RANGE_RECORDS && bytes < MAX_RANGE_BYTES; next += 1) {
      const part = parts[next];
      if (part === undefined) break;
      const record =
        'reason' in part ? createUnreadableRecord(part, budget) : createRecord(part, onDefect, budget);
      range.push(record);
      bytes += sizeOfRecord(record);
    }
    const following = parts[next];
    const to = following ? firstOffsetOf(following) : nextOffset;
    const appendedAt = following ? lastAppended(range) : readTime(newestAt);
    yield { partition, from: rangeFrom, to, appendedAt, records: range };
    rangeFrom = to;
  } while (next < parts.length);
}

/** The approximate memory of a waiting record, in bytes: its bytes, and its decoded submission or its refusal. */
export function sizeOfRecord({ key, value, submission }: SubmissionRecord): number {
  const bytes = RECORD_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  if ('code' in submission) return bytes + submission.message.length;
  return bytes + (value?.length ?? 0) + PICK_OVERHEAD_BYTES * submission.picks.length;
}

/**
 * Splits a range after `maxRecords` records, or once they use `maxBytes`. The first part has at least one
 * record. The second part is undefined if nothing remains.
 */
export function splitRange(
  range: SubmissionRange,
  maxRecords: number,
  maxBytes: number,
): [SubmissionRange, SubmissionRange | undefined] {
  const { partition, from, to, appendedAt, records } = range;
  let count = 0;
  for (let bytes = 0; count < records.length && count < maxRecords && bytes < maxBytes; count += 1) {
    bytes += sizeOfRecord(records[count] as SubmissionRecord);
  }
  const next = records[count];
  if (next === undefined) return [range, undefined];
  const first = records.slice(0, count);
  return [
    { partition, from, to: next.offset, appendedAt: lastAppended(first), records: first },
    { partition, from: next.offset, to, appendedAt, records: records.slice(count) },
  ];
}

/** Joins adjacent ranges of a partition; undefined without ranges. */
export function joinRanges(ranges: readonly SubmissionRange[]): SubmissionRange | undefined {
  const [first, ...more] = ranges;
  if (first === undefined || more.length === 0) return first;
  const appended = ranges.map(({ appendedAt }) => appendedAt ?? 0);
  return {
    partition: first.partition,
    from: first.from,
    to: ranges.at(-1)?.to ?? first.to,
    appendedAt: Math.max(...appended) || null,
    records: ranges.flatMap(({ records }) => records),
  };
}

/** The part of a range from an offset on; without records if the offset is at or beyond its end. */
export function dropApplied(range: SubmissionRange, offset: number): SubmissionRange {
  const records = range.records.filter((record) => (record.lastOffset ?? record.offset) >= offset);
  return { ...range, from: Math.max(range.from, offset), to: Math.max(range.to, offset), records };
}
