import type { RecordBatch } from './record-batches.ts';

/** An aborted transaction: its producer, and the offset of its first record. */
export interface AbortedTransaction {
  producerId: bigint;
  firstOffset: number;
}

/**
 * The batches that count: those outside of transactions, and those of committed ones. Follows the rule of
 * Java's client. The broker names the aborted transactions that overlap a fetch, in no particular order. A
 * transaction is open from its first offset until its producer's next marker. A producer has one transaction
 * at a time.
 *
 * @param batches whole batches of a partition in order, none beyond the last stable offset
 */
export function* selectCommitted(
  batches: Iterable<RecordBatch>,
  aborted: readonly AbortedTransaction[],
): Generator<RecordBatch> {
  const upcoming = [...aborted].sort((a, b) => a.firstOffset - b.firstOffset).values();
  let next = upcoming.next();
  const open = new Set<bigint>();
  for (const batch of batches) {
    while (!next.done && next.value.firstOffset <= batch.lastOffset) {
      open.add(next.value.producerId);
      next = upcoming.next();
    }
    if (batch.isControl) open.delete(batch.producerId);
    else if (!batch.isTransactional || !open.has(batch.producerId)) yield batch;
  }
}
