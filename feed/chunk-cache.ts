import type { LRUCache } from 'lru-cache';
import { createLruCache } from '../service/lru-cache.ts';
import { type Chunk, OVERHEAD_BYTES, type RenderedEvent } from './rendered-event.ts';

/**
 * The most changes that a reader gets at a time. Chunks end at multiples of this number, so that readers that
 * began at different points soon ask for the same chunks.
 */
export const CHUNK_CHANGES = 1000;

/** The number of changes from a sequence, exclusive, to the end of its chunk. */
export function restOfChunk(sequence: number): number {
  return CHUNK_CHANGES - (sequence % CHUNK_CHANGES);
}

/** Returns the part of a chunk after a sequence. */
export function cutChunk({ events, resumePoint }: Chunk, sequence: number): Chunk {
  const [first] = events;
  const from = first ? Math.max(0, sequence + 1 - first.sequence) : 0;
  return { events: events.slice(from), resumePoint };
}

const chunkNumber = (sequence: number) => Math.floor(sequence / CHUNK_CHANGES);

/** The library requires a bound on the number. `FEED_REPLAY_MB` is reached earlier. */
const MAX_CHUNKS = 50_000;

/**
 * Keeps chunks of older changes for other readers, within a number of bytes. A chunk keeps whole fetched
 * batches in memory, of which neighbouring chunks share some: each batch counts once, with its full size.
 */
export class ChunkCache {
  readonly #maxBytes: number;
  /** By chunk number. A chunk may lack its beginning, never its end. */
  readonly #chunks: LRUCache<number, Chunk>;
  /** The number of chunks that use a batch, by the batch's memory. */
  readonly #holders = new Map<Buffer, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#chunks = createLruCache(MAX_CHUNKS, { dispose: (chunk) => this.#release(chunk) });
  }

  /** Returns the changes after a sequence up to the end of its chunk; undefined if some are not kept. */
  find(sequence: number): Chunk | undefined {
    const number = chunkNumber(sequence);
    const first = this.#chunks.peek(number)?.events[0]?.sequence ?? Number.POSITIVE_INFINITY;
    if (sequence + 1 < first) return undefined;
    const chunk = this.#chunks.get(number);
    return chunk && cutChunk(chunk, sequence);
  }

  /** Keeps a chunk if it reaches its end and begins earlier than the kept one. */
  add(chunk: Chunk): void {
    const [first] = chunk.events;
    if (!first || chunk.resumePoint.sequence % CHUNK_CHANGES !== 0) return;
    if (this.find(first.sequence - 1)) return;
    this.#hold(chunk);
    this.#chunks.set(chunkNumber(first.sequence - 1), chunk);
    while (this.#bytes > this.#maxBytes) this.#chunks.pop();
  }

  #hold({ events }: Chunk): void {
    this.#bytes += events.length * OVERHEAD_BYTES;
    for (const memory of memoryOf(events)) {
      const holders = this.#holders.get(memory) ?? 0;
      if (holders === 0) this.#bytes += memory.length;
      this.#holders.set(memory, holders + 1);
    }
  }

  #release({ events }: Chunk): void {
    this.#bytes -= events.length * OVERHEAD_BYTES;
    for (const memory of memoryOf(events)) {
      const holders = this.#holders.get(memory) ?? 0;
      if (holders > 1) this.#holders.set(memory, holders - 1);
      else {
        this.#holders.delete(memory);
        this.#bytes -= memory.length;
      }
    }
  }
}

const memoryOf = (events: readonly RenderedEvent[]): Set<Buffer> =>
  new Set(events.map(({ memory }) => memory));
