import { expect, test } from '@jest/globals';
import { crc32c } from '@platformatic/kafka';
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

test('markers of transactions and damaged batches are passed, and the records around them are read', () => {
  const [first, marker, damaged, last] = [0, 1, 2, 3].map((offset) => {
    const batch = writeBatch([{ key: 'k', value: Buffer.from(`${offset}`) }], PRODUCER, 1000 + offset);
    batch.writeBigInt64BE(BigInt(offset), 0);
    return batch;
  }) as [Buffer, Buffer, Buffer, Buffer];
  marker.writeInt16BE(1 << 5, 21);
  marker.writeUInt32BE(crc32c(marker.subarray(21)), 17);
  damaged.writeUInt32BE(0, 17);
  const answer = { ...answerOf(0), bytes: Buffer.concat([first, marker, damaged, last]) };
  for (const committed of [false, true]) {
    const place = { from: 0, ends: { end: 4, stableEnd: 4 }, budget: { bytes: 5000 } };
    const { records, unreadable, ...found } = readPartition(answer, { ...place, committed });
    expect(records.map(({ offset }) => offset)).toEqual([0, 3]);
    expect(unreadable).toMatchObject([{ firstOffset: 2, lastOffset: 2, reason: 'its checksum is wrong' }]);
    expect(found).toMatchObject({ nextOffset: 4, newestAt: 1003, atEnd: true, isOutOfRange: false });
  }
});
