import type { FetchedRecord } from '../kafka/protocol/record-batches.ts';
import type { BufferPool } from '../service/buffer-pool.ts';

/*
 * A gateway's main thread sends its decoder thread records as typed arrays with a slot for each. Typed arrays are
 * transferred without a copy; an object for each record would be cloned.
 */

/** A record of the changes topic. Only its offset and its value matter. */
export type ChangeRecord = Pick<FetchedRecord, 'offset' | 'value'>;

/** Fetched records of one partition. */
export interface TransferableRecords {
  /** The values of the records, one after the other from the beginning. */
  bytes: ArrayBuffer;
  /** Where each value ends in `bytes`. */
  ends: Uint32Array<ArrayBuffer>;
  offsets: Float64Array<ArrayBuffer>;
}

/** Packs records into a buffer of the pool. A record without a value becomes empty; neither can be decoded. */
export function packRecords(records: readonly ChangeRecord[], buffers: BufferPool): TransferableRecords {
  const ends = new Uint32Array(records.length);
  const offsets = new Float64Array(records.length);
  let length = 0;
  let index = 0;
  for (const { offset, value } of records) {
    length += value?.length ?? 0;
    ends[index] = length;
    offsets[index] = offset;
    index += 1;
  }
  const bytes = buffers.take(length);
  const target = new Uint8Array(bytes);
  let end = 0;
  for (const { value } of records) {
    if (!value) continue;
    target.set(value, end);
    end += value.length;
  }
  return { bytes, ends, offsets };
}

export function unpackRecords({ bytes, ends, offsets }: TransferableRecords): ChangeRecord[] {
  const all = Buffer.from(bytes);
  return Array.from(ends, (end, index) => ({
    offset: offsets[index] as number,
    value: all.subarray(ends[index - 1] ?? 0, end),
  }));
}
