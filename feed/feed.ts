import type { StreamFilter } from '../domain/stream-filter.ts';
import { TopicReader } from '../kafka/reading/topic-reader.ts';
import { createAttempt } from '../service/attempt.ts';
import type { Brokers } from '../service/brokers.ts';
import type { Clock } from '../service/clock.ts';
import type { Logger } from '../service/log.ts';
import { reportFailure } from '../service/report-failure.ts';
import { historyConflict } from '../service/stream-metrics.ts';
import type { DatabasePool } from '../store/connection/read-pool.ts';
import { type FeedGeneration, loadFeedStart, loadPlaceAfter } from '../store/reads/stream-points.ts';
import { Arrivals } from './arrivals.ts';
import { type ChangeLog, createChangeLog } from './change-log.ts';
import { CHUNK_CHANGES } from './chunk-cache.ts';
import { FanOut } from './fan-out.ts';
import { findConflict } from './history.ts';
import { MemoryLog } from './memory-log.ts';
import { FeedReader } from './reader.ts';
import { type Chunk, laterPoint, type RenderedEvent, type ResumePoint } from './rendered-event.ts';
import { Replay } from './replay.ts';
import { StreamGapError } from './stream-gap-error.ts';
import { Tail } from './tail.ts';
import { UnreadableBatches } from './unreadable-batches.ts';

export interface FeedOptions {
  brokers: Brokers;
  topic: string;
  pool: DatabasePool;
  /** The memory for the newest changes, in bytes. */
  memoryBytes: number;
  /** The memory for older changes that are kept for other readers, in bytes. */
  replayBytes: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  /** Called when the stream starts a new history. This feed is then useless. */
  onNewEpoch: () => void;
  clock: Clock;
  log: Logger;
}

/** How many of the newest changes are loaded into memory at the start. */
const PRELOAD_CHANGES = 20_000;
const START_RETRY_MS = 500;
/** How often the feed's history is compared with the database's, in milliseconds; more often before the first time. */
const HISTORY_INTERVAL_MS = 5000;
const FIRST_HISTORY_INTERVAL_MS = 200;
/** A feed that is this far behind asks more often, since the stream may have moved to another log. */
const BEHIND_MS = 2000;
const BEHIND_HISTORY_INTERVAL_MS = 1000;

/**
 * The change stream of a gateway, in one order: the newest changes from memory, older ones from Kafka.
 * Readers hold a resume point and ask for the changes after it, so that replay and live are the same loop
 * (INV-10).
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #changeLog: ChangeLog;
  readonly #memory: MemoryLog;
  readonly #unreadable: UnreadableBatches;
  readonly #replay: Replay;
  readonly #reader: TopicReader;
  readonly #fanOut = new FanOut();
  readonly #arrivals: Arrivals;
  readonly #stopping = new AbortController();
  #tail: Tail | undefined;
  #epoch: number | undefined;
  #generation: FeedGeneration | undefined;
  #target = Number.POSITIVE_INFINITY;
  #latest: ResumePoint = { sequence: 0, time: 0, offsets: [] };
  /** When the feed was last at the end of the topic, in milliseconds since 1970; 0 before the first time. */
  #atEndAt = 0;
  readonly #madeAt = performance.now();
  /** The id of the newest change; null before the first. */
  #latestId: string | null = null;
  /** Whether the database has agreed with this history. */
  #agrees = false;
  #isInConflict = false;
  /** The highest epoch of changes that were left out, which is above the database's; 0 without any. */
  #laterEpoch = 0;
  #running: Promise<void> | undefined;

  constructor(options: FeedOptions) {
    const { brokers, topic, pool, memoryBytes, replayBytes: cacheBytes, log } = options;
    this.#options = options;
    this.#unreadable = new UnreadableBatches(topic, log);
    this.#changeLog = createChangeLog(pool, log);
    this.#memory = new MemoryLog(memoryBytes);
    const expectedId = () => this.#generation?.topicId ?? null;
    this.#reader = new TopicReader({
      brokers,
      topic,
      clientId: 'ballot-endorsements-gateway-tail',
      expectedId,
    });
    this.#arrivals = new Arrivals(topic, options.clock);
    this.#replay = new Replay({
      brokers,
      topic,
      expectedId,
      cacheBytes,
      changeLog: this.#changeLog,
      unreadable: this.#unreadable,
      log,
    });
  }

  /** Begins to follow the stream when the database answers. Returns immediately. */
  start(): void {
    this.#running = this.#startWhenPossible()
      .then(() => this.#watchHistory())
      .catch((error: unknown) => {
        reportFailure(this.#options.log, error, {
          where: 'feed',
          message: 'the stream is no longer watched',
        });
      });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    // A silent broker answers no fetch under way, which would hold up the end of the tail.
    await Promise.all([this.#tail?.stop(), this.#reader.close(), this.#replay.close()]);
  }

  /**
   * Whether the feed has every change that Kafka had at the start, knows a time up to which it is complete,
   * and agrees with the database.
   */
  get ready(): boolean {
    return this.#agrees && this.#hasCaughtUp;
  }

  /** Whether the database has another history. Only an operator can repair this. */
  get isInConflict(): boolean {
    return this.#isInConflict;
  }

  get #hasCaughtUp(): boolean {
    return this.#latest.sequence >= this.#target && this.latest.time > 0;
  }

  /** The history of the stream that this feed follows; 0 until it is known. */
  get epoch(): number {
    return this.#epoch ?? 0;
  }

  /** The point after the newest change that can be delivered. No later change occurred up to its time. */
  get latest(): ResumePoint {
    const caughtUpAt = this.#noteEnd();
    if (caughtUpAt > this.#latest.time) this.#latest = { ...this.#latest, time: caughtUpAt };
    return this.#latest;
  }

  /** The time since the feed last had every change in Kafka, in milliseconds; at first, the feed's age. */
  get behindMs(): number {
    this.#noteEnd();
    if (this.#atEndAt === 0) return performance.now() - this.#madeAt;
    return Math.max(0, this.#options.clock.now() - this.#atEndAt);
  }

  /** @returns when the tail was last at the end, in milliseconds since 1970; 0 before the first time */
  #noteEnd(): number {
    const caughtUpAt = this.#tail?.caughtUpAt ?? 0;
    if (caughtUpAt > 0) this.#atEndAt = caughtUpAt;
    return caughtUpAt;
  }

  /** Opens a reader with a filter, for an account. The caller must close it. */
  openReader(filter: StreamFilter, accountId: number): FeedReader {
    return new FeedReader(this, this.#fanOut, filter, accountId);
  }

  /** Whether the changes after a sequence are in memory, or have yet to come. */
  isRecent(sequence: number): boolean {
    const first = this.#memory.firstSequence ?? Number.POSITIVE_INFINITY;
    return sequence >= Math.min(this.#latest.sequence, first - 1);
  }

  /**
   * Returns the next changes after a resume point, unfiltered; empty if none exist yet.
   *
   * @param accountId the account that waits for a turn
   * @throws StreamGapError if the next change is lost.
   * @throws the Kafka client's error if the next change is not in memory and Kafka is away.
   */
  async read(resumePoint: ResumePoint, accountId: number): Promise<Chunk> {
    if (resumePoint.sequence >= this.#latest.sequence) {
      // A cursor of another gateway can be ahead of this one. It stays unchanged.
      return { events: [], resumePoint: laterPoint(this.latest, resumePoint) };
    }
    const events = this.#memory.read(resumePoint.sequence, CHUNK_CHANGES);
    if (events) return { events, resumePoint: events.at(-1)?.resumePoint ?? resumePoint };
    const { epoch, latest } = this;
    const foreignUpTo = this.#generation?.after ?? -1;
    const stream = { epoch, foreignUpTo, latest: latest.sequence };
    const chunk = await this.#replay.read(resumePoint, stream, accountId);
    // The tail is past this point, so a change must follow it.
    if (chunk.events.length === 0) throw new StreamGapError(resumePoint.sequence + 1);
    return chunk;
  }

  async #startWhenPossible(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    const attempt = createAttempt(log, 'feed');
    while (!signal.aborted) {
      if (await attempt('the stream cannot be followed yet; trying again', () => this.#begin())) return;
      await clock.wait(START_RETRY_MS, signal);
    }
  }

  async #begin(): Promise<void> {
    const { pool, clock, retentionMs } = this.#options;
    const since = new Date(clock.now() - retentionMs);
    const { start, target, generation } = await loadFeedStart(pool, since, PRELOAD_CHANGES);
    this.#epoch = start.epoch;
    this.#generation = generation;
    this.#latest = { sequence: start.sequence, time: 0, offsets: start.offsets };
    this.#target = target;
    this.#startTail(start, target);
  }

  #startTail(start: { sequence: number; offsets: readonly number[] }, expected: number): void {
    const { clock, log } = this.#options;
    this.#tail = new Tail({
      reader: this.#reader,
      epoch: this.epoch,
      start,
      expected,
      changeLog: this.#changeLog,
      unreadable: this.#unreadable,
      onEvents: (events) => this.#append(events),
      onLost: (sequence) => this.#skipLost(sequence),
      onLaterEpoch: (epoch) => {
        this.#laterEpoch = Math.max(this.#laterEpoch, epoch);
      },
      arrivals: this.#arrivals,
      clock,
      log,
    });
    this.#tail.start();
  }

  /**
   * Continues in another log when the relay has written it up to the latest sequence of this feed. Readers
   * notice nothing: until then, older changes come from the change log.
   */
  async #moveTo(generation: FeedGeneration): Promise<void> {
    const { pool, log } = this.#options;
    const place = await loadPlaceAfter(pool, this.#latest.sequence);
    if (!place) return;
    await this.#tail?.stop();
    this.#generation = generation;
    this.#replay.forgetPlaces();
    const { sequence } = this.#latest;
    this.#startTail({ sequence, offsets: place.offsets }, place.target);
    log.warn({ generation: generation.generation, sequence }, 'the stream continues in another Kafka log');
  }

  /** Keeps comparing this history with the database's: they differ after a backup was restored (INV-3). */
  async #watchHistory(): Promise<void> {
    const { pool, clock, onNewEpoch, log } = this.#options;
    const { signal } = this.#stopping;
    let reported: string | null = null;
    let isFailing = false;
    while (!signal.aborted) {
      await clock.wait(this.#historyIntervalMs, signal);
      const hasCaughtUp = this.#hasCaughtUp;
      const { sequence } = this.#latest;
      const announcedEpoch = Math.max(this.epoch, this.#laterEpoch);
      const followed = { epoch: this.epoch, sequence, id: this.#latestId, announcedEpoch };
      const found = await findConflict(pool, followed).catch((error: unknown) => {
        const message = 'the history of the stream cannot be compared; trying again';
        reportFailure(log, error, { where: 'feed', message, quiet: isFailing });
      });
      isFailing = !found;
      // While the database is away, the last answer holds.
      if (!found) continue;
      if (found.epoch !== followed.epoch) {
        log.warn(
          { epoch: found.epoch, was: followed.epoch },
          'the stream has started a new history; a gateway must be restarted, and other programs follow it',
        );
        return onNewEpoch();
      }
      if (found.generation.generation !== this.#generation?.generation) {
        await this.#moveTo(found.generation).catch((error: unknown) => {
          const message = 'the stream has moved to another Kafka log that cannot be found yet; trying again';
          reportFailure(log, error, { where: 'feed', message });
        });
      } else {
        this.#generation = found.generation;
      }
      this.#agrees = hasCaughtUp && found.conflict === null;
      this.#isInConflict = found.conflict !== null;
      historyConflict.set(this.#isInConflict ? 1 : 0);
      if (found.conflict !== null && found.conflict !== reported) log.error(found.conflict);
      reported = found.conflict;
    }
  }

  get #historyIntervalMs(): number {
    if (!this.#agrees) return FIRST_HISTORY_INTERVAL_MS;
    return this.behindMs > BEHIND_MS ? BEHIND_HISTORY_INTERVAL_MS : HISTORY_INTERVAL_MS;
  }

  #append(events: RenderedEvent[]): void {
    const last = events.at(-1);
    if (!last) return;
    this.#memory.append(events);
    this.#latest = last.resumePoint;
    this.#latestId = last.id;
    this.#arrivals.published(events, this.#fanOut.publish(events, last.resumePoint));
  }

  /** Continues after lost changes. Waiting readers read again and find the gap. */
  #skipLost(sequence: number): void {
    const before = this.latest;
    this.#memory.clear();
    this.#latest = { ...this.#latest, sequence };
    this.#latestId = null;
    this.#fanOut.interrupt(before);
  }
}
