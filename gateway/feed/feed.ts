import type { StreamFilter } from '../../domain/stream-filter.ts';
import { TopicReader } from '../../kafka/topic-reader.ts';
import type { Clock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { loadFeedStart, loadStreamEpoch } from '../../store/reads/stream-position.ts';
import { type ChangeLog, createChangeLog } from './change-log.ts';
import { CHUNK_CHANGES } from './chunk-cache.ts';
import type { Chunk, LogEntry, ResumePoint } from './entry.ts';
import { FanOut } from './fan-out.ts';
import { MemoryLog } from './memory-log.ts';
import { feedFilters, feedSequence } from './metrics.ts';
import { FeedReader } from './reader.ts';
import { Replay } from './replay.ts';
import { Tail } from './tail.ts';

export interface FeedOptions {
  brokers: string[];
  topic: string;
  pool: DatabasePool;
  /** How much of the stream to keep in memory, in bytes. */
  memoryBytes: number;
  /** How much of what was read of older changes to keep for others, in bytes. */
  replayBytes: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  /** Called when the store has another history of the stream; this feed is of no use from then on. */
  onNewEpoch: () => void;
  clock: Clock;
  log: Logger;
}

/** Neither Kafka nor the change log has a change that there once was; nobody is led past it in silence (INV-7). */
export class StreamGapError extends Error {
  override name = 'StreamGapError';

  constructor(sequence: number) {
    super(`The change ${sequence} is lost.`);
  }
}

const PRELOAD_CHANGES = 20_000;
const START_RETRY_MS = 500;
const EPOCH_INTERVAL_MS = 5000;

/**
 * The change stream as a gateway sees it: the newest changes in memory, older ones out of Kafka, in one order. Readers
 * hold a position and ask for what comes after it, so that replay and live are the same loop (INV-10).
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #changeLog: ChangeLog;
  readonly #memory: MemoryLog;
  readonly #replay: Replay;
  readonly #reader: TopicReader;
  readonly #fanOut = new FanOut();
  readonly #stopping = new AbortController();
  #tail: Tail | undefined;
  #epoch: number | undefined;
  #target = Number.POSITIVE_INFINITY;
  #latest: ResumePoint = { sequence: 0, time: 0, offsets: [] };
  #running: Promise<void> | undefined;

  constructor(options: FeedOptions) {
    const { brokers, topic, pool, memoryBytes, replayBytes: cacheBytes, log } = options;
    this.#options = options;
    this.#changeLog = createChangeLog(pool, log);
    this.#memory = new MemoryLog(memoryBytes);
    this.#reader = new TopicReader({ brokers, topic, clientId: 'ballot-endorsements-gateway-tail' });
    this.#replay = new Replay({ brokers, topic, cacheBytes, changeLog: this.#changeLog, log });
  }

  /** Begins to follow the stream, as soon as the store can be asked where it stands. Returns at once. */
  start(): void {
    this.#running = this.#startWhenPossible().then(() => this.#watchEpoch());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#tail?.stop();
    await Promise.all([this.#reader.close(), this.#replay.close()]);
  }

  /** Whether the feed has reached what Kafka had when it began, and knows up to when that is everything. */
  get ready(): boolean {
    return this.#latest.sequence >= this.#target && this.latest.time > 0;
  }

  /** Which history of the stream this is. */
  get epoch(): number {
    return this.#epoch ?? 0;
  }

  /** The position after the newest change that can be delivered, at a time up to which it is known to be the newest. */
  get latest(): ResumePoint {
    const caughtUpAt = this.#tail?.caughtUpAt ?? 0;
    if (caughtUpAt > this.#latest.time) this.#latest = { ...this.#latest, time: caughtUpAt };
    return this.#latest;
  }

  /** A reader through a filter. Whoever opens it must close it. */
  openReader(filter: StreamFilter): FeedReader {
    return new FeedReader(this, this.#fanOut, filter);
  }

  /**
   * The next changes after a position; none where there are none yet. Not every change passes the reader's filter,
   * but every one moves its position.
   *
   * @throws StreamGapError where the next change is in neither memory, Kafka nor the change log.
   * @throws the Kafka client's error where it is not in memory and Kafka does not answer.
   */
  async read(resumePoint: ResumePoint): Promise<Chunk> {
    if (resumePoint.sequence >= this.#latest.sequence) {
      // A cursor of a gateway that is ahead of this one stays where it is.
      const { latest } = this;
      return { entries: [], resumePoint: resumePoint.sequence > latest.sequence ? resumePoint : latest };
    }
    const entries = this.#memory.read(resumePoint.sequence, CHUNK_CHANGES);
    if (entries) return { entries, resumePoint: entries.at(-1)?.resumePoint ?? resumePoint };
    const { epoch, latest } = this;
    const chunk = await this.#replay.read(resumePoint, { epoch, latest: latest.sequence });
    // The tail has delivered beyond this position, so there was something.
    if (chunk.entries.length === 0) throw new StreamGapError(resumePoint.sequence + 1);
    return chunk;
  }

  async #startWhenPossible(): Promise<void> {
    const { pool, clock, retentionMs, log } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const since = new Date(clock.now() - retentionMs);
        const { start, target } = await loadFeedStart(pool, since, PRELOAD_CHANGES);
        this.#epoch = start.epoch;
        this.#latest = { sequence: start.sequence, time: 0, offsets: start.offsets };
        this.#target = target;
        feedSequence.set(start.sequence);
        this.#tail = new Tail({
          reader: this.#reader,
          epoch: start.epoch,
          start,
          expected: target,
          changeLog: this.#changeLog,
          onEntries: (entries) => this.#append(entries),
          onLost: (sequence) => this.#goOnAfter(sequence),
          log,
        });
        this.#tail.start();
        return;
      } catch (error) {
        log.warn({ error }, 'the stream cannot be followed yet; trying again');
        await clock.wait(START_RETRY_MS, signal);
      }
    }
  }

  async #watchEpoch(): Promise<void> {
    const { pool, clock, onNewEpoch, log } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await clock.wait(EPOCH_INTERVAL_MS, signal);
      const epoch = await loadStreamEpoch(pool).catch(() => this.#epoch);
      if (epoch === this.#epoch) continue;
      log.warn({ epoch, was: this.#epoch }, 'the stream has a new epoch: its history is another from now on');
      return onNewEpoch();
    }
  }

  #append(entries: LogEntry[]): void {
    const last = entries.at(-1);
    if (!last) return;
    this.#memory.append(entries);
    this.#latest = last.resumePoint;
    feedSequence.set(last.sequence);
    feedFilters.set(this.#fanOut.size);
    this.#fanOut.publish(entries, last.resumePoint);
  }

  /** What there was up to a sequence cannot be given any more: whoever waits for it finds the gap. */
  #goOnAfter(sequence: number): void {
    const before = this.latest;
    this.#memory.clear();
    this.#latest = { ...this.#latest, sequence };
    feedSequence.set(sequence);
    this.#fanOut.interrupt(before);
  }
}
