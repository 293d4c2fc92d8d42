/*
 * From a broker's answer for a partition to its records.
 */
import { selectCommitted } from '../protocol/committed.ts';
import type { PartitionAnswer } from '../protocol/fetch.ts';
import {
  type FetchedRecord,
  type RecordBatch,
  readRecords,
  splitBatches,
  UnreadableBatchError,
} from '../protocol/record-batches.ts';

/** A batch that cannot be read. Offsets are inclusive. */
export interface UnreadableBatch
  extends Pick<RecordBatch, 'firstOffset' | 'lastOffset' | 'newestAt' | 'bytes'> {
  reason: string;
}

/** The result of a fetch for one partition. */
export interface PartitionRead {
  partition: number;
  records: FetchedRecord[];
  unreadable: UnreadableBatch[];
  /** Where to read on. It passes offsets without a record: compacted ones, markers, emptied and unreadable batches. */
  nextOffset: number;
  /** Milliseconds since 1970: the time of the newest record before `nextOffset` that this read passed; 0 for none. */
  newestAt: number;
  /** The end of the partition when the broker answered. */
  end: number;
  /** The last stable offset: no later record can be read as committed yet. */
  stableEnd: number;
  /** Whether there was nothing to read from `nextOffset` on. */
  atEnd: boolean;
  /** Whether the log did not have the wanted offset, so that `nextOffset` is the log's beginning. */
  isOutOfRange: boolean;
  /** Gives back the memory of the records and of the unreadable batches, if the reader has a pool of buffers. */
  release?: () => void;
}

/**
 * The memory that the records of a fetch may take up before no further batch of it is read, in bytes. A fetch of a few
 * megabytes could otherwise expand to gigabytes (INV-14).
 */
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** The memory of a record beside its key and value, about, in bytes. */
const RECORD_OVERHEAD_BYTES = 300;

/** The memory that is left for the records of one fetch, in bytes. A batch that begins when nothing is left is not read. */
export interface ReadBudget {
  bytes: number;
}

export const createReadBudget = (): ReadBudget => ({ bytes: MAX_READ_BYTES });

export interface ReadOptions {
  /** The offset that was asked for. */
  from: number;
  /** The ends of the partition, as far as they are known. */
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
      // A batch comes whole, even if only its end was asked for.
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
