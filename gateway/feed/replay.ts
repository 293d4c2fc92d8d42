import { TopicReader } from '../../kafka/topic-reader.ts';
import type { Logger } from '../../service/log.ts';
import type { ChangeLog } from './change-log.ts';
import { CHUNK_CHANGES, ChunkCache, cutChunk, restOfChunk } from './chunk-cache.ts';
import { Decoder } from './decoder.ts';
import type { Chunk, ResumePoint } from './entry.ts';
import { replays } from './metrics.ts';
import { ReplayRun } from './replay-run.ts';

/** How many fetches may be under way at the same time; the others wait their turn. */
const MAX_CONCURRENT_READS = 4;
/** How many runs are kept for readers to go on with. Each holds up to eight megabytes that were read ahead. */
const MAX_IDLE_RUNS = 32;

interface Underway {
  after: number;
  chunk: Promise<Chunk>;
}

export interface ReplayOptions {
  brokers: string[];
  topic: string;
  /** How much of what was read is kept for others, in bytes. */
  cacheBytes: number;
  changeLog: ChangeLog;
  log: Logger;
}

/**
 * Reads older changes out of Kafka, a chunk at a time. Readers share chunks, and the runs that fetch them, so that a
 * thousand who replay the same days cost little more than one; and who stops costs one chunk that was read ahead.
 */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #chunks: ChunkCache;
  readonly #decoder = new Decoder();
  /** By the sequence at which the chunk ends: what is being read. */
  readonly #underway = new Map<number, Underway>();
  /** The one used last at the end. */
  readonly #idleRuns: ReplayRun[] = [];
  readonly #idleReaders: TopicReader[] = [];
  readonly #readers: TopicReader[] = [];
  readonly #queue: ((reader: TopicReader) => void)[] = [];

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#chunks = new ChunkCache(options.cacheBytes);
  }

  /**
   * The changes after a position, up to the end of their chunk at most; none where neither Kafka nor the change log
   * has the next one.
   *
   * @param stream.latest the newest sequence that there is for certain: nothing is read ahead beyond it.
   * @throws the Kafka client's error when Kafka does not answer, the store's when that is asked and does not.
   */
  async read(resumePoint: ResumePoint, { epoch, latest }: { epoch: number; latest: number }): Promise<Chunk> {
    const chunk = await this.#find(resumePoint, epoch);
    // While the client reads these, the next are read for it: one chunk, if it stops here.
    const { sequence } = chunk.resumePoint;
    if (chunk.entries.length > 0 && sequence + CHUNK_CHANGES <= latest) {
      this.#find(chunk.resumePoint, epoch).catch(() => {
        // Whoever asks for it is told.
      });
    }
    return chunk;
  }

  /** From those who read it before, from those who are about to, or out of Kafka. */
  async #find(resumePoint: ResumePoint, epoch: number): Promise<Chunk> {
    const { sequence } = resumePoint;
    const cached = this.#chunks.find(sequence);
    if (cached) return cached;
    const end = sequence + restOfChunk(sequence);
    const underway = this.#underway.get(end);
    if (underway && underway.after <= sequence) {
      const chunk = await underway.chunk;
      if (chunk.resumePoint.sequence > sequence) return cutChunk(chunk, sequence);
    }
    const chunk = this.#read(resumePoint, epoch);
    this.#underway.set(end, { after: sequence, chunk });
    try {
      return await chunk;
    } finally {
      if (this.#underway.get(end)?.chunk === chunk) this.#underway.delete(end);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#decoder.close(), ...this.#readers.map((reader) => reader.close())]);
  }

  async #read(resumePoint: ResumePoint, epoch: number): Promise<Chunk> {
    const reader = await this.#acquireReader();
    // Not before it is its turn: what those who wait hold would know no bound.
    const run = this.#takeRun(resumePoint, epoch);
    try {
      replays.inc();
      const entries = await run.read(reader, restOfChunk(resumePoint.sequence));
      const last = entries.at(-1);
      if (!last) return { entries, resumePoint };
      const chunk = { entries, resumePoint: run.resumePointAfter(last) };
      this.#chunks.add(chunk);
      this.#idleRuns.push(run);
      if (this.#idleRuns.length > MAX_IDLE_RUNS) this.#idleRuns.shift();
      return chunk;
    } finally {
      this.#releaseReader(reader);
    }
  }

  #takeRun(resumePoint: ResumePoint, epoch: number): ReplayRun {
    const index = this.#idleRuns.findIndex(({ sequence }) => sequence === resumePoint.sequence);
    const [run] = index === -1 ? [] : this.#idleRuns.splice(index, 1);
    return run ?? new ReplayRun(resumePoint, { ...this.#options, epoch, decoder: this.#decoder });
  }

  async #acquireReader(): Promise<TopicReader> {
    const idle = this.#idleReaders.pop();
    if (idle) return idle;
    if (this.#readers.length < MAX_CONCURRENT_READS) {
      const { brokers, topic } = this.#options;
      const reader = new TopicReader({ brokers, topic, clientId: 'ballot-endorsements-gateway-replay' });
      this.#readers.push(reader);
      return reader;
    }
    return new Promise((resolve) => this.#queue.push(resolve));
  }

  #releaseReader(reader: TopicReader): void {
    const next = this.#queue.shift();
    if (next) next(reader);
    else this.#idleReaders.push(reader);
  }
}
