import { expect, test } from '@jest/globals';
import type { PartitionAnswer } from '../../../kafka/protocol/fetch.ts';
import { writeBatch } from '../../../kafka/protocol/write-batch.ts';
import { type ReadBudget, readPartition } from '../../../kafka/reading/partition-read.ts';

const PRODUCER = { producerId: 1n, producerEpoch: 0, firstSequence: 0 };

/** An answer with three batches of one record. */
function answerOf(partition: number): PartitionAnswer {
  const batches = [0, 1, 2].map((offset) => {
    const batch = writeBatch([{ key: 'k', value: Buffer.alloc(1000) }], PRODUCER, 1000);
    batch.writeBigInt64BE(BigInt(offset), 0);
    return batch;
  });
  const ends = { highWatermark: 3, lastStableOffset: 3 };
  return {
    partition,
    errorCode: 0,
    preferredReplica: -1,
    ...ends,
    aborted: [],
    bytes: Buffer.concat(batches),
  };
}

const read = (partition: number, budget: ReadBudget) =>
  readPartition(answerOf(partition), { from: 0, ends: { end: 3, stableEnd: 3 }, committed: false, budget });

test('INV-14: the partitions of a fetch share its memory, and continue at the first batch without any', () => {
  const budget = { bytes: 5000 };
  const reads = [0, 1, 2].map((partition) => read(partition, budget));
  expect(reads.map(({ records, nextOffset, atEnd }) => [records.length, nextOffset, atEnd])).toEqual([
    [3, 3, true],
    [1, 1, false],
    [0, 0, false],
  ]);
});

test('a reader of committed records is at the end where an open transaction begins', () => {
  const nothing = { ...answerOf(0), bytes: Buffer.alloc(0) };
  const place = { from: 3, ends: { end: 9, stableEnd: 3 }, budget: { bytes: 5000 } };
  const isAtEnd = (committed: boolean) => readPartition(nothing, { ...place, committed }).atEnd;
  expect([isAtEnd(true), isAtEnd(false)]).toEqual([true, false]);
});
