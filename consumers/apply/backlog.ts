import { BrokerLoops } from '../../kafka/reading/broker-loops.ts';
import { OtherTopicError } from '../../kafka/reading/topic-lookup.ts';
import type { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { systemClock } from '../../service/clock.ts';
import { SupersededError } from '../../service/failure.ts';
import type { Logger } from '../../service/log.ts';
import { Notifier } from '../../service/notifier.ts';
import { reportFailure } from '../../service/report-failure.ts';
import {
  createRanges,
  joinRanges,
  type SubmissionRange,
  sizeOfRecord,
  splitRange,
} from './submission-record.ts';

/** The most waiting bytes of a partition: a partition with more is not fetched. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** The most waiting bytes of all partitions: with more, nothing is fetched until apply takes some. */
const MAX_TOTAL_WAITING_BYTES = 64 * 1024 * 1024;
/** The most bytes to take together. */
const MAX_TAKEN_BYTES = 16 * 1024 * 1024;
const PARTITION_MAX_BYTES = 512 * 1024;
/** The longest delay of a broker's empty answer, in milliseconds; shorter while a partition waits for room. */
const MAX_WAIT_MS = 500;
const MAX_WAIT_FULL_MS = 50;
/** The interval between two looks for new leaders, in milliseconds. */
const WATCH_INTERVAL_MS = 1000;
/** Reading works if every broker has answered within this time, in milliseconds. */
const HEALTHY_MS = 5000;

/** The backlog's state of a partition. */
interface PartitionState {
  nextOffset: number;
  waiting: SubmissionRange[];
  waitingBytes: number;
  end: number;
  stableEnd: number;
}

/** The lag of a partition. */
export interface PartitionLag {
  partition: number;
  /** The offset up to which submissions are applied. */
  applied: number;
  /** Submissions up to the end of the log, and up to the last stable offset. */
  toEnd: number;
  toStableEnd: number;
}

/**
 * The submissions that wait to be applied: reads every partition ahead, decodes and checks the records, and
 * hands them out in order (INV-14).
 */
export class Backlog {
  readonly #reader: TopicReader;
  readonly #wasTruncated: (partitions: readonly number[]) => Promise<boolean>;
  readonly #log: Logger;
  readonly #partitions: PartitionState[];
  /** By partition: the offset up to which submissions are applied. */
  readonly #applied: number[];
  readonly #loops: BrokerLoops;
  readonly #answeredAt = new Map<number, number>();
  /** By partition: the broker to read it from; negative without a leader. */
  #sources: readonly number[] = [];
  /** Partitions whose broker failed or changed, and may have an older log now. */
  readonly #doubtful = new Set<number>();
  #failure: Error | undefined;
  readonly #filled = new Notifier();
  #room = Promise.withResolvers<void>();
  /** The first partition to take from, which changes so that a full one does not starve the others. */
  #turn = 0;
  #firstFetched = 0;

  /**
   * @param offsets the offset to read from, by partition
   * @param wasTruncated asked before partitions are read from another broker, or again after a failure: whether one of
   * them was rolled back, which ends the reading
   */
  constructor(
    reader: TopicReader,
    offsets: readonly number[],
    wasTruncated: (partitions: readonly number[]) => Promise<boolean>,
    log: Logger,
  ) {
    this.#reader = reader;
    this.#wasTruncated = wasTruncated;
    this.#log = log;
    this.#applied = [...offsets];
    this.#partitions = offsets.map((nextOffset) => ({
      nextOffset,
      waiting: [],
      waitingBytes: 0,
      end: nextOffset,
      stableEnd: nextOffset,
    }));
    this.#loops = new BrokerLoops({
      ...{ reader, name: 'the submissions topic', where: 'apply', watchIntervalMs: WATCH_INTERVAL_MS },
      ...{ clock: systemClock, log },
      choose: (sources) => this.#choose(sources),
      read: (node, sources) => this.#read(node, sources),
      endsFor: (error, node) => this.#endsFor(error, node),
    });
  }

  start(): void {
    this.#loops.start();
  }

  async stop(): Promise<void> {
    const stopped = this.#loops.stop();
    this.#room.resolve();
    await stopped;
  }

  /** Whether every partition has a leader, and every leader has answered lately. */
  get isHealthy(): boolean {
    const now = performance.now();
    const { nodes } = this.#loops;
    const answeredAt = (node: number) => this.#answeredAt.get(node) ?? Number.NEGATIVE_INFINITY;
    const isLed = this.#sources.every((node) => node >= 0);
    return isLed && nodes.length > 0 && nodes.every((node) => now - answeredAt(node) < HEALTHY_MS);
  }

  /** The lag of each partition at its broker's last answer. */
  get lag(): PartitionLag[] {
    return this.#partitions.map(({ end, stableEnd }, partition) => {
      const applied = this.#applied[partition] ?? 0;
      return {
        partition,
        applied,
        toEnd: Math.max(0, end - applied),
        toStableEnd: Math.max(0, stableEnd - applied),
      };
    });
  }

  /**
   * Takes the waiting submissions of all partitions, as one range of each. If there are none, waits for the
   * first one.
   *
   * @param maxRecords the most submissions to take
   * @param waitMs the longest wait, in milliseconds; shorter if the signal aborts
   * @returns ranges in any order of partitions; empty after the wait
   * @throws Error if reading cannot continue from its offset
   */
  async take(maxRecords: number, waitMs: number, signal: AbortSignal): Promise<SubmissionRange[]> {
    if (!this.#partitions.some(({ waiting }) => waiting.length > 0)) {
      await this.#filled.wait(waitMs, signal);
    }
    if (this.#failure) throw this.#failure;
    const taken: SubmissionRange[] = [];
    let room = maxRecords;
    let bytes = MAX_TAKEN_BYTES;
    for (let index = 0; index < this.#partitions.length && room > 0 && bytes > 0; index += 1) {
      const partition = (this.#turn + index) % this.#partitions.length;
      const range = this.#takeFrom(this.#partitions[partition] as PartitionState, room, bytes);
      if (!range) continue;
      taken.push(range);
      room -= range.records.length;
      bytes -= bytesOf(range);
    }
    this.#turn = (this.#turn + 1) % Math.max(1, this.#partitions.length);
    if (taken.length > 0) {
      this.#room.resolve();
      this.#room = Promise.withResolvers();
    }
    return taken;
  }

  /** Records that ranges were applied. */
  applied(ranges: readonly SubmissionRange[]): void {
    for (const { partition, to } of ranges) this.#applied[partition] = to;
  }

  /** Joins adjacent ranges, because a fetch of a busy partition often has a single submission. */
  #takeFrom(state: PartitionState, maxRecords: number, maxBytes: number): SubmissionRange | undefined {
    const taken: SubmissionRange[] = [];
    let room = maxRecords;
    let bytes = maxBytes;
    while (room > 0 && bytes > 0) {
      const first = state.waiting.shift();
      if (!first) break;
      const [range, rest] = splitRange(first, room, bytes);
      state.waitingBytes -= bytesOf(first);
      if (rest) {
        state.waiting.unshift(rest);
        state.waitingBytes += bytesOf(rest);
      }
      taken.push(range);
      room -= range.records.length;
      bytes -= bytesOf(range);
    }
    return joinRanges(taken);
  }

  #choose(sources: readonly number[]): Set<number> {
    for (let partition = this.#partitions.length; partition < sources.length; partition += 1) {
      // A new partition is read from its beginning.
      this.#partitions.push({ nextOffset: 0, waiting: [], waitingBytes: 0, end: 0, stableEnd: 0 });
    }
    for (const [partition, node] of this.#sources.entries()) {
      if (sources[partition] !== node) this.#doubtful.add(partition);
    }
    this.#sources = sources;
    // A partition without a leader waits until it has one.
    return new Set(sources.filter((node) => node >= 0));
  }

  async #read(node: number, sources: readonly number[]): Promise<void> {
    const led = [...this.#partitions.keys()].filter((partition) => sources[partition] === node);
    const doubtful = led.filter((partition) => this.#doubtful.has(partition));
    // Before the look, because a broker may fail or change during it.
    for (const partition of doubtful) this.#doubtful.delete(partition);
    if (doubtful.length > 0 && (await this.#wasTruncated(doubtful))) {
      throw new SupersededError('The submissions topic was rolled back to an older log.');
    }
    const open = this.#hasRoom ? led.filter((partition) => this.#isOpen(partition)) : [];
    this.#answeredAt.set(node, performance.now());
    if (open.length === 0) await this.#room.promise;
    else await this.#fetch(node, open, open.length < led.length ? MAX_WAIT_FULL_MS : MAX_WAIT_MS);
  }

  #endsFor(error: unknown, node: number | null): boolean {
    if (error instanceof SupersededError) this.#fail(error);
    else if (error instanceof OtherTopicError) {
      this.#fail(new SupersededError('The submissions topic was made anew.'));
    } else {
      for (const [partition, source] of this.#sources.entries()) {
        if (source === node) this.#doubtful.add(partition);
      }
      if (node !== null) this.#answeredAt.delete(node);
      return false;
    }
    return true;
  }

  get #hasRoom(): boolean {
    const bytes = this.#partitions.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0);
    return bytes < MAX_TOTAL_WAITING_BYTES;
  }

  #isOpen(partition: number): boolean {
    return (this.#partitions[partition]?.waitingBytes ?? 0) < MAX_WAITING_BYTES;
  }

  async #fetch(node: number, partitions: number[], maxWaitMs: number): Promise<void> {
    // Each fetch puts another partition first, because a fetch that would use too much memory is not read to
    // its end.
    this.#firstFetched += 1;
    const cut = this.#firstFetched % partitions.length;
    const wanted = new Map(
      [...partitions.slice(cut), ...partitions.slice(0, cut)].map((partition) => [
        partition,
        this.#partitions[partition]?.nextOffset ?? 0,
      ]),
    );
    const limits = { maxWaitMs, partitionMaxBytes: PARTITION_MAX_BYTES };
    for (const read of await this.#reader.fetch(node, wanted, limits)) {
      const state = this.#partitions[read.partition] as PartitionState;
      state.end = read.end;
      state.stableEnd = read.stableEnd;
      // While leaders move, two loops may fetch the same offsets.
      if (state.nextOffset !== wanted.get(read.partition) || read.nextOffset === state.nextOffset) continue;
      if (read.isOutOfRange) {
        const place = `Partition ${read.partition} of the submissions topic`;
        this.#fail(new SupersededError(`${place} no longer has offset ${state.nextOffset}.`));
        continue;
      }
      const onDefect = (error: unknown) => {
        const fields = { partition: read.partition };
        reportFailure(this.#log, error, {
          where: 'apply',
          message: 'a submission could not be checked',
          fields,
        });
      };
      for (const range of createRanges(state.nextOffset, read, onDefect)) {
        if (range.from !== state.nextOffset) break;
        state.waiting.push(range);
        state.waitingBytes += bytesOf(range);
        state.nextOffset = range.to;
        this.#filled.notify();
        // Decoding takes a while. This lets the leader's transaction and heartbeat continue in between.
        await new Promise(setImmediate);
      }
    }
  }

  /** Ends the reading: `take` throws from now on. */
  #fail(error: SupersededError): void {
    this.#failure = error;
    this.#filled.notify();
  }
}

/** Never 0, so that ranges without records, such as those of aborted transactions, are bounded too. */
function bytesOf({ records }: SubmissionRange): number {
  return records.reduce((sum, record) => sum + sizeOfRecord(record), 200);
}
