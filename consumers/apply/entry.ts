import type { Refusal } from '../../domain/refusal.ts';
import { refuseMalformed } from '../../domain/submission-rules.ts';
import type { FetchedRecord } from '../../kafka/record-batches.ts';
import type { PartitionRead, UnreadableBatch } from '../../kafka/topic-reader.ts';
import { type Submission, submissionCodec } from '../../schemas/submission.ts';

/** A record of the submissions topic, decoded and checked; or a batch of them that cannot be read. */
export interface Entry {
  offset: number;
  /** For a batch that cannot be read: the offset of its last record. */
  lastOffset: number | null;
  key: Buffer | null;
  /** The bytes as read: of the submission, or of the whole batch. */
  value: Buffer | null;
  submission: Submission | Refusal;
}

/** A part of a partition's log: everything from one offset up to another, which is not included. */
export interface Run {
  partition: number;
  from: number;
  to: number;
  entries: Entry[];
}

/** The submission of a record, or the reason why it is none. */
function readSubmission(value: Buffer | null): Submission | Refusal {
  try {
    const submission = submissionCodec.decode(value);
    return refuseMalformed(submission) ?? submission;
  } catch (error) {
    return { code: 'undecodable', message: error instanceof Error ? error.message : String(error) };
  }
}

export function createEntry({ offset, key, value }: FetchedRecord): Entry {
  return { offset, lastOffset: null, key, value, submission: readSubmission(value) };
}

function createUnreadableEntry({ firstOffset, lastOffset, bytes, reason }: UnreadableBatch): Entry {
  const message = `The batch of offsets ${firstOffset} to ${lastOffset} cannot be read: ${reason}.`;
  return {
    offset: firstOffset,
    lastOffset,
    key: null,
    value: bytes,
    submission: { code: 'unreadable', message },
  };
}

/** The run of a fetch that began at offset `from`. */
export function createRun(from: number, { partition, records, unreadable, nextOffset }: PartitionRead): Run {
  const entries = [...records.map(createEntry), ...unreadable.map(createUnreadableEntry)];
  if (unreadable.length > 0) entries.sort((a, b) => a.offset - b.offset);
  return { partition, from, to: nextOffset, entries };
}

/** Splits a run after its first `count` entries. The second part is undefined if nothing remains. */
export function splitRun(run: Run, count: number): [Run, Run | undefined] {
  const next = run.entries[count];
  if (next === undefined) return [run, undefined];
  const { partition, from, to, entries } = run;
  return [
    { partition, from, to: next.offset, entries: entries.slice(0, count) },
    { partition, from: next.offset, to, entries: entries.slice(count) },
  ];
}

/** The part of a run from an offset on; without entries if the offset is at or beyond its end. */
export function dropApplied(run: Run, offset: number): Run {
  const entries = run.entries.filter((entry) => (entry.lastOffset ?? entry.offset) >= offset);
  return { ...run, from: Math.max(run.from, offset), to: Math.max(run.to, offset), entries };
}
