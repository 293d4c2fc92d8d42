import type { Logger } from '../../service/log.ts';
import type { ChangeLog } from './change-log.ts';
import type { Decoder } from './decoder.ts';
import { type Chunk, type LogEntry, openRecords, type Position } from './entry.ts';
import type { KafkaLog } from './kafka-log.ts';
import { SequenceMerge } from './merge.ts';
import { ReadAhead } from './read-ahead.ts';

interface ReplayRunOptions {
  epoch: number;
  decoder: Decoder;
  changeLog: ChangeLog;
  logger: Logger;
}

/**
 * One way through the log of Kafka, from a position on. It keeps what was fetched before its turn, so that reading on
 * fetches nothing twice.
 */
export class ReplayRun {
  #merge: SequenceMerge<LogEntry>;
  readonly #readAhead: ReadAhead;
  readonly #changeLog: ChangeLog;
  readonly #logger: Logger;

  constructor(position: Position, { epoch, decoder, changeLog, logger }: ReplayRunOptions) {
    this.#merge = new SequenceMerge<LogEntry>(position);
    this.#readAhead = new ReadAhead({ decoder, epoch });
    this.#changeLog = changeLog;
    this.#logger = logger;
  }

  /** It reads on after this. */
  get sequence(): number {
    return this.#merge.next - 1;
  }

  /**
   * The next changes, at most `limit`; fewer where the log ends or lacks one. There must be one. Where the very next is
   * not found, it is looked for where the store says that it is: the reader's offsets may be forged, and partitions may
   * have been added. Where Kafka lacks it, it is loaded from the change log. None, where that lacks it too.
   *
   * @throws the Kafka client's error when Kafka does not answer, the store's when that does not.
   */
  async read(log: KafkaLog, limit: number): Promise<LogEntry[]> {
    const entries = this.#merge.take(limit);
    await this.#readInto(entries, log, limit);
    if (entries.length === 0) {
      await this.#lookAgain(log);
      await this.#readInto(entries, log, limit);
    }
    if (entries.length === 0) await this.#fillHole(entries, limit);
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
    for (const read of await this.#readAhead.read(log, leaders, wanted)) {
      this.#merge.add(read.partition, openRecords(await read.changes, this.#logger), read.nextOffset);
      if (read.atEnd) atEnd.add(read.partition);
      else atEnd.delete(read.partition);
    }
    return true;
  }

  /** Adds what the log has, up to the limit or to where it ends or lacks the next. */
  async #readInto(entries: LogEntry[], log: KafkaLog, limit: number): Promise<void> {
    const atEnd = new Set<number>();
    while (entries.length < limit && (await this.#fetch(log, atEnd))) {
      entries.push(...this.#merge.take(limit - entries.length));
    }
  }

  async #lookAgain(log: KafkaLog): Promise<void> {
    const { sequence } = this;
    this.#merge = new SequenceMerge({ sequence, offsets: await this.#changeLog.locate(sequence) });
    await log.refresh();
  }

  async #fillHole(entries: LogEntry[], limit: number): Promise<void> {
    const { next, missing } = this.#merge;
    const end = next + limit - 1;
    this.#merge.fill(await this.#changeLog.load(next, Math.min(missing?.to ?? end, end)));
    entries.push(...this.#merge.take(limit));
  }
}
