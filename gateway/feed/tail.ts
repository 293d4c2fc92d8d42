import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../service/log.ts';
import { decodeRecords, type LogEntry } from './entry.ts';
import type { KafkaLog } from './kafka-log.ts';
import { SequenceMerge } from './merge.ts';

const LIMITS = { maxWaitMs: 500, partitionMaxBytes: 512 * 1024 };
const RETRY_MS = 300;
/** How often to look for brokers that have come to lead a partition, in milliseconds. */
const LEADERS_INTERVAL_MS = 5000;

export interface TailOptions {
  log: KafkaLog;
  /** Changes of another epoch are of another history, and left out. */
  epoch: number;
  /** Where to begin: after this sequence, reading from these offsets. */
  start: { sequence: number; offsets: readonly number[] };
  /** Is given what comes next, in order, without a gap. */
  onEntries: (entries: LogEntry[]) => void;
  logger: Logger;
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
        const leaders = await this.#options.log.leaders();
        this.#partitions = leaders.length;
        for (const node of new Set(leaders)) {
          if (this.#loops.has(node)) continue;
          const loop = this.#follow(node).finally(() => this.#loops.delete(node));
          this.#loops.set(node, loop);
        }
      } catch (error) {
        this.#options.logger.warn({ error }, 'the brokers cannot be asked who leads');
      }
      await sleep(this.#loops.size > 0 ? LEADERS_INTERVAL_MS : RETRY_MS, undefined, { signal }).catch(
        () => {},
      );
    }
  }

  /** Polls one broker until it leads no partition any more. */
  async #follow(node: number): Promise<void> {
    const { log, logger } = this.#options;
    let failing = false;
    while (!this.#stopping.signal.aborted) {
      try {
        const leaders = await log.leaders();
        if (!leaders.includes(node)) return;
        const wanted = this.#merge.wanted(leaders.length);
        for (const partition of wanted.keys()) if (leaders[partition] !== node) wanted.delete(partition);
        // All of this broker's partitions wait for another broker's.
        if (wanted.size === 0) await sleep(5);
        else await this.#poll(node, wanted);
        if (failing) logger.info({ node }, 'the changes topic is readable again');
        failing = false;
      } catch (error) {
        if (!failing) logger.warn({ error, node }, 'the changes topic cannot be read; trying on');
        failing = true;
        await sleep(RETRY_MS);
      }
    }
  }

  async #poll(node: number, wanted: Map<number, number>): Promise<void> {
    const { log, epoch, logger, onEntries } = this.#options;
    const askedAt = Date.now();
    for (const { partition, records, nextOffset, atEnd } of await log.fetch(node, wanted, LIMITS)) {
      this.#merge.add(partition, decodeRecords(records, epoch, logger), nextOffset);
      if (atEnd) this.#atEndAt.set(partition, askedAt);
    }
    const entries = this.#merge.take();
    if (entries.length > 0) onEntries(entries);
  }
}
