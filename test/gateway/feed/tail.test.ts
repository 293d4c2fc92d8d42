import { expect, test } from '@jest/globals';
import { Arrivals } from '../../../gateway/feed/arrivals.ts';
import { createEvents } from '../../../gateway/feed/read-events.ts';
import { Tail } from '../../../gateway/feed/tail.ts';
import { UnreadableBatches } from '../../../gateway/feed/unreadable-batches.ts';
import type { PartitionRead } from '../../../kafka/reading/partition-read.ts';
import { systemClock } from '../../../service/clock.ts';
import { createLog } from '../../../service/log.ts';
import { encodeChange } from '../../helpers/stream/write-changes.ts';
import { until } from '../../helpers/until.ts';

const TOPIC = 'changes';
const EPOCH = 1;

interface HeldFetch {
  offsets: ReadonlyMap<number, number>;
  resolve: (reads: PartitionRead[]) => void;
}

/** Brokers that hold back every answer until one of the requested partitions has a change. */
class HoldingBrokers {
  /** The sequences in each partition. */
  readonly #partitions: number[][];
  readonly #held = new Map<number, HeldFetch>();
  readonly #leaders: readonly number[];

  /** @param leaders by partition */
  constructor(leaders: readonly number[]) {
    this.#leaders = leaders;
    this.#partitions = leaders.map(() => []);
  }

  sources = async () => [...this.#leaders];
  refresh = async () => {};

  fetch = (node: number, offsets: ReadonlyMap<number, number>): Promise<PartitionRead[]> =>
    new Promise((resolve) => {
      this.#held.set(node, { offsets, resolve });
      this.#answer(node);
    });

  append(partition: number, sequence: number): void {
    this.#partitions[partition]?.push(sequence);
    this.#answer(this.#leaders[partition] ?? -1);
  }

  /** Whether every broker holds back a fetch. */
  get isQuiet(): boolean {
    return new Set(this.#leaders).size === this.#held.size;
  }

  /** Answers every fetch with nothing. */
  release(): void {
    for (const { resolve } of this.#held.values()) resolve([]);
    this.#held.clear();
  }

  #answer(node: number): void {
    const { offsets, resolve } = this.#held.get(node) ?? {};
    const reads = [...(offsets ?? [])].flatMap(([partition, offset]) => this.#read(partition, offset));
    if (reads.length === 0) return;
    this.#held.delete(node);
    resolve?.(reads);
  }

  #read(partition: number, from: number): PartitionRead[] {
    const sequences = this.#partitions[partition] ?? [];
    const end = sequences.length;
    const records = sequences.slice(from).map((sequence, index) => ({
      ...{ offset: from + index, timestamp: 0, key: null, headers: null },
      value: encodeChange(EPOCH, sequence),
    }));
    const ends = { nextOffset: end, end, stableEnd: end, newestAt: 0, atEnd: true, isOutOfRange: false };
    return records.length === 0 ? [] : [{ partition, records, unreadable: [], ...ends }];
  }
}

const log = createLog('test', 'silent');

/** Follows brokers, with a change log that has these sequences, one of which it cannot decode. */
function followBrokers(brokers: HoldingBrokers, logged: readonly number[] = [], undecodable?: number) {
  let loads = 0;
  const sequences: number[] = [];
  const lostUpTo: number[] = [];
  const tail = new Tail({
    reader: brokers,
    epoch: EPOCH,
    start: { sequence: 0, offsets: [] },
    expected: 0,
    changeLog: {
      async load(from, to) {
        loads += 1;
        const found: number[] = [];
        for (let next = from; next <= to && logged.includes(next); next += 1) {
          if (next !== undecodable) found.push(next);
        }
        return createEvents(
          found.map((sequence) => encodeChange(EPOCH, sequence)),
          EPOCH,
        );
      },
      findFirst: async (from, to) => logged.find((sequence) => sequence >= from && sequence <= to) ?? null,
      locate: async () => null,
      reportFilled: () => {},
    },
    unreadable: new UnreadableBatches(TOPIC, log),
    onEvents: (events) => sequences.push(...events.map(({ sequence }) => sequence)),
    onLost: (sequence) => lostUpTo.push(sequence),
    onLaterEpoch: () => {},
    arrivals: new Arrivals(TOPIC, systemClock),
    clock: systemClock,
    log,
  });
  tail.start();
  const stop = async () => {
    const stopped = tail.stop();
    brokers.release();
    await stopped;
  };
  return { sequences, lostUpTo, stop, loads: () => loads };
}

test("a change is not held back if the one before it waits for another broker's", async () => {
  const brokers = new HoldingBrokers([1, 2, 1]);
  const { sequences, stop } = followBrokers(brokers);
  try {
    const quiet = () => until('all brokers to hold back a fetch', () => brokers.isQuiet);
    await quiet();
    brokers.append(0, 2);
    await quiet();
    brokers.append(1, 1);
    await until('both changes', () => sequences.length === 2);
    await quiet();
    brokers.append(0, 3);
    await until('the third change', () => sequences.length === 3);
    expect(sequences).toEqual([1, 2, 3]);
  } finally {
    await stop();
  }
});

test('INV-7: changes that Kafka lacks are lost only if the change log lacks them too', async () => {
  const brokers = new HoldingBrokers([1]);
  for (const sequence of [1, 2, 8]) brokers.append(0, sequence);
  const { sequences, lostUpTo, stop } = followBrokers(brokers, [1, 2, 4, 5, 8]);
  try {
    await until('the last change', () => sequences.at(-1) === 8, 10_000);
    expect([sequences, lostUpTo]).toEqual([
      [1, 2, 4, 5, 8],
      [3, 7],
    ]);
  } finally {
    await stop();
  }
});

test('INV-7: a change that this version cannot decode is not skipped, and is looked for once at each look', async () => {
  const brokers = new HoldingBrokers([1]);
  for (const sequence of [1, 3]) brokers.append(0, sequence);
  const { sequences, lostUpTo, stop, loads } = followBrokers(brokers, [1, 2, 3], 2);
  try {
    await until('the second look', () => loads() >= 2, 10_000);
    expect(loads()).toBeLessThan(4);
    expect([sequences, lostUpTo]).toEqual([[1], []]);
  } finally {
    await stop();
  }
});
