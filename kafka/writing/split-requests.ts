import type { OutgoingRecord } from '../protocol/write-batch.ts';
import { partitionOfKey } from './key-partition.ts';

/**
 * Splits records into requests, in order, each with at most `maxBatchBytes` per partition. A larger record is
 * alone in its partition.
 *
 * @param partitions the number of partitions of the topic
 */
export function* splitIntoRequests(
  records: Iterable<OutgoingRecord>,
  partitions: number,
  maxBatchBytes: number,
): Generator<OutgoingRecord[]> {
  let request: OutgoingRecord[] = [];
  let sizes = new Map<number, number>();
  for (const record of records) {
    const partition = partitionOfKey(record.key, partitions);
    const size = sizes.get(partition) ?? 0;
    if (size > 0 && size + record.value.length > maxBatchBytes) {
      yield request;
      request = [];
      sizes = new Map();
    }
    request.push(record);
    sizes.set(partition, (sizes.get(partition) ?? 0) + record.value.length);
  }
  if (request.length > 0) yield request;
}
