import { BrokerLoops } from '../kafka/reading/broker-loops.ts';
import type { TopicReader } from '../kafka/reading/topic-reader.ts';
import type { Clock } from '../service/clock.ts';
import type { Logger } from '../service/log.ts';
import { createPause } from '../service/pause.ts';
import { reportFailure } from '../service/report-failure.ts';
import type { Arrivals } from './arrivals.ts';
import type { ChangeLog } from './change-log.ts';
import { SequenceMerge } from './merge.ts';
import { lostChanges } from './metrics.ts';
import { readEvents } from './read-events.ts';
import type { RenderedEvent } from './rendered-event.ts';
import type { UnreadableBatches } from './unreadable-batches.ts';

const LIMITS = { maxWaitMs: 500, partitionMaxBytes: 512 * 1024 };
/** The pause of a broker's loop if all of its partitions wait for another broker's changes, in milliseconds. */
const BLOCKED_MS = 5;
/**
 * The number of waiting changes up to which a fetch includes partitions with waiting changes. A fetch learns
 * nothing about the partitions that it leaves out.
 */
const MAX_AHEAD = 1000;
/** The interval of looking for holes and for partitions that moved to another broker, in milliseconds. */
const WATCH_INTERVAL_MS = 1500;

export interface TailOptions {
  reader: Pick<TopicReader, 'sources' | 'fetch' | 'refresh'>;
  /** Changes of another epoch belong to another history and are left out. */
  epoch: number;
  /** The tail begins after this sequence, and reads from these offsets. */
  start: { sequence: number; offsets: readonly number[] };
  /** The newest sequence that was certainly in Kafka. */
  expected: number;
  changeLog: ChangeLog;
  unreadable: UnreadableBatches;
  /** Receives the next events, in order and without a gap. */
  onEvents: (events: RenderedEvent[]) => void;
  /** Called when the events up to a sequence are lost. The next events come after it. */
  onLost: (sequence: number) => void;
  /** Called when the topic has changes of a later epoch. */
  onLaterEpoch: (epoch: number) => void;
  /** Notes when changes arrive. */
  arrivals: Arrivals;
  clock: Clock;
  log: Logger;
}

/** Follows the end of the changes topic. Each broker has its own loop, and all loops feed one merge. */
export class Tail {
  readonly #options: TailOptions;
  readonly #merge: SequenceMerge<RenderedEvent>;
  readonly #loops: BrokerLoops;
  /** By partition: when it was last read to its end, in milliseconds since 1970. */
  readonly #atEndAt = new Map<number, number>();
  #partitions = 0;
  /** At the last look for holes: the first missing sequence, and the highest waiting or expected one. */
  #missed: { from: number; highest: number } | null = null;

  constructor(options: TailOptions) {
    this.#options = options;
    this.#merge = new SequenceMerge(options.start);
    const { reader, clock, log } = options;
    this.#loops = new BrokerLoops({
      ...{ reader, name: 'the changes topic', where: 'feed', watchIntervalMs: WATCH_INTERVAL_MS, clock, log },
      choose: (sources) => {
        this.#partitions = sources.length;
        // A partition without a leader waits until it has one.
        return new Set(sources.filter((node) => node >= 0));
      },
      read: (node, sources) => this.#read(node, sources),
      afterLook: () => this.#fillHoles(),
    });
  }

  start(): void {
    this.#loops.start();
  }

  stop(): Promise<void> {
    return this.#loops.stop();
  }

  /** The time up to which every change was passed on, in milliseconds since 1970; 0 before the first end. */
  get caughtUpAt(): number {
    if (this.#merge.isBlocked || this.#partitions === 0 || this.#atEndAt.size < this.#partitions) return 0;
    return Math.min(...this.#atEndAt.values());
  }

  /** Polls one broker for its partitions that the merge needs. */
  async #read(node: number, sources: readonly number[]): Promise<void> {
    const wanted = this.#merge.wanted(sources.length, { ahead: MAX_AHEAD });
    for (const partition of wanted.keys()) if (sources[partition] !== node) wanted.delete(partition);
    if (wanted.size === 0) await this.#options.clock.wait(BLOCKED_MS, this.#loops.signal);
    else await this.#poll(node, wanted);
  }

  async #poll(node: number, wanted: Map<number, number>): Promise<void> {
    const { reader, epoch, unreadable, arrivals, clock, log, onEvents, onLaterEpoch } = this.#options;
    const askedAt = clock.now();
    const reads = await reader.fetch(node, wanted, LIMITS);
    const pause = createPause();
    for (const read of reads) {
      await pause();
      const { partition, records, nextOffset, atEnd } = read;
      unreadable.report(read);
      const { entriesAt, laterEpoch } = readEvents(records, epoch, log);
      if (laterEpoch !== null) onLaterEpoch(laterEpoch);
      arrivals.note(records, entriesAt);
      this.#merge.add(partition, entriesAt, nextOffset);
      if (atEnd) this.#atEndAt.set(partition, askedAt);
    }
    const events = this.#merge.take();
    if (events.length > 0) onEvents(events);
  }

  /** The changes that Kafka lacks, although it has later ones or once had them. */
  get #missing(): { from: number; to: number } | null {
    const { next, missing } = this.#merge;
    const { expected } = this.#options;
    return missing ?? (this.caughtUpAt > 0 && next <= expected ? { from: next, to: expected } : null);
  }

  /**
   * Loads changes from the change log if they have been missing for a whole interval, because Kafka will not
   * deliver them any more. Together with the first such hole, it fills all others of the same age: a topic
   * that has lost a partition has holes everywhere.
   */
  async #fillHoles(): Promise<void> {
    const { reader, log } = this.#options;
    const missing = this.#missing;
    const missed = this.#missed;
    this.#missed = missing && { from: missing.from, highest: Math.max(this.#merge.highest, missing.to) };
    if (!missing) return;
    try {
      // The changes may be in a partition that was added a moment ago.
      if (missed?.from !== missing.from) return await reader.refresh();
      await this.#fillUpTo(missed.highest);
    } catch (error) {
      const message = 'changes missing from the changes topic cannot be loaded; trying again';
      reportFailure(log, error, { where: 'feed', message, fields: { missing } });
    }
  }

  async #fillUpTo(highest: number): Promise<void> {
    const { changeLog, onEvents, log } = this.#options;
    const filled: number[] = [];
    for (let missing = this.#missing; missing && missing.from <= highest; missing = this.#missing) {
      const found = await changeLog.load(missing.from, highest);
      if (found.length === 0) await this.#giveUp(missing);
      filled.push(...this.#merge.fill(found));
      const events = this.#merge.take();
      if (events.length > 0) onEvents(events);
      if (this.#missing?.from === missing.from) {
        log.error(
          { missing },
          'this version cannot decode a change of the change log; the stream waits for another',
        );
        break;
      }
      if (this.#loops.signal.aborted) break;
    }
    changeLog.reportFilled(filled);
  }

  /**
   * Continues after lost changes, which the change log lacks too, with the first change that is left. Readers
   * before the lost changes get an error (INV-7).
   */
  async #giveUp({ from, to }: { from: number; to: number }): Promise<void> {
    const { changeLog, onLost, log } = this.#options;
    const kept = await changeLog.findFirst(from, to);
    // Kafka may have delivered the changes meanwhile.
    if (kept === from || this.#missing?.from !== from) return;
    const lost = { from, to: kept === null ? to : kept - 1 };
    log.error({ lost }, 'neither the changes topic nor the change log has these changes');
    lostChanges.inc(lost.to - lost.from + 1);
    this.#merge.skipTo(lost.to);
    onLost(lost.to);
  }
}
