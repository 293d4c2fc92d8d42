import { OtherTopicError } from '../kafka/reading/topic-lookup.ts';
import type { TopicReader } from '../kafka/reading/topic-reader.ts';
import { classifyFailure } from '../service/failure.ts';
import type { Logger } from '../service/log.ts';
import type { ChangeLog } from './change-log.ts';
import type { Decoder } from './decoder.ts';
import { SequenceMerge } from './merge.ts';
import { ReadAhead } from './read-ahead.ts';
import { reportFailures } from './read-events.ts';
import { framesLength, type RenderedEvent, type ResumePoint } from './rendered-event.ts';
import { unpackChanges } from './transferable-changes.ts';
import type { UnreadableBatches } from './unreadable-batches.ts';

/**
 * The most records that are searched for the next change before the database is asked where it is. Genuine
 * offsets never need so many; a cursor with forged offsets costs less than a tenth of a second.
 */
const MAX_SEARCHED = 5000;

/** The bytes of frames after which a read ends before its limit. Changes have 1 KB each, and at most 50 KB. */
const FULL_BYTES = 4 * 1024 * 1024;

/** Large enough for the relay's batches. Kafka returns a larger batch whole, but only as the first of a fetch. */
const MIN_FETCH_BYTES = 128 * 1024;
/** Consecutive changes are often in one partition, so a fetch must last until the next is decoded. */
const MAX_FETCH_BYTES = 512 * 1024;

/**
 * Returns how many bytes to fetch of a partition: few at first, since few readers go far and offsets can be
 * false.
 *
 * @param chunksRead the number of whole chunks that the run has returned
 * @param maxBytes the bytes that it may hold of a partition: one batch, and the next one being fetched
 */
function fetchBytes(chunksRead: number, maxBytes: number): number {
  const most = Math.min(MAX_FETCH_BYTES, Math.max(MIN_FETCH_BYTES, Math.floor(maxBytes / 2)));
  return Math.min(MIN_FETCH_BYTES * 2 ** chunksRead, most);
}

interface ReplayRunOptions {
  epoch: number;
  /** The last sequence whose id has offsets of a previous log. */
  foreignUpTo: number;
  decoder: Decoder;
  /**
   * The bytes of the log that the run may work on and fetch ahead, for all partitions together. The smallest
   * fetches are made even if they exceed it.
   */
  maxBytes: () => number;
  changeLog: ChangeLog;
  unreadable: UnreadableBatches;
  log: Logger;
}

/**
 * One pass through the changes topic, from a resume point. It keeps records that were fetched before their
 * turn, so that nothing is fetched twice.
 */
export class ReplayRun {
  #merge: SequenceMerge<RenderedEvent>;
  readonly #readAhead: ReadAhead;
  readonly #options: ReplayRunOptions;
  #chunksRead = 0;
  #partitions = 0;
  /** Whether the run's offsets are offsets of the present log. */
  #isPlaced: boolean;

  constructor(resumePoint: ResumePoint, options: ReplayRunOptions) {
    this.#isPlaced = resumePoint.sequence > options.foreignUpTo;
    this.#merge = new SequenceMerge<RenderedEvent>(resumePoint);
    this.#readAhead = new ReadAhead(options);
    this.#options = options;
  }

  /** The sequence after which the run continues. */
  get sequence(): number {
    return this.#merge.next - 1;
  }

  /** The bytes of the log that it may hold at least: of each partition what waits, and what is fetched ahead. */
  get leastBytes(): number {
    return 2 * MIN_FETCH_BYTES * this.#partitions;
  }

  /**
   * Returns the next changes: at most `limit`, fewer if the log ends or lacks one, or if they are large. At least one
   * must exist.
   *
   * The next change may be far from the resume point's offsets: they may be forged, older than an added
   * partition, or of another log. The database then returns its place. If Kafka lacks the change, it is
   * loaded from the change log. The result is empty only if the change log lacks it too.
   *
   * @throws the Kafka client's or the database's error if either is away.
   */
  async read(reader: TopicReader, limit: number): Promise<RenderedEvent[]> {
    const events = this.#merge.take(limit);
    try {
      await this.#readFromLog(events, reader, limit);
    } catch (error) {
      if (!(error instanceof OtherTopicError)) throw error;
      this.#isPlaced = false;
    }
    if (events.length === limit) this.#chunksRead += 1;
    if (events.length === 0) await this.#fillHole(events, limit);
    return events;
  }

  async #readFromLog(events: RenderedEvent[], reader: TopicReader, limit: number): Promise<void> {
    if (!this.#isPlaced) {
      if (events.length > 0 || !(await this.#locate(reader))) return;
      this.#isPlaced = true;
    }
    await this.#readInto(events, reader, { limit, maxSearched: MAX_SEARCHED });
    if (events.length === 0 && (await this.#locate(reader))) {
      await this.#readInto(events, reader, { limit, maxSearched: Number.POSITIVE_INFINITY });
    }
  }

  /** The resume point after the last event that was read. */
  resumePointAfter({ sequence, occurredAt }: RenderedEvent): ResumePoint {
    return { sequence, time: occurredAt, offsets: this.#merge.offsets };
  }

  /**
   * Fetches as `#fetchOnce` does, and retries once if Kafka fails: brokers that restart one after another
   * hand their partitions over.
   */
  async #fetch(reader: TopicReader, atEnd: Set<number>): Promise<number | undefined> {
    try {
      return await this.#fetchOnce(reader, atEnd);
    } catch (error) {
      if (error instanceof OtherTopicError || classifyFailure(error) !== 'kafka_away') throw error;
      return this.#fetchOnce(reader, atEnd);
    }
  }

  /**
   * Fetches once from the partitions that have not ended.
   *
   * @param atEnd the partitions that have ended; extended by this fetch
   * @returns the number of records; undefined if every partition has ended
   */
  async #fetchOnce(reader: TopicReader, atEnd: Set<number>): Promise<number | undefined> {
    const { unreadable, log } = this.#options;
    const sources = await reader.sources();
    this.#partitions = sources.length;
    const wanted = this.#merge.wanted(sources.length, { atEnd });
    if (wanted.size === 0) return undefined;
    const maxBytes = fetchBytes(this.#chunksRead, this.#options.maxBytes() / sources.length);
    let count = 0;
    for (const read of await this.#readAhead.read(reader, sources, wanted, maxBytes)) {
      const changes = await read.changes;
      unreadable.report(read);
      reportFailures(changes.failures, log);
      this.#merge.add(read.partition, unpackChanges(changes), read.nextOffset);
      count += read.count;
      if (read.atEnd) atEnd.add(read.partition);
    }
    return count;
  }

  /** Adds events up to the limit, the end of the log, or `maxSearched` records without the next change. */
  async #readInto(
    events: RenderedEvent[],
    reader: TopicReader,
    { limit, maxSearched }: { limit: number; maxSearched: number },
  ): Promise<void> {
    const atEnd = new Set<number>();
    for (let searched = 0; !isFull(events, limit) && searched <= maxSearched; ) {
      const fetched = await this.#fetch(reader, atEnd);
      if (fetched === undefined) return;
      const found = this.#merge.take(limit - events.length);
      events.push(...found);
      searched = found.length > 0 ? 0 : searched + fetched;
    }
  }

  /** Starts over at the database's place of the next change. Returns false if the database does not know it. */
  async #locate(reader: TopicReader): Promise<boolean> {
    const { sequence } = this;
    const offsets = await this.#options.changeLog.locate(sequence);
    if (!offsets) return false;
    this.#merge = new SequenceMerge({ sequence, offsets });
    await reader.refresh();
    return true;
  }

  async #fillHole(events: RenderedEvent[], limit: number): Promise<void> {
    const { changeLog } = this.#options;
    const { next, missing } = this.#merge;
    const end = next + limit - 1;
    const loaded = await changeLog.load(next, Math.min(missing?.to ?? end, end));
    const filled = this.#merge.fill(loaded);
    // A log that is being rewritten lacks changes for a while.
    if (this.#isPlaced) changeLog.reportFilled(filled);
    events.push(...this.#merge.take(limit));
  }
}

const isFull = (events: readonly RenderedEvent[], limit: number): boolean =>
  events.length >= limit || framesLength(events) >= FULL_BYTES;
