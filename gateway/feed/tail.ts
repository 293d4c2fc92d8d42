import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicReader } from '../../kafka/topic-reader.ts';
import type { Logger } from '../../service/log.ts';
import type { ChangeLog } from './change-log.ts';
import { type LogEntry, openRecords } from './entry.ts';
import { SequenceMerge } from './merge.ts';
import { lostChanges } from './metrics.ts';
import { renderRecords } from './rendered-changes.ts';

const LIMITS = { maxWaitMs: 500, partitionMaxBytes: 512 * 1024 };
const RETRY_MS = 300;
/** How often to look for brokers that have come to lead a partition, and for holes, in milliseconds. */
const WATCH_INTERVAL_MS = 1500;

export interface TailOptions {
  reader: TopicReader;
  /** Changes of another epoch are of another history, and left out. */
  epoch: number;
  /** Where to begin: after this sequence, reading from these offsets. */
  start: { sequence: number; offsets: readonly number[] };
  /** The newest sequence that Kafka once had for certain. */
  expected: number;
  changeLog: ChangeLog;
  /** Is given what comes next, in order, without a gap. */
  onEntries: (entries: LogEntry[]) => void;
  /** Is told that everything up to a sequence which was not given is lost; what it is given next comes after that. */
  onLost: (sequence: number) => void;
  log: Logger;
}

/**
 * Follows the end of the changes topic: the one reader of a gateway. Every broker that leads partitions is polled by
 * a loop of its own, so that a quiet one holds no busy one up; they meet in one merge.
 */
export class Tail {
  readonly #options: TailOptions;
  readonly #merge: SequenceMerge<LogEntry>;
  readonly #stopping = new AbortController();
  readonly #loops = new Map<number, Promise<void>>();
  /** By partition: when it was last known to be read to its end, in milliseconds since 1970. */
  readonly #atEndAt = new Map<number, number>();
  #partitions = 0;
  #supervisor: Promise<void> | undefined;
  /** The sequence that was missing when it was last looked at. */
  #missed: number | undefined;

  constructor(options: TailOptions) {
    this.#options = options;
    this.#merge = new SequenceMerge(options.start);
  }

  start(): void {
    this.#supervisor = this.#superviseLoops();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#supervisor;
    await Promise.all(this.#loops.values());
  }

  /** Milliseconds since 1970: everything that Kafka had then has been given. 0 before the end was ever reached. */
  get caughtUpAt(): number {
    if (this.#merge.isBlocked || this.#partitions === 0 || this.#atEndAt.size < this.#partitions) return 0;
    return Math.min(...this.#atEndAt.values());
  }

  async #superviseLoops(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const leaders = await this.#options.reader.leaders();
        this.#partitions = leaders.length;
        for (const node of new Set(leaders)) {
          if (this.#loops.has(node)) continue;
          const loop = this.#follow(node).finally(() => this.#loops.delete(node));
          this.#loops.set(node, loop);
        }
      } catch (error) {
        this.#options.log.warn({ error }, 'the brokers cannot be asked who leads');
      }
      await this.#fillHole();
      await sleep(this.#loops.size > 0 ? WATCH_INTERVAL_MS : RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** Polls one broker until it leads no partition any more. */
  async #follow(node: number): Promise<void> {
    const { reader, log } = this.#options;
    let failing = false;
    while (!this.#stopping.signal.aborted) {
      try {
        const leaders = await reader.leaders();
        if (!leaders.includes(node)) return;
        const wanted = this.#merge.wanted(leaders.length);
        for (const partition of wanted.keys()) if (leaders[partition] !== node) wanted.delete(partition);
        // All of this broker's partitions wait for another broker's.
        if (wanted.size === 0) await sleep(5);
        else await this.#poll(node, wanted);
        if (failing) log.info({ node }, 'the changes topic is readable again');
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ error, node }, 'the changes topic cannot be read; trying on');
        failing = true;
        await sleep(RETRY_MS);
      }
    }
  }

  async #poll(node: number, wanted: Map<number, number>): Promise<void> {
    const { reader, epoch, log, onEntries } = this.#options;
    const askedAt = Date.now();
    for (const { partition, records, nextOffset, atEnd } of await reader.fetch(node, wanted, LIMITS)) {
      this.#merge.add(partition, openRecords(renderRecords(records, epoch), log), nextOffset);
      if (atEnd) this.#atEndAt.set(partition, askedAt);
    }
    const entries = this.#merge.take();
    if (entries.length > 0) onEntries(entries);
  }

  /** What Kafka lacks: changes before some that it has, or that it had once. */
  get #missing(): { from: number; to: number } | null {
    const { next, missing } = this.#merge;
    const { expected } = this.#options;
    return missing ?? (this.caughtUpAt > 0 && next <= expected ? { from: next, to: expected } : null);
  }

  /**
   * Loads from the change log what has been missing for a whole interval, since it will not come any more. What that
   * lacks too is lost: the tail goes on after it, and whoever stands before it is told (INV-7).
   */
  async #fillHole(): Promise<void> {
    const { reader, changeLog, onEntries, onLost, log } = this.#options;
    const missing = this.#missing;
    const lasting = missing !== null && missing.from === this.#missed;
    this.#missed = missing?.from;
    if (!missing) return;
    try {
      // It may be in a partition that was added a moment ago.
      if (!lasting) return await reader.refresh();
      const found = await changeLog.load(missing.from, missing.to);
      if (found.length === 0) {
        log.error({ missing }, 'neither the changes topic nor the change log has these changes');
        lostChanges.inc(missing.to - missing.from + 1);
        this.#merge.skipTo(missing.to);
        onLost(missing.to);
      }
      this.#merge.fill(found);
      const entries = this.#merge.take();
      if (entries.length > 0) onEntries(entries);
    } catch (error) {
      log.warn({ error, missing }, 'what the changes topic seems to lack cannot be looked for; trying on');
    }
  }
}
