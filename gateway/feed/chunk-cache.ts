import type { Chunk, LogEntry } from './entry.ts';

/** How many changes a reader is given at a time, at most. Chunks end at multiples of it, so that readers who began
 * anywhere soon ask for the same ones. */
export const CHUNK_CHANGES = 1000;

/** How many changes there are after a sequence up to the end of its chunk. */
export function restOfChunk(sequence: number): number {
  return CHUNK_CHANGES - (sequence % CHUNK_CHANGES);
}

/** What of a chunk comes after a sequence. */
export function cutChunk({ entries, resumePoint }: Chunk, sequence: number): Chunk {
  const [first] = entries;
  const from = first ? Math.max(0, sequence + 1 - first.sequence) : 0;
  return { entries: entries.slice(from), resumePoint };
}

interface Cached {
  chunk: Chunk;
  bytes: number;
}

const bytesOf = (entries: readonly LogEntry[]) => entries.reduce((sum, { bytes }) => sum + bytes, 0);

/** Chunks that readers of older changes were given, for the next who ask; bounded by the bytes that they take. */
export class ChunkCache {
  readonly #maxBytes: number;
  /** By number of the chunk, in the order in which they were last asked for. */
  readonly #chunks = new Map<number, Cached>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What comes after a sequence up to the end of its chunk; undefined where that is not all here. */
  find(sequence: number): Chunk | undefined {
    const number = Math.floor(sequence / CHUNK_CHANGES);
    const cached = this.#chunks.get(number);
    const first = cached?.chunk.entries[0]?.sequence ?? Number.POSITIVE_INFINITY;
    if (!cached || sequence + 1 < first) return undefined;
    this.#chunks.delete(number);
    this.#chunks.set(number, cached);
    return cutChunk(cached.chunk, sequence);
  }

  /** Keeps what was read of a chunk, where it reaches the chunk's end and begins earlier than what is kept already. */
  add(chunk: Chunk): void {
    const [first] = chunk.entries;
    if (!first || chunk.resumePoint.sequence % CHUNK_CHANGES !== 0) return;
    if (this.find(first.sequence - 1)) return;
    const number = Math.floor((first.sequence - 1) / CHUNK_CHANGES);
    this.#drop(number);
    const bytes = bytesOf(chunk.entries);
    this.#chunks.set(number, { chunk, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#chunks.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(number: number): void {
    this.#bytes -= this.#chunks.get(number)?.bytes ?? 0;
    this.#chunks.delete(number);
  }
}
