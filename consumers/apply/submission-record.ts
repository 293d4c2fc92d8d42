import { createHash } from 'node:crypto';
import type { Refusal } from '../../domain/refusal.ts';
import { refuseMalformed } from '../../domain/submission-rules.ts';
import { type FetchedRecord, readHeaders } from '../../kafka/protocol/record-batches.ts';
import type { PartitionRead, UnreadableBatch } from '../../kafka/reading/partition-read.ts';
import { AvroDecodeError } from '../../schemas/avro-codec.ts';
import { readTraceparent } from '../../schemas/record-headers.ts';
import { type Rejection, type Submission, submissionCodec } from '../../schemas/submission.ts';
import { DEFECT } from './submission-fault.ts';

/** A record of the submissions topic, decoded and checked; or a batch of them that cannot be read. */
export interface SubmissionRecord {
  offset: number;
  /** For a batch that cannot be read: the offset of its last record. */
  lastOffset: number | null;
  key: Buffer | null;
  /** The bytes as read, of the submission or of the whole batch; of very large ones the beginning. */
  value: Buffer | null;
  truncated: Rejection['truncated'];
  submission: Submission | Refusal;
  /** When it was appended to its topic, in milliseconds since 1970; null for a batch that cannot be read. */
  submittedAt: number | null;
  /** The W3C trace context that it carries; null if there is none. */
  traceparent: string | null;
}

/** A part of a partition's log: everything from one offset up to another, which is not included. */
export interface SubmissionRange {
  partition: number;
  from: number;
  to: number;
  /** When its newest submission was appended, in milliseconds since 1970; null if none has a time. */
  appendedAt: number | null;
  records: SubmissionRecord[];
}

/** The largest value that is kept whole, in bytes: whatever a producer can send uncompressed. */
const MAX_WHOLE_BYTES = 1_100_000;
/** The most records of a range. Decoding more in one go would keep everything else in this process waiting. */
const MAX_RANGE_RECORDS = 1000;
/** The memory of a record beside its key and value, about, in bytes. */
const RECORD_OVERHEAD_BYTES = 500;

/** The part of a value that is kept: all of it if it fits, else its beginning with the size and digest of the whole. */
export function truncateValue(
  value: Buffer | null,
  maxBytes: number,
): Pick<Rejection, 'value' | 'truncated'> {
  if (value === null || value.length <= maxBytes) return { value, truncated: null };
  const truncated = { size: value.length, sha256: createHash('sha256').update(value).digest() };
  return { value: value.subarray(0, maxBytes), truncated };
}

/** The bytes to keep while a record waits: copies, since what was read is a part of something much larger. */
function keep(
  key: Buffer | null,
  value: Buffer | null,
): Pick<SubmissionRecord, 'key' | 'value' | 'truncated'> {
  const { value: kept, truncated } = truncateValue(value, MAX_WHOLE_BYTES);
  return { key: key && Buffer.from(key), value: kept && Buffer.from(kept), truncated };
}

/** The submission of a record, or the reason why it is none. */
function readSubmission(value: Buffer | null, onDefect: (error: unknown) => void): Submission | Refusal {
  try {
    const submission = submissionCodec.decode(value);
    return refuseMalformed(submission) ?? submission;
  } catch (error) {
    if (error instanceof AvroDecodeError) return { code: 'undecodable', message: error.message };
    onDefect(error);
    return DEFECT;
  }
}

/** Times after this one are no times of submissions, and some are more than the database takes; in milliseconds since 1970. */
const MAX_TIME = Date.UTC(3000, 0);

/** The time of a record, unless its producer made it up. */
function readTime(timestamp: number): number | null {
  return timestamp > 0 && timestamp < MAX_TIME ? timestamp : null;
}

/** Headers are a matter of tracing: a record with broken ones counts as one without. */
function findTraceparent(headers: Buffer | null): string | null {
  if (headers === null) return null;
  try {
    return readTraceparent(readHeaders(headers));
  } catch {
    return null;
  }
}

/** @param onDefect is given an error that only a defect of the code explains; the submission is rejected all the same */
export function createRecord(
  { offset, timestamp, key, value, headers }: FetchedRecord,
  onDefect: (error: unknown) => void,
): SubmissionRecord {
  return {
    offset,
    lastOffset: null,
    ...keep(key, value),
    submission: readSubmission(value, onDefect),
    submittedAt: readTime(timestamp),
    traceparent: findTraceparent(headers),
  };
}

function createUnreadableRecord({
  firstOffset,
  lastOffset,
  bytes,
  reason,
}: UnreadableBatch): SubmissionRecord {
  const message = `The batch of offsets ${firstOffset} to ${lastOffset} cannot be read: ${reason}.`;
  return {
    offset: firstOffset,
    lastOffset,
    ...keep(null, bytes),
    submission: { code: 'unreadable', message },
    submittedAt: null,
    traceparent: null,
  };
}

const firstOffsetOf = (part: FetchedRecord | UnreadableBatch) =>
  'reason' in part ? part.firstOffset : part.offset;

/** When the newest of some submissions was appended, in milliseconds since 1970; null if none has a time. */
function lastAppended(records: readonly SubmissionRecord[]): number | null {
  const newest = records.reduce((latest, { submittedAt }) => Math.max(latest, submittedAt ?? 0), 0);
  return newest > 0 ? newest : null;
}

/** The ranges of a fetch that began at offset `from`, in order. Records are decoded when their range is asked for. */
export function* createRanges(
  from: number,
  { partition, records, unreadable, nextOffset, newestAt }: PartitionRead,
  onDefect: (error: unknown) => void,
): Generator<SubmissionRange> {
  const parts: (FetchedRecord | UnreadableBatch)[] = [...records, ...unreadable];
  if (unreadable.length > 0) parts.sort((a, b) => firstOffsetOf(a) - firstOffsetOf(b));
  let rangeFrom = from;
  for (let start = 0; start === 0 || start < parts.length; start += MAX_RANGE_RECORDS) {
    const following = parts[start + MAX_RANGE_RECORDS];
    const to = following ? firstOffsetOf(following) : nextOffset;
    const records = parts
      .slice(start, start + MAX_RANGE_RECORDS)
      .map((part) => ('reason' in part ? createUnreadableRecord(part) : createRecord(part, onDefect)));
    const appendedAt = following ? lastAppended(records) : readTime(newestAt);
    yield { partition, from: rangeFrom, to, appendedAt, records };
    rangeFrom = to;
  }
}

/** The memory that a record takes up while it waits, about, in bytes. */
export function sizeOfRecord({ key, value }: SubmissionRecord): number {
  return (key?.length ?? 0) + (value?.length ?? 0) + RECORD_OVERHEAD_BYTES;
}

/**
 * Splits a range after `maxRecords` records, or when they take up `maxBytes`; the first part has one record at least. The
 * second part is undefined if nothing remains.
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

/** Joins ranges of a partition that follow each other; undefined if there are none. */
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
