import type { Logger } from '../../service/log.ts';
import { type Chunk, decodeRecords, type LogEntry, type Position } from './entry.ts';
import { KafkaLog } from './kafka-log.ts';
import { SequenceMerge } from './merge.ts';
import { replays } from './metrics.ts';

/** How many readers may read out of Kafka at the same time; the others wait their turn. */
const MAX_CONCURRENT_REPLAYS = 4;
const LIMITS = { maxWaitMs: 0, partitionMaxBytes: 256 * 1024 };

/**
 * Reads older changes out of Kafka, a chunk at a time. Nothing is kept between chunks but the reader's position, so
 * that a reader who stops costs nothing.
 */
export class Replay {
  readonly #options: { brokers: string[]; topic: string; logger: Logger };
  readonly #idle: KafkaLog[] = [];
  readonly #all: KafkaLog[] = [];
  readonly #queue: ((log: KafkaLog) => void)[] = [];

  constructor(options: { brokers: string[]; topic: string; logger: Logger }) {
    this.#options = options;
  }

  /**
   * At most `limit` changes after a position; fewer where the log ends.
   *
   * @throws the Kafka client's error when Kafka does not answer.
   */
  async read(position: Position, { epoch, limit }: { epoch: number; limit: number }): Promise<Chunk> {
    const log = await this.#acquire();
    try {
      replays.inc();
      return await this.#readFrom(log, position, epoch, limit);
    } finally {
      this.#release(log);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((log) => log.close()));
  }

  async #readFrom(log: KafkaLog, position: Position, epoch: number, limit: number): Promise<Chunk> {
    const merge = new SequenceMerge<LogEntry>(position);
    const entries: LogEntry[] = [];
    const atEnd = new Set<number>();
    while (entries.length < limit) {
      const leaders = await log.leaders();
      const wanted = merge.wanted(leaders.length);
      if ([...wanted.keys()].every((partition) => atEnd.has(partition))) break;
      for (const node of new Set(leaders)) {
        const offsets = new Map([...wanted].filter(([partition]) => leaders[partition] === node));
        if (offsets.size === 0) continue;
        for (const read of await log.fetch(node, offsets, LIMITS)) {
          merge.add(
            read.partition,
            decodeRecords(read.records, epoch, this.#options.logger),
            read.nextOffset,
          );
          if (read.atEnd) atEnd.add(read.partition);
          else atEnd.delete(read.partition);
        }
      }
      entries.push(...merge.take(limit - entries.length));
    }
    const last = entries.at(-1);
    if (!last) return { entries, position };
    return {
      entries,
      position: { sequence: last.sequence, time: last.occurredAt, offsets: merge.offsets },
    };
  }

  async #acquire(): Promise<KafkaLog> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#all.length < MAX_CONCURRENT_REPLAYS) {
      const { brokers, topic } = this.#options;
      const log = new KafkaLog({ brokers, topic, clientId: 'ballot-endorsements-gateway-replay' });
      this.#all.push(log);
      return log;
    }
    return new Promise((resolve) => this.#queue.push(resolve));
  }

  #release(log: KafkaLog): void {
    const next = this.#queue.shift();
    if (next) next(log);
    else this.#idle.push(log);
  }
}
