import { createHash } from 'node:crypto';
import type { Refusal } from '../../domain/refusal.ts';
import { refuseMalformed } from '../../domain/submission-rules.ts';
import { type FetchedRecord, readHeaders } from '../../kafka/protocol/record-batches.ts';
import type { PartitionRead, UnreadableBatch } from '../../kafka/reading/partition-read.ts';
import { AvroDecodeError } from '../../schemas/avro-codec.ts';
import { readTraceparent } from '../../schemas/record-headers.ts';
import { type Rejection, type Submission, submissionCodec } from '../../schemas/submission.ts';
import { DEFECT } from './submission-fault.ts';

/** A decoded and checked record of the submissions topic, or an unreadable batch. */
export interface SubmissionRecord {
  offset: number;
  /** For an unreadable batch: the offset of its last record. */
  lastOffset: number | null;
  key: Buffer | null;
  /** The raw bytes of the submission or of the whole batch; only the beginning if they are very large. */
  value: Buffer | null;
  truncated: Rejection['truncated'];
  submission: Submission | Refusal;
  /** The append time, in milliseconds since 1970; null for an unreadable batch. */
  submittedAt: number | null;
  /** Its W3C trace context; null without one. */
  traceparent: string | null;
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

/** The largest value to keep whole, in bytes: anything that a producer can send uncompressed. */
const MAX_WHOLE_BYTES = 1_100_000;
/** The most records of a range. Decoding more at once would block the rest of this process. */
const MAX_RANGE_RECORDS = 1000;
/** The approximate memory of a record without its key and value, in bytes. */
const RECORD_OVERHEAD_BYTES = 500;

/** The part of a value to keep: the whole value, or its beginning with the size and digest of the whole. */
export function truncateValue(
  value: Buffer | null,
  maxBytes: number,
): Pick<Rejection, 'value' | 'truncated'> {
  if (value === null || value.length <= maxBytes) return { value, truncated: null };
  const truncated = { size: value.length, sha256: createHash('sha256').update(value).digest() };
  return { value: value.subarray(0, maxBytes), truncated };
}

/** The bytes to keep while a record waits: copies, because the originals are parts of a much larger buffer. */
function keep(
  key: Buffer | null,
  value: Buffer | null,
): Pick<SubmissionRecord, 'key' | 'value' | 'truncated'> {
  const { value: kept, truncated } = truncateValue(value, MAX_WHOLE_BYTES);
  return { key: key && Buffer.from(key), value: kept && Buffer.from(kept), truncated };
}

/** The submission of a record, or the reason to refuse it. */
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

/** Later times are false, and some exceed the database's range; in milliseconds since 1970. */
const MAX_TIME = Date.UTC(3000, 0);

/** The time of a record, unless its producer made it up. */
function readTime(timestamp: number): number | null {
  return timestamp > 0 && timestamp < MAX_TIME ? timestamp : null;
}

/** Only tracing needs headers, so broken headers count as missing. */
function findTraceparent(headers: Buffer | null): string | null {
  if (headers === null) return null;
  try {
    return readTraceparent(readHeaders(headers));
  } catch {
    return null;
  }
}

/** @param onDefect receives an error from a defect of the code; the submission is still rejected */
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

/** The approximate memory of a waiting record, in bytes. */
export function sizeOfRecord({ key, value }: SubmissionRecord): number {
  return (key?.length ?? 0) + (value?.length ?? 0) + RECORD_OVERHEAD_BYTES;
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
