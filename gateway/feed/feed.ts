import type { Clock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import type { DatabasePool } from '../../store/pool.ts';
import { loadFeedStart } from '../../store/stream-position.ts';
import type { Chunk, LogEntry, Position } from './entry.ts';
import { KafkaLog } from './kafka-log.ts';
import { MemoryLog } from './memory-log.ts';
import { feedSequence } from './metrics.ts';
import { Replay } from './replay.ts';
import { Tail } from './tail.ts';

export interface FeedOptions {
  brokers: string[];
  topic: string;
  pool: DatabasePool;
  /** How much of the stream to keep in memory, in bytes. */
  memoryBytes: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  clock: Clock;
  logger: Logger;
}

/** The log lacks a change that the stream once had; nobody is led past it in silence (INV-7). */
export class StreamGapError extends Error {
  override name = 'StreamGapError';

  constructor(sequence: number) {
    super(`Kafka no longer has the change ${sequence}.`);
  }
}

const PRELOAD_CHANGES = 20_000;
const START_RETRY_MS = 500;
/** How many changes a reader is given at a time. */
const CHUNK_CHANGES = 1000;

/**
 * The change stream as a gateway sees it: the newest changes in memory, older ones out of Kafka, in one order. Readers
 * hold a position and ask for what comes after it, so that replay and live are the same loop (INV-10).
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #memory: MemoryLog;
  readonly #replay: Replay;
  readonly #log: KafkaLog;
  readonly #stopping = new AbortController();
  #tail: Tail | undefined;
  #epoch: number | undefined;
  #target = Number.POSITIVE_INFINITY;
  #latest: Position = { sequence: 0, time: 0, offsets: [] };
  readonly #waiting = new Set<() => void>();
  #starting: Promise<void> | undefined;

  constructor(options: FeedOptions) {
    const { brokers, topic, memoryBytes, logger } = options;
    this.#options = options;
    this.#memory = new MemoryLog(memoryBytes);
    this.#log = new KafkaLog({ brokers, topic, clientId: 'ballot-endorsements-gateway-tail' });
    this.#replay = new Replay({ brokers, topic, logger });
  }

  /** Begins to follow the stream, as soon as the store can be asked where it stands. Returns at once. */
  start(): void {
    this.#starting = this.#startWhenPossible();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#starting;
    await this.#tail?.stop();
    await Promise.all([this.#log.close(), this.#replay.close()]);
  }

  /** Whether the feed has reached what Kafka had when it began. */
  get ready(): boolean {
    return this.#latest.sequence >= this.#target;
  }

  /** Which history of the stream this is. */
  get epoch(): number {
    return this.#epoch ?? 0;
  }

  /** The position after the newest change that can be delivered, at a time up to which it is known to be the newest. */
  get latest(): Position {
    return { ...this.#latest, time: Math.max(this.#latest.time, this.#tail?.caughtUpAt ?? 0) };
  }

  /**
   * The next changes after a position; none where there are none yet. Not every change passes the reader's filter,
   * but every one moves its position.
   *
   * @throws StreamGapError where the next change is in neither memory nor Kafka.
   * @throws the Kafka client's error where it is not in memory and Kafka does not answer.
   */
  async read(position: Position): Promise<Chunk> {
    if (position.sequence >= this.#latest.sequence) {
      // A cursor of a gateway that is ahead of this one stays where it is.
      const { sequence, time, offsets } = this.latest;
      return { entries: [], position: position.sequence > sequence ? position : { sequence, time, offsets } };
    }
    const entries = this.#memory.read(position.sequence, CHUNK_CHANGES);
    if (!entries) return this.#readFromKafka(position);
    return { entries, position: entries.at(-1)?.position ?? position };
  }

  async #readFromKafka(position: Position): Promise<Chunk> {
    const chunk = await this.#replay.read(position, { epoch: this.epoch, limit: CHUNK_CHANGES });
    // The tail has delivered beyond this position, so Kafka had what comes next.
    if (chunk.entries.length === 0) throw new StreamGapError(position.sequence + 1);
    return chunk;
  }

  /** Resolves when there are changes after this sequence, or the signal is given. */
  whenBeyond(sequence: number, signal: AbortSignal): Promise<void> {
    if (this.#latest.sequence > sequence || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        if (this.#latest.sequence <= sequence && !signal.aborted) return;
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  async #startWhenPossible(): Promise<void> {
    const { pool, clock, retentionMs, logger } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const since = new Date(clock.now() - retentionMs);
        const { start, target } = await loadFeedStart(pool, since, PRELOAD_CHANGES);
        this.#epoch = start.epoch;
        this.#latest = { sequence: start.sequence, time: 0, offsets: start.offsets };
        this.#target = target;
        this.#tail = new Tail({
          log: this.#log,
          epoch: start.epoch,
          start,
          onEntries: (entries) => this.#append(entries),
          logger,
        });
        this.#tail.start();
        return;
      } catch (error) {
        logger.warn({ error }, 'the stream cannot be followed yet; trying again');
        await clock.wait(START_RETRY_MS, signal);
      }
    }
  }

  #append(entries: LogEntry[]): void {
    const last = entries.at(-1);
    if (!last) return;
    this.#memory.append(entries);
    this.#latest = last.position;
    feedSequence.set(last.sequence);
    for (const wake of this.#waiting) wake();
  }
}
