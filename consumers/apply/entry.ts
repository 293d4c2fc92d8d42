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
export interface Entry {
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
export interface Run {
  partition: number;
  from: number;
  to: number;
  /** When its newest submission was appended, in milliseconds since 1970; null if none has a time. */
  appendedAt: number | null;
  entries: Entry[];
}

/** The largest value that is kept whole, in bytes: whatever a producer can send uncompressed. */
const MAX_WHOLE_BYTES = 1_100_000;
/** The most entries of a run. Decoding more in one go would keep everything else in this process waiting. */
const MAX_RUN_ENTRIES = 1000;
/** The memory of an entry beside its key and value, about, in bytes. */
const ENTRY_OVERHEAD_BYTES = 500;

/** The part of a value that is kept: all of it if it fits, else its beginning with the size and digest of the whole. */
export function truncateValue(
  value: Buffer | null,
  maxBytes: number,
): Pick<Rejection, 'value' | 'truncated'> {
  if (value === null || value.length <= maxBytes) return { value, truncated: null };
  const truncated = { size: value.length, sha256: createHash('sha256').update(value).digest() };
  return { value: value.subarray(0, maxBytes), truncated };
}

/** The bytes to keep while an entry waits: copies, since what was read is a part of something much larger. */
function keep(key: Buffer | null, value: Buffer | null): Pick<Entry, 'key' | 'value' | 'truncated'> {
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
export function createEntry(
  { offset, timestamp, key, value, headers }: FetchedRecord,
  onDefect: (error: unknown) => void,
): Entry {
  return {
    offset,
    lastOffset: null,
    ...keep(key, value),
    submission: readSubmission(value, onDefect),
    submittedAt: readTime(timestamp),
    traceparent: findTraceparent(headers),
  };
}

function createUnreadableEntry({ firstOffset, lastOffset, bytes, reason }: UnreadableBatch): Entry {
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
function lastAppended(entries: readonly Entry[]): number | null {
  const newest = entries.reduce((latest, { submittedAt }) => Math.max(latest, submittedAt ?? 0), 0);
  return newest > 0 ? newest : null;
}

/** The runs of a fetch that began at offset `from`, in order. Entries are decoded when their run is asked for. */
export function* createRuns(
  from: number,
  { partition, records, unreadable, nextOffset, newestAt }: PartitionRead,
  onDefect: (error: unknown) => void,
): Generator<Run> {
  const parts: (FetchedRecord | UnreadableBatch)[] = [...records, ...unreadable];
  if (unreadable.length > 0) parts.sort((a, b) => firstOffsetOf(a) - firstOffsetOf(b));
  let runFrom = from;
  for (let start = 0; start === 0 || start < parts.length; start += MAX_RUN_ENTRIES) {
    const following = parts[start + MAX_RUN_ENTRIES];
    const to = following ? firstOffsetOf(following) : nextOffset;
    const entries = parts
      .slice(start, start + MAX_RUN_ENTRIES)
      .map((part) => ('reason' in part ? createUnreadableEntry(part) : createEntry(part, onDefect)));
    const appendedAt = following ? lastAppended(entries) : readTime(newestAt);
    yield { partition, from: runFrom, to, appendedAt, entries };
    runFrom = to;
  }
}

/** The memory that an entry takes up while it waits, about, in bytes. */
export function sizeOfEntry({ key, value }: Entry): number {
  return (key?.length ?? 0) + (value?.length ?? 0) + ENTRY_OVERHEAD_BYTES;
}

/**
 * Splits a run after `maxEntries` entries, or when they take up `maxBytes`; the first part has one entry at least. The
 * second part is undefined if nothing remains.
 */
export function splitRun(run: Run, maxEntries: number, maxBytes: number): [Run, Run | undefined] {
  const { partition, from, to, appendedAt, entries } = run;
  let count = 0;
  for (let bytes = 0; count < entries.length && count < maxEntries && bytes < maxBytes; count += 1) {
    bytes += sizeOfEntry(entries[count] as Entry);
  }
  const next = entries[count];
  if (next === undefined) return [run, undefined];
  const first = entries.slice(0, count);
  return [
    { partition, from, to: next.offset, appendedAt: lastAppended(first), entries: first },
    { partition, from: next.offset, to, appendedAt, entries: entries.slice(count) },
  ];
}

/** One run of runs of a partition that follow each other; undefined if there are none. */
export function joinRuns(runs: readonly Run[]): Run | undefined {
  const [first, ...more] = runs;
  if (first === undefined || more.length === 0) return first;
  const appended = runs.map(({ appendedAt }) => appendedAt ?? 0);
  return {
    partition: first.partition,
    from: first.from,
    to: runs.at(-1)?.to ?? first.to,
    appendedAt: Math.max(...appended) || null,
    entries: runs.flatMap(({ entries }) => entries),
  };
}

/** The part of a run from an offset on; without entries if the offset is at or beyond its end. */
export function dropApplied(run: Run, offset: number): Run {
  const entries = run.entries.filter((entry) => (entry.lastOffset ?? entry.offset) >= offset);
  return { ...run, from: Math.max(run.from, offset), to: Math.max(run.to, offset), entries };
}
