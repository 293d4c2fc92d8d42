import { expect, jest, test } from '@jest/globals';
import { Arrivals } from '../../feed/arrivals.ts';
import { createEvents } from '../../feed/read-events.ts';
import { Tail } from '../../feed/tail.ts';
import { UnreadableBatches } from '../../feed/unreadable-batches.ts';
import type { PartitionRead } from '../../kafka/reading/partition-read.ts';
import { type Clock, systemClock } from '../../service/clock.ts';
import { createLog } from '../../service/log.ts';
import { ManualClock, settle } from '../helpers/service/manual-clock.ts';
import { encodeChange } from '../helpers/stream/write-changes.ts';
import { until } from '../helpers/until.ts';

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
      for (const partition of offsets.keys()) expect(this.#leaders[partition]).toBe(node);
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

  /** The brokers that hold back a fetch. */
  get asked(): number[] {
    return [...this.#held.keys()];
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

interface Following {
  /** The sequences that the change log has. */
  logged?: readonly number[];
  /** The one of them that it cannot decode. */
  undecodable?: number;
  /** The newest sequence that was certainly in Kafka. */
  expected?: number;
  clock?: Clock;
  /** Called while the change log is asked for the first change that it has. */
  whileFinding?: () => Promise<void>;
}

/** Follows brokers. */
function followBrokers(
  brokers: HoldingBrokers,
  {
    logged = [],
    undecodable,
    expected = 0,
    clock = systemClock,
    whileFinding = async () => {},
  }: Following = {},
) {
  const reported: number[] = [];
  const loads: number[][] = [];
  const sequences: number[] = [];
  const lostUpTo: number[] = [];
  const tail = new Tail({
    reader: brokers,
    epoch: EPOCH,
    start: { sequence: 0, offsets: [] },
    expected,
    changeLog: {
      async load(from, to) {
        loads.push([from, to]);
        const found: number[] = [];
        for (let next = from; next <= to && logged.includes(next); next += 1) {
          if (next !== undecodable) found.push(next);
        }
        return createEvents(
          found.map((sequence) => encodeChange(EPOCH, sequence)),
          EPOCH,
        );
      },
      async findFirst(from, to) {
        await whileFinding();
        return logged.find((sequence) => sequence >= from && sequence <= to) ?? null;
      },
      locate: async () => null,
      reportFilled: (filled) => reported.push(...filled),
    },
    unreadable: new UnreadableBatches(TOPIC, log),
    onEvents: (events) => sequences.push(...events.map(({ sequence }) => sequence)),
    onLost: (sequence) => lostUpTo.push(sequence),
    onLaterEpoch: () => {},
    arrivals: new Arrivals(TOPIC, clock),
    clock,
    log,
  });
  tail.start();
  const stop = async () => {
    const stopped = tail.stop();
    brokers.release();
    await stopped;
  };
  return { tail, sequences, lostUpTo, loads, reported, stop };
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

test('INV-15: other work has turns while many changes that came together are decoded', async () => {
  const PARTITIONS = 20;
  const CHANGES = 10_000;
  const brokers = new HoldingBrokers(Array<number>(PARTITIONS).fill(1));
  for (let sequence = 1; sequence <= CHANGES; sequence += 1) brokers.append(sequence % PARTITIONS, sequence);
  let turn = 0;
  const count = () => {
    turn += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const turns = new Set<number>();
  const note = jest.spyOn(Arrivals.prototype, 'note').mockImplementation(() => void turns.add(turn));
  const { sequences, stop } = followBrokers(brokers);
  try {
    await until('all changes', () => sequences.length === CHANGES);
    expect(note.mock.calls.length).toBe(PARTITIONS);
    expect(turns.size).toBeGreaterThan(1);
  } finally {
    clearImmediate(immediate);
    note.mockRestore();
    await stop();
  }
});

test('a partition without a leader is not asked for', async () => {
  const brokers = new HoldingBrokers([-1, 1]);
  const { stop } = followBrokers(brokers);
  try {
    await until('the other partition is asked for', () => brokers.asked.includes(1));
    expect(brokers.asked).toEqual([1]);
  } finally {
    await stop();
  }
});

/** The interval of looking for holes, in milliseconds. */
const LOOK_MS = 1500;

test('INV-7: changes that Kafka lacks are lost only if the change log lacks them too', async () => {
  const clock = new ManualClock();
  const brokers = new HoldingBrokers([1]);
  for (const sequence of [1, 2, 8]) brokers.append(0, sequence);
  const { sequences, lostUpTo, stop } = followBrokers(brokers, { logged: [1, 2, 4, 5, 8], clock });
  await settle();
  await clock.advance(2 * LOOK_MS);
  expect([sequences, lostUpTo]).toEqual([
    [1, 2, 4, 5, 8],
    [3, 7],
  ]);
  await stop();
});

test('INV-7: each missing change is waited for through a whole interval, one after an earlier hole too', async () => {
  const clock = new ManualClock();
  const brokers = new HoldingBrokers([1, 2]);
  const { sequences, loads, stop } = followBrokers(brokers, { logged: [1, 2, 3, 4, 5, 6], clock });
  await settle();
  for (const sequence of [1, 2, 4]) brokers.append(0, sequence);
  await clock.advance(LOOK_MS);
  brokers.append(1, 3);
  await settle();
  brokers.append(0, 6);
  await clock.advance(LOOK_MS);
  expect([sequences, loads]).toEqual([[1, 2, 3, 4], []]);
  await clock.advance(LOOK_MS);
  expect([sequences, loads]).toEqual([[1, 2, 3, 4, 5, 6], [[5, 6]]]);
  await stop();
});

test('INV-7: a hole behind a filled one is filled when it is as old, and both are reported', async () => {
  const clock = new ManualClock();
  const brokers = new HoldingBrokers([1]);
  const { sequences, loads, reported, stop } = followBrokers(brokers, { logged: [1, 2, 3, 4, 5, 6], clock });
  await settle();
  for (const sequence of [1, 2, 4]) brokers.append(0, sequence);
  await settle();
  await clock.advance(LOOK_MS);
  brokers.append(0, 6);
  await settle();
  await clock.advance(LOOK_MS);
  expect([sequences, loads]).toEqual([[1, 2, 3, 4], [[3, 4]]]);
  await clock.advance(LOOK_MS);
  expect(sequences).toHaveLength(4);
  await clock.advance(LOOK_MS);
  expect([sequences, loads.at(-1), reported]).toEqual([
    [1, 2, 3, 4, 5, 6],
    [5, 6],
    [3, 5],
  ]);
  await stop();
});

test.each<[string, number[], number[], number[][]]>([
  ['is looked for at the end of the topic', [1], [1, 2, 3], [[2, 3]]],
  ['is not looked for before the end is known', [], [], []],
  ['is not looked for again once it has come', [1, 2, 3], [1, 2, 3], []],
])('INV-7: a change that was in Kafka at the start %s', async (_, written, expected, looked) => {
  const clock = new ManualClock();
  const brokers = new HoldingBrokers([1]);
  const { sequences, loads, stop } = followBrokers(brokers, { logged: [1, 2, 3], expected: 3, clock });
  await settle();
  for (const sequence of written) brokers.append(0, sequence);
  await clock.advance(4 * LOOK_MS);
  expect([sequences, loads]).toEqual([expected, looked]);
  await stop();
});

test('INV-7: a change that comes into the change log while it is searched is not lost', async () => {
  const clock = new ManualClock();
  const brokers = new HoldingBrokers([1]);
  const logged = [4];
  const whileFinding = async () => void logged.unshift(3);
  const { sequences, lostUpTo, stop } = followBrokers(brokers, { logged, clock, whileFinding });
  await settle();
  for (const sequence of [1, 2, 4]) brokers.append(0, sequence);
  await clock.advance(4 * LOOK_MS);
  expect([sequences, lostUpTo]).toEqual([[1, 2, 3, 4], []]);
  await stop();
});

test('INV-7: a change that Kafka delivers while the change log is searched for it is not lost', async () => {
  const clock = new ManualClock();
  const brokers = new HoldingBrokers([1, 2]);
  const whileFinding = async () => {
    brokers.append(1, 3);
    await settle();
  };
  const { sequences, lostUpTo, stop } = followBrokers(brokers, { clock, whileFinding });
  await settle();
  for (const sequence of [1, 2, 4]) brokers.append(0, sequence);
  await clock.advance(3 * LOOK_MS);
  expect([sequences, lostUpTo]).toEqual([[1, 2, 3, 4], []]);
  await stop();
});

test('INV-5: the stream is complete up to the time of the question whose answer had the end of every partition', async () => {
  const clock = new ManualClock();
  const brokers = new HoldingBrokers([1, 2]);
  const { tail, stop } = followBrokers(brokers, { clock });
  await settle();
  const askedAt = clock.now();
  await clock.advance(1000);
  brokers.append(0, 1);
  await settle();
  expect(tail.caughtUpAt).toBe(0);
  brokers.append(1, 2);
  await settle();
  expect(tail.caughtUpAt).toBe(askedAt);
  // Change 3 has occurred, although no partition has it yet.
  brokers.append(0, 4);
  await settle();
  expect(tail.caughtUpAt).toBe(0);
  brokers.append(1, 3);
  await settle();
  expect(tail.caughtUpAt).toBe(askedAt + 1000);
  // The second partition has not answered since, and may have changes of this second.
  await clock.advance(1000);
  for (const sequence of [5, 6]) {
    brokers.append(0, sequence);
    await settle();
  }
  expect(tail.caughtUpAt).toBe(askedAt + 1000);
  await stop();
});

test('INV-7: a change that this version cannot decode is not skipped, and is looked for once at each look', async () => {
  const clock = new ManualClock();
  const brokers = new HoldingBrokers([1]);
  for (const sequence of [1, 3]) brokers.append(0, sequence);
  const { sequences, lostUpTo, stop, loads } = followBrokers(brokers, {
    logged: [1, 2, 3],
    undecodable: 2,
    clock,
  });
  await settle();
  await clock.advance(LOOK_MS);
  const { length } = loads;
  for (const looks of [1, 2]) {
    await clock.advance(LOOK_MS);
    expect(loads).toHaveLength(length + looks);
  }
  expect([sequences, lostUpTo]).toEqual([[1], []]);
  await stop();
});
