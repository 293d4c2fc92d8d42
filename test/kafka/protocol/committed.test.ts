/*
 * The cases of Java's client (FetcherTest and CompletedFetch), as tables: the records that a committed read
 * of a partition delivers.
 */
import { describe, expect, test } from '@jest/globals';
import { type AbortedTransaction, selectCommitted } from '../../../kafka/protocol/committed.ts';
import type { RecordBatch } from '../../../kafka/protocol/record-batches.ts';

const batch = (of: Partial<RecordBatch>): RecordBatch => ({
  firstOffset: 0,
  lastOffset: of.firstOffset ?? 0,
  newestAt: 0,
  producerId: -1n,
  isTransactional: false,
  isControl: false,
  bytes: Buffer.alloc(0),
  ...of,
});
/** Records of a producer's transaction, from one offset to another. */
const data = (producer: number, firstOffset: number, lastOffset = firstOffset) =>
  batch({ producerId: BigInt(producer), firstOffset, lastOffset, isTransactional: true });
/** A producer's commit or abort. The marker alone does not distinguish them. */
const marker = (producer: number, offset: number) =>
  batch({ producerId: BigInt(producer), firstOffset: offset, isTransactional: true, isControl: true });
const plain = (offset: number) => batch({ firstOffset: offset });
const aborted = (producer: number, firstOffset: number): AbortedTransaction => ({
  producerId: BigInt(producer),
  firstOffset,
});

const delivered = (batches: RecordBatch[], list: AbortedTransaction[]) =>
  [...selectCommitted(batches, list)].map(({ firstOffset }) => firstOffset);

describe('a committed read', () => {
  test.each<[string, RecordBatch[], AbortedTransaction[], number[]]>([
    ['delivers records outside of transactions', [plain(0), plain(1)], [], [0, 1]],
    ['delivers a committed transaction', [data(1, 0, 2), marker(1, 3)], [], [0]],
    ['leaves out an aborted transaction', [data(1, 0, 2), marker(1, 3)], [aborted(1, 0)], []],
    [
      'delivers a record between two overlapping aborted transactions',
      [data(1, 0), data(2, 1), plain(2), marker(1, 3), data(2, 4), marker(2, 5), plain(6)],
      [aborted(1, 0), aborted(2, 1)],
      [2, 6],
    ],
    [
      'leaves out two aborted transactions of one producer',
      [data(1, 0), marker(1, 1), data(1, 2), marker(1, 3)],
      [aborted(1, 0), aborted(1, 2)],
      [],
    ],
    [
      'delivers a commit between two aborts of one producer',
      [data(1, 0), marker(1, 1), data(1, 2), marker(1, 3), data(1, 4), marker(1, 5)],
      [aborted(1, 0), aborted(1, 4)],
      [2],
    ],
    [
      'does not depend on the order of the broker’s list',
      [
        data(2, 0),
        data(1, 1),
        marker(1, 2),
        data(1, 3),
        marker(1, 4),
        marker(2, 5),
        data(2, 6),
        marker(2, 7),
      ],
      [aborted(1, 3), aborted(2, 0)],
      [1, 6],
    ],
    [
      'leaves out an aborted transaction whose marker comes in a later fetch',
      [data(1, 5, 8), data(1, 9, 12)],
      [aborted(1, 5)],
      [],
    ],
    [
      'leaves out the rest of an aborted transaction that began before the fetch',
      [data(1, 50), marker(1, 51), data(1, 52), marker(1, 53)],
      [aborted(1, 3)],
      [52],
    ],
    [
      'delivers a commit that follows an abort marker without data',
      [marker(1, 0), data(1, 1), marker(1, 2)],
      [],
      [1],
    ],
    [
      'begins a transaction inside of a batch that compaction has thinned',
      [data(1, 0, 9), marker(1, 10), data(2, 11), marker(2, 12)],
      [aborted(1, 4)],
      [11],
    ],
    ['never delivers a marker', [marker(1, 0), marker(2, 1)], [aborted(2, 0)], []],
    ['delivers an idempotent producer’s records', [batch({ producerId: 1n })], [aborted(1, 0)], [0]],
  ])('%s', (_, batches, list, expected) => {
    expect(delivered(batches, list)).toEqual(expected);
  });
});
