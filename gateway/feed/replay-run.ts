import type { TopicReader } from '../../kafka/topic-reader.ts';
import type { Logger } from '../../service/log.ts';
import type { ChangeLog } from './change-log.ts';
import type { Decoder } from './decoder.ts';
import { type LogEntry, openRecords, type ResumePoint } from './entry.ts';
import { SequenceMerge } from './merge.ts';
import { ReadAhead } from './read-ahead.ts';

/**
 * How many records may come without the next change among them before the store is asked where that is: more than true
 * offsets need, and less than a tenth of a second's work for whoever sends forged ones.
 */
const MAX_SEARCHED = 5000;

interface ReplayRunOptions {
  epoch: number;
  decoder: Decoder;
  changeLog: ChangeLog;
  log: Logger;
}

/**
 * One way through the log of Kafka, from a position on. It keeps what was fetched before its turn, so that reading on
 * fetches nothing twice.
 */
export class ReplayRun {
  #merge: SequenceMerge<LogEntry>;
  readonly #readAhead: ReadAhead;
  readonly #changeLog: ChangeLog;
  readonly #log: Logger;

  constructor(resumePoint: ResumePoint, { epoch, decoder, changeLog, log }: ReplayRunOptions) {
    this.#merge = new SequenceMerge<LogEntry>(resumePoint);
    this.#readAhead = new ReadAhead({ decoder, epoch });
    this.#changeLog = changeLog;
    this.#log = log;
  }

  /** It reads on after this. */
  get sequence(): number {
    return this.#merge.next - 1;
  }

  /**
   * The next changes, at most `limit`; fewer where the log ends or lacks one. There must be one. Where the very next is
   * not found near the position's offsets, it is looked for where the store says that it is: the offsets may be forged,
   * and partitions may have been added. Where Kafka lacks it, it is loaded from the change log. None, where that lacks it
   * too.
   *
   * @throws the Kafka client's error when Kafka does not answer, the store's when that does not.
   */
  async read(reader: TopicReader, limit: number): Promise<LogEntry[]> {
    const entries = this.#merge.take(limit);
    await this.#readInto(entries, reader, { limit, maxSearched: MAX_SEARCHED });
    if (entries.length === 0 && (await this.#locate(reader))) {
      await this.#readInto(entries, reader, { limit, maxSearched: Number.POSITIVE_INFINITY });
    }
    if (entries.length === 0) await this.#fillHole(entries, limit);
    return entries;
  }

  /** The position after what was read last, whose time is that of its last change. */
  resumePointAfter({ sequence, occurredAt }: LogEntry): ResumePoint {
    return { sequence, time: occurredAt, offsets: this.#merge.offsets };
  }

  /** @returns how many records came; undefined where there is nothing more to fetch. */
  async #fetch(reader: TopicReader, atEnd: Set<number>): Promise<number | undefined> {
    const leaders = await reader.leaders();
    const wanted = this.#merge.wanted(leaders.length);
    if ([...wanted.keys()].every((partition) => atEnd.has(partition))) return undefined;
    let count = 0;
    for (const read of await this.#readAhead.read(reader, leaders, wanted)) {
      this.#merge.add(read.partition, openRecords(await read.changes, this.#log), read.nextOffset);
      count += read.count;
      if (read.atEnd) atEnd.add(read.partition);
      else atEnd.delete(read.partition);
    }
    return count;
  }

  /** Adds what the log has, up to the limit, to where it ends or lacks the next, or to where that was searched in vain. */
  async #readInto(
    entries: LogEntry[],
    reader: TopicReader,
    { limit, maxSearched }: { limit: number; maxSearched: number },
  ): Promise<void> {
    const atEnd = new Set<number>();
    for (let searched = 0; entries.length < limit && searched <= maxSearched; ) {
      const fetched = await this.#fetch(reader, atEnd);
      if (fetched === undefined) return;
      const found = this.#merge.take(limit - entries.length);
      entries.push(...found);
      searched = found.length > 0 ? 0 : searched + fetched;
    }
  }

  /** Begins anew where the store says that the next change is. @returns false where the store does not know. */
  async #locate(reader: TopicReader): Promise<boolean> {
    const { sequence } = this;
    const offsets = await this.#changeLog.locate(sequence);
    if (!offsets) return false;
    this.#merge = new SequenceMerge({ sequence, offsets });
    await reader.refresh();
    return true;
  }

  async #fillHole(entries: LogEntry[], limit: number): Promise<void> {
    const { next, missing } = this.#merge;
    const end = next + limit - 1;
    this.#merge.fill(await this.#changeLog.load(next, Math.min(missing?.to ?? end, end)));
    entries.push(...this.#merge.take(limit));
  }
}
