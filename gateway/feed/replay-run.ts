import type { Logger } from '../../service/log.ts';
import { type Chunk, decodeRecords, type LogEntry, type Position } from './entry.ts';
import type { KafkaLog } from './kafka-log.ts';
import { SequenceMerge } from './merge.ts';
import type { LoadMissing } from './missing.ts';

const LIMITS = { maxWaitMs: 0, partitionMaxBytes: 128 * 1024 };

/**
 * One way through the log of Kafka, from a position on. It keeps what was fetched before its turn, so that reading on
 * fetches nothing twice.
 */
export class ReplayRun {
  readonly #merge: SequenceMerge<LogEntry>;
  readonly #epoch: number;
  readonly #loadMissing: LoadMissing;
  readonly #logger: Logger;

  constructor(
    position: Position,
    { epoch, loadMissing, logger }: { epoch: number; loadMissing: LoadMissing; logger: Logger },
  ) {
    this.#merge = new SequenceMerge<LogEntry>(position);
    this.#epoch = epoch;
    this.#loadMissing = loadMissing;
    this.#logger = logger;
  }

  /** It reads on after this. */
  get sequence(): number {
    return this.#merge.next - 1;
  }

  /**
   * The next changes, at most `limit`; fewer where the log ends or lacks one. There must be one: where Kafka lacks
   * the very next, it is loaded from the change log. None, where that lacks it too.
   *
   * @throws the Kafka client's error when Kafka does not answer, the store's when that does not.
   */
  async read(log: KafkaLog, limit: number): Promise<LogEntry[]> {
    const entries = this.#merge.take(limit);
    const atEnd = new Set<number>();
    while (entries.length < limit) {
      if (!(await this.#fetch(log, atEnd))) {
        if (entries.length > 0 || !(await this.#fillHole(limit))) break;
      }
      entries.push(...this.#merge.take(limit - entries.length));
    }
    return entries;
  }

  /** The position after what was read last, whose time is that of its last change. */
  positionAfter({ sequence, occurredAt }: LogEntry): Chunk['position'] {
    return { sequence, time: occurredAt, offsets: this.#merge.offsets };
  }

  /** @returns false where there is nothing more to fetch. */
  async #fetch(log: KafkaLog, atEnd: Set<number>): Promise<boolean> {
    const leaders = await log.leaders();
    const wanted = this.#merge.wanted(leaders.length);
    if ([...wanted.keys()].every((partition) => atEnd.has(partition))) return false;
    for (const node of new Set(leaders)) {
      const offsets = new Map([...wanted].filter(([partition]) => leaders[partition] === node));
      if (offsets.size === 0) continue;
      for (const read of await log.fetch(node, offsets, LIMITS)) {
        this.#merge.add(
          read.partition,
          decodeRecords(read.records, this.#epoch, this.#logger),
          read.nextOffset,
        );
        if (read.atEnd) atEnd.add(read.partition);
        else atEnd.delete(read.partition);
      }
    }
    return true;
  }

  async #fillHole(limit: number): Promise<boolean> {
    const { next, missing } = this.#merge;
    const found = await this.#loadMissing(next, Math.min(missing?.to ?? next + limit - 1, next + limit - 1));
    this.#merge.fill(found);
    return found.length > 0;
  }
}
