import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Decoder } from '../../feed/decoder.ts';
import { ReadAhead } from '../../feed/read-ahead.ts';
import type { PartitionRead } from '../../kafka/reading/partition-read.ts';
import type { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { type Change, changeCodec } from '../../schemas/change.ts';
import { change } from '../helpers/properties/arbitraries.ts';

const PARTITIONS = 3;
/** How many records a fetch returns of each partition. */
const BATCH = 2;

const decoder = new Decoder();
afterAll(() => decoder.close());

const [SAMPLE] = fc.sample(change, { numRuns: 1, seed: 1 }) as [Change];

/** A log in memory. The sequence of a record tells its place. The log may grow, and its fetches may fail. */
class ModelLog implements Pick<TopicReader, 'fetchFromSources'> {
  readonly ends = new Array<number>(PARTITIONS).fill(0);
  /** The offsets requested by each fetch. */
  readonly asked: Map<number, number>[] = [];
  failing = false;
  /** The number of the one fetch that fails, counted from 1. */
  failsAt = 0;

  async fetchFromSources(
    _sources: readonly number[],
    offsets: ReadonlyMap<number, number>,
  ): Promise<PartitionRead[]> {
    this.asked.push(new Map(offsets));
    if (this.failing || this.asked.length === this.failsAt) throw new Error('no broker');
    return [...offsets].map(([partition, offset]) => {
      const end = this.ends[partition] as number;
      const nextOffset = Math.min(end, offset + BATCH);
      const records = Array.from({ length: nextOffset - offset }, (_, index) =>
        record(partition, offset + index),
      );
      return {
        partition,
        records,
        unreadable: [],
        nextOffset,
        newestAt: 0,
        end,
        stableEnd: end,
        isOutOfRange: false,
        atEnd: nextOffset === end,
        // As if the next fetch had reused the memory.
        release: () => {
          for (const { value } of records) value.fill(0);
        },
      };
    });
  }
}

function sequenceOf(partition: number, offset: number): number {
  return partition * 1000 + offset;
}

function record(partition: number, offset: number) {
  const value = changeCodec.encode({ ...SAMPLE, epoch: 1, sequence: sequenceOf(partition, offset) });
  return { offset, timestamp: 0, key: null, value, headers: null };
}

/** Reads once and checks the records. Returns how far each partition was read, and whether that was its end. */
async function readOn(ahead: ReadAhead, log: ModelLog, offsets: ReadonlyMap<number, number>) {
  const reads = await ahead.read(log, [], offsets, 1);
  expect(reads.map(({ partition }) => partition).sort()).toEqual([...offsets.keys()].sort());
  for (const { partition, nextOffset, changes } of reads) {
    const from = offsets.get(partition) as number;
    const expected = Array.from({ length: nextOffset - from }, (_, at) => sequenceOf(partition, from + at));
    expect([...(await changes).sequences]).toEqual(expected);
  }
  return new Map(reads.map(({ partition, nextOffset, atEnd }) => [partition, { nextOffset, atEnd }]));
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ read: fc.subarray([0, 1, 2], { minLength: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ grow: fc.nat(PARTITIONS - 1), by: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ jump: fc.nat(PARTITIONS - 1), to: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ failing: fc.boolean() }) },
);

test('returns each record in its place and only true ends, while the log grows and fetches fail', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(30), fc.array(step, { maxLength: 40 }), async (length, steps) => {
      const log = new ModelLog();
      log.ends.fill(length);
      const ahead = new ReadAhead({ decoder, epoch: 1 });
      const places = new Array<number>(PARTITIONS).fill(0);
      for (const one of steps) {
        if ('grow' in one) log.ends[one.grow] = (log.ends[one.grow] as number) + one.by;
        if ('jump' in one) places[one.jump] = Math.min(one.to, log.ends[one.jump] as number);
        if ('failing' in one) log.failing = one.failing;
        if (!('read' in one)) continue;
        const offsets = new Map(one.read.map((partition) => [partition, places[partition] as number]));
        const read = await readOn(ahead, log, offsets).catch((error: Error) => {
          if (!log.failing || error.message !== 'no broker') throw error;
          return new Map();
        });
        for (const [partition, { nextOffset, atEnd }] of read) {
          expect({ partition, atEnd }).toEqual({ partition, atEnd: nextOffset === log.ends[partition] });
          places[partition] = nextOffset;
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('reads ahead from the second read on; the first one fetches nothing more', async () => {
  const log = new ModelLog();
  log.ends.fill(100);
  const ahead = new ReadAhead({ decoder, epoch: 1 });
  await readOn(
    ahead,
    log,
    new Map([
      [0, 0],
      [1, 0],
    ]),
  );
  expect(log.asked).toHaveLength(1);
  await readOn(ahead, log, new Map([[1, BATCH]]));
  expect(log.asked.slice(1)).toEqual([new Map([[1, BATCH]]), new Map([[1, 2 * BATCH]])]);
  await readOn(ahead, log, new Map([[1, 2 * BATCH]]));
  expect(log.asked.slice(3)).toEqual([new Map([[1, 3 * BATCH]])]);
});

test('reads nothing ahead of the end of a partition', async () => {
  const log = new ModelLog();
  log.ends.fill(BATCH);
  const ahead = new ReadAhead({ decoder, epoch: 1 });
  await readOn(ahead, log, new Map([[0, 0]]));
  await readOn(ahead, log, new Map([[1, 0]]));
  expect(log.asked.flatMap((offsets) => [...offsets])).toEqual([
    [0, 0],
    [1, 0],
  ]);
});

test('a batch whose reading ahead fails is fetched when it is needed', async () => {
  const log = new ModelLog();
  log.ends.fill(100);
  log.failsAt = 3;
  const ahead = new ReadAhead({ decoder, epoch: 1 });
  for (const offset of [0, BATCH, 2 * BATCH]) await readOn(ahead, log, new Map([[1, offset]]));
  expect(log.asked.slice(2, 4)).toEqual([new Map([[1, 2 * BATCH]]), new Map([[1, 2 * BATCH]])]);
});
