/* Turns a broker's answer for a partition into records. */
import { selectCommitted } from '../protocol/committed.ts';
import type { PartitionAnswer } from '../protocol/fetch.ts';
import {
  type FetchedRecord,
  type RecordBatch,
  readRecords,
  splitBatches,
  UnreadableBatchError,
} from '../protocol/record-batches.ts';

/** An unreadable batch. Offsets are inclusive. */
export interface UnreadableBatch
  extends Pick<RecordBatch, 'firstOffset' | 'lastOffset' | 'newestAt' | 'bytes'> {
  reason: string;
}

/** The result of a fetch for one partition. */
export interface PartitionRead {
  partition: number;
  records: FetchedRecord[];
  unreadable: UnreadableBatch[];
  /** Where to continue. Skips offsets without a record: compacted ones, markers, emptied and unreadable batches. */
  nextOffset: number;
  /** The time of the newest record that this read passed, in milliseconds since 1970; 0 for none. */
  newestAt: number;
  /** The end of the partition when the broker answered. */
  end: number;
  /** The last stable offset: no later record can be read as committed yet. */
  stableEnd: number;
  /** Whether the log had nothing to read from `nextOffset`. */
  atEnd: boolean;
  /** Whether the log lacked the wanted offset; `nextOffset` is then the log's beginning. */
  isOutOfRange: boolean;
  /** Returns the memory of records and unreadable batches, if the reader has a pool of buffers. */
  release?: () => void;
}

/**
 * The memory limit for the records of a fetch, in bytes; after it no further batch is read. Otherwise a fetch
 * of a few megabytes could expand to gigabytes (INV-14).
 */
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** The memory of a record beside its key and value, about, in bytes. */
const RECORD_OVERHEAD_BYTES = 300;

/** The remaining memory for the records of one fetch, in bytes. At zero, no further batch is read. */
export interface ReadBudget {
  bytes: number;
}

export const createReadBudget = (): ReadBudget => ({ bytes: MAX_READ_BYTES });

export interface ReadOptions {
  /** The requested offset. */
  from: number;
  /** The known ends of the partition. */
  ends: { end: number; stableEnd: number };
  /** Whether to leave out aborted transactions. */
  committed: boolean;
  budget: ReadBudget;
}

/** Reads the records of an answer without an error. */
export function readPartition(
  { partition, aborted, bytes, release }: PartitionAnswer,
  { from, ends: { end, stableEnd }, committed, budget }: ReadOptions,
): PartitionRead {
  let nextOffset = from;
  let newestAt = 0;
  const passed = function* (batches: Iterable<RecordBatch>) {
    for (const batch of batches) {
      if (budget.bytes <= 0) return;
      nextOffset = Math.max(nextOffset, batch.lastOffset + 1);
      newestAt = Math.max(newestAt, batch.newestAt);
      yield batch;
    }
  };
  const batches = passed(splitBatches(bytes));
  const records: FetchedRecord[] = [];
  const unreadable: UnreadableBatch[] = [];
  for (const batch of committed ? selectCommitted(batches, aborted) : batches) {
    if (batch.isControl) continue;
    try {
      // A batch comes whole, even if only its end was requested.
      for (const record of readRecords(batch)) {
        budget.bytes -= sizeOf(record);
        if (record.offset >= from) records.push(record);
      }
    } catch (error) {
      if (!(error instanceof UnreadableBatchError)) throw error;
      unreadable.push({ ...batch, reason: error.message });
    }
  }
  const atEnd = nextOffset >= (committed ? stableEnd : end);
  const read = { partition, records, unreadable, nextOffset, newestAt, end, stableEnd, atEnd };
  return { ...read, isOutOfRange: false, ...(release && { release }) };
}

function sizeOf({ key, value }: FetchedRecord): number {
  return (key?.length ?? 0) + (value?.length ?? 0) + RECORD_OVERHEAD_BYTES;
}
