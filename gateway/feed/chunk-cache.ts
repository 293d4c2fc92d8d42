import { LRUCache } from 'lru-cache';
import type { Chunk, LogEntry } from './entry.ts';

/**
 * The most changes that a reader gets at a time. Chunks end at multiples of this number, so that readers that began at
 * different points soon ask for the same chunks.
 */
export const CHUNK_CHANGES = 1000;

/** The number of changes from a sequence, itself excluded, to the end of its chunk. */
export function restOfChunk(sequence: number): number {
  return CHUNK_CHANGES - (sequence % CHUNK_CHANGES);
}

/** Returns the part of a chunk after a sequence. */
export function cutChunk({ entries, resumePoint }: Chunk, sequence: number): Chunk {
  const [first] = entries;
  const from = first ? Math.max(0, sequence + 1 - first.sequence) : 0;
  return { entries: entries.slice(from), resumePoint };
}

const chunkNumber = (sequence: number) => Math.floor(sequence / CHUNK_CHANGES);
const bytesOf = (entries: readonly LogEntry[]) => entries.reduce((sum, { bytes }) => sum + bytes, 0);

/** Keeps chunks of older changes for other readers, within a number of bytes. */
export class ChunkCache {
  /** By chunk number. A chunk may lack its beginning, never its end. */
  readonly #chunks: LRUCache<number, Chunk>;

  constructor(maxBytes: number) {
    this.#chunks = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ entries }) => bytesOf(entries) });
  }

  /** Returns the changes after a sequence up to the end of its chunk; undefined unless all of them are kept. */
  find(sequence: number): Chunk | undefined {
    const number = chunkNumber(sequence);
    const first = this.#chunks.peek(number)?.entries[0]?.sequence ?? Number.POSITIVE_INFINITY;
    if (sequence + 1 < first) return undefined;
    const chunk = this.#chunks.get(number);
    return chunk && cutChunk(chunk, sequence);
  }

  /** Keeps a chunk if it reaches its end and begins earlier than the one that is kept already. */
  add(chunk: Chunk): void {
    const [first] = chunk.entries;
    if (!first || chunk.resumePoint.sequence % CHUNK_CHANGES !== 0) return;
    if (this.find(first.sequence - 1)) return;
    this.#chunks.set(chunkNumber(first.sequence - 1), chunk);
  }
}
