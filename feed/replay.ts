import { TopicReader } from '../kafka/reading/topic-reader.ts';
import type { Brokers } from '../service/brokers.ts';
import { BufferPool } from '../service/buffer-pool.ts';
import type { Logger } from '../service/log.ts';
import { AccountTurns } from './account-turns.ts';
import type { ChangeLog } from './change-log.ts';
import { CHUNK_CHANGES, ChunkCache, cutChunk, restOfChunk } from './chunk-cache.ts';
import { Decoder } from './decoder.ts';
import { replays } from './metrics.ts';
import type { Chunk, ResumePoint } from './rendered-event.ts';
import { ReplayRun } from './replay-run.ts';
import type { UnreadableBatches } from './unreadable-batches.ts';

/** The most reads that run at the same time. Others wait, and their accounts take turns. */
const MAX_CONCURRENT_READS = 4;
/** The most runs that are kept for readers to continue; fewer of a topic with many partitions. */
const MAX_IDLE_RUNS = 32;
/** The most bytes of the log that all runs together work on and read ahead. */
const MAX_AHEAD_BYTES = 96 * 1024 * 1024;
/** Buffers for Kafka's answers. Each answer is copied to the decoder immediately. */
const BUFFERS = { maxIdle: 16, maxBytes: 1024 * 1024 };

/** The turn of a read: the reader that it gets. */
type Turn = PromiseWithResolvers<TopicReader>;

interface Underway {
  /** The sequence after which the chunk begins. */
  after: number;
  turn: Turn;
  chunk: Promise<Chunk>;
}

/** The state of the stream when changes are read. */
interface Stream {
  epoch: number;
  /** The last sequence whose id has offsets of a previous log. */
  foreignUpTo: number;
  /** The newest sequence that certainly exists. Nothing beyond it is read ahead. */
  latest: number;
}

export interface ReplayOptions {
  brokers: Brokers;
  topic: string;
  /** The same as in `TopicReader`. */
  expectedId: () => string | null;
  /** The memory for chunks that are kept for other readers, in bytes. */
  cacheBytes: number;
  changeLog: ChangeLog;
  unreadable: UnreadableBatches;
  log: Logger;
}

/**
 * Reads older changes from Kafka, a chunk at a time. Readers share chunks, and the runs that fetch them, so
 * that a thousand replays of the same days cost little more than one. A stopped reader wastes one chunk.
 */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #chunks: ChunkCache;
  readonly #decoder = new Decoder();
  readonly #buffers = new BufferPool(BUFFERS);
  /** The chunks that are being read, by the sequence at which they end. */
  readonly #underway = new Map<number, Underway>();
  /** The most recently used run comes last. */
  readonly #idleRuns: ReplayRun[] = [];
  /** The number of times that places in the log were forgotten. */
  #places = 0;
  readonly #idleReaders: TopicReader[] = [];
  readonly #readers: TopicReader[] = [];
  readonly #turns = new AccountTurns<Turn>();

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#chunks = new ChunkCache(options.cacheBytes);
  }

  /**
   * Returns the changes after a resume point, at most to the end of their chunk; empty if neither Kafka nor
   * the change log has the next one.
   *
   * @param accountId the account that waits for a turn
   * @throws the Kafka client's or the database's error if either is away.
   */
  async read(resumePoint: ResumePoint, stream: Stream, accountId: number): Promise<Chunk> {
    const chunk = await this.#find(resumePoint, stream, accountId);
    // The next chunk is read while the client reads this one.
    const { sequence } = chunk.resumePoint;
    if (chunk.events.length > 0 && sequence + CHUNK_CHANGES <= stream.latest) {
      this.#find(chunk.resumePoint, stream, accountId).catch(() => {
        // The reader that asks for this chunk gets the error.
      });
    }
    return chunk;
  }

  /** Takes the chunk from the cache, from a read under way, or from Kafka. */
  async #find(resumePoint: ResumePoint, stream: Stream, accountId: number): Promise<Chunk> {
    const { sequence } = resumePoint;
    const cached = this.#chunks.find(sequence);
    if (cached) return cached;
    const end = sequence + restOfChunk(sequence);
    const underway = this.#underway.get(end);
    if (underway && underway.after <= sequence) {
      this.#turns.join(underway.turn, accountId);
      const chunk = await underway.chunk;
      if (chunk.resumePoint.sequence > sequence) return cutChunk(chunk, sequence);
    }
    const turn = this.#awaitTurn(accountId);
    const chunk = this.#read(resumePoint, stream, turn.promise);
    this.#underway.set(end, { after: sequence, turn, chunk });
    try {
      return await chunk;
    } finally {
      if (this.#underway.get(end)?.chunk === chunk) this.#underway.delete(end);
    }
  }

  /** Forgets the runs' places in the log, because the stream continues in another one. */
  forgetPlaces(): void {
    this.#places += 1;
    this.#idleRuns.length = 0;
  }

  async close(): Promise<void> {
    await Promise.all([this.#decoder.close(), ...this.#readers.map((reader) => reader.close())]);
  }

  async #read(resumePoint: ResumePoint, stream: Stream, turn: Promise<TopicReader>): Promise<Chunk> {
    const reader = await turn;
    // Taken only now: waiting readers must not hold runs, because the memory of runs would then be unbounded.
    const run = this.#takeRun(resumePoint, stream);
    const places = this.#places;
    try {
      replays.inc();
      const events = await run.read(reader, restOfChunk(resumePoint.sequence));
      const last = events.at(-1);
      if (!last) return { events, resumePoint };
      const chunk = { events, resumePoint: run.resumePointAfter(last) };
      this.#chunks.add(chunk);
      if (places === this.#places) this.#idleRuns.push(run);
      const most = Math.min(MAX_IDLE_RUNS, Math.floor(MAX_AHEAD_BYTES / run.leastBytes));
      this.#idleRuns.splice(0, this.#idleRuns.length - most);
      return chunk;
    } finally {
      this.#releaseReader(reader);
    }
  }

  #takeRun(resumePoint: ResumePoint, { epoch, foreignUpTo }: Stream): ReplayRun {
    const index = this.#idleRuns.findIndex(({ sequence }) => sequence === resumePoint.sequence);
    const [run] = index === -1 ? [] : this.#idleRuns.splice(index, 1);
    if (run) return run;
    const maxBytes = () => MAX_AHEAD_BYTES / (this.#idleRuns.length + this.#readers.length);
    return new ReplayRun(resumePoint, {
      ...this.#options,
      epoch,
      foreignUpTo,
      decoder: this.#decoder,
      maxBytes,
    });
  }

  #awaitTurn(accountId: number): Turn {
    const turn: Turn = Promise.withResolvers();
    const reader = this.#idleReaders.pop() ?? this.#createReader();
    if (reader) turn.resolve(reader);
    else this.#turns.add(turn, accountId);
    return turn;
  }

  /** Creates a reader; undefined if there are as many as there may be. */
  #createReader(): TopicReader | undefined {
    if (this.#readers.length === MAX_CONCURRENT_READS) return undefined;
    const { brokers, topic, expectedId } = this.#options;
    const clientId = 'ballot-endorsements-gateway-replay';
    const reader = new TopicReader({ brokers, topic, clientId, expectedId, buffers: this.#buffers });
    this.#readers.push(reader);
    return reader;
  }

  #releaseReader(reader: TopicReader): void {
    const next = this.#turns.take();
    if (next) next.resolve(reader);
    else this.#idleReaders.push(reader);
  }
}
