import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CHUNK_CHANGES, ChunkCache, restOfChunk } from '../../feed/chunk-cache.ts';
import { createEvents } from '../../feed/read-events.ts';
import { type Chunk, OVERHEAD_BYTES, type RenderedEvent } from '../../feed/rendered-event.ts';
import { createEvent } from '../helpers/stream/create-event.ts';
import { encodeChange } from '../helpers/stream/write-changes.ts';

const EVENTS = Array.from({ length: 3 * CHUNK_CHANGES }, (_, index) => createEvent({ sequence: index + 1 }));
const ALL = Number.MAX_SAFE_INTEGER;

/** The chunk that a replay reads after a sequence. It is shorter if the log ends. */
function chunkAfter(sequence: number, count = restOfChunk(sequence)): Chunk {
  const events = EVENTS.slice(sequence, sequence + count);
  return { events, resumePoint: events.at(-1)?.resumePoint ?? { sequence, time: 0, offsets: [] } };
}
const found = (cache: ChunkCache, sequence: number) =>
  cache.find(sequence)?.events.map((event) => event.sequence);

test('finds the changes after a sequence up to the end of their chunk, if all of them are kept', () => {
  const sequence = fc.nat(EVENTS.length - 1);
  fc.assert(
    fc.property(fc.array(sequence, { maxLength: 6 }), sequence, (added, asked) => {
      const cache = new ChunkCache(ALL);
      for (const after of added) cache.add(chunkAfter(after));
      const number = Math.floor(asked / CHUNK_CHANGES);
      const here = added.some((after) => Math.floor(after / CHUNK_CHANGES) === number && after <= asked);
      expect(found(cache, asked)).toEqual(
        here ? chunkAfter(asked).events.map((event) => event.sequence) : undefined,
      );
    }),
    { numRuns: 30 },
  );
});

test.each([998, 999])('finds a chunk that begins after %i, at the end of its thousand', (after) => {
  const cache = new ChunkCache(ALL);
  cache.add(chunkAfter(after));
  expect(found(cache, after)).toEqual(chunkAfter(after).events.map(({ sequence }) => sequence));
  expect(found(cache, 1000)).toBeUndefined();
});

test.each([1, 2, 3])('keeps a chunk that begins %i changes before the kept one', (earlier) => {
  const cache = new ChunkCache(ALL);
  cache.add(chunkAfter(10));
  cache.add(chunkAfter(10 - earlier));
  expect(found(cache, 10 - earlier)).toHaveLength(990 + earlier);
});

test('does not keep a chunk that ends early because the log does', () => {
  const cache = new ChunkCache(ALL);
  cache.add(chunkAfter(1000, 500));
  expect(found(cache, 1000)).toBeUndefined();
});

test('INV-15: a large chunk takes the place of as many small ones as it needs', () => {
  const large = chunkAfter(2000);
  const cache = new ChunkCache(large.events.reduce((sum, { bytes }) => sum + bytes, 0));
  for (const chunk of [chunkAfter(999), chunkAfter(1999), large]) cache.add(chunk);
  expect([999, 1999, 2000].map((after) => found(cache, after)?.length)).toEqual([undefined, undefined, 1000]);
});

/** Chunks whose changes alternate between two fetched batches. Each chunk has a part of both. */
function chunksOfBatches(count: number): { chunks: Chunk[]; batches: number } {
  const sequences = Array.from({ length: count * CHUNK_CHANGES }, (_, index) => index + 1);
  const batches = [1, 0].map((rest) =>
    createEvents(
      sequences.filter((sequence) => sequence % 2 === rest).map((sequence) => encodeChange(1, sequence)),
      1,
    ),
  );
  const events = sequences.map(
    (sequence) => batches[1 - (sequence % 2)]?.[(sequence - 1) >> 1] as RenderedEvent,
  );
  const chunks = Array.from({ length: count }, (_, index) => {
    const own = events.slice(index * CHUNK_CHANGES, (index + 1) * CHUNK_CHANGES);
    return { events: own, resumePoint: { sequence: (index + 1) * CHUNK_CHANGES, time: 0, offsets: [] } };
  });
  return { chunks, batches: batches.reduce((sum, [first]) => sum + (first?.memory.length ?? 0), 0) };
}

test.each([
  ['all', 3, 0, 3],
  ['one', 1, 0, 1],
  ['less than one, although all of them together have no more batches', 1, -1, 0],
])('INV-10: with room for %s of three chunks that share batches, keeps no more', (_, room, more, kept) => {
  const { chunks, batches } = chunksOfBatches(3);
  const cache = new ChunkCache(batches + room * CHUNK_CHANGES * OVERHEAD_BYTES + more);
  for (const chunk of chunks) cache.add(chunk);
  expect([0, 1000, 2000].filter((after) => found(cache, after) !== undefined)).toHaveLength(kept);
});

test('INV-10: memory that chunks share counts until the last of them is dropped', () => {
  const { chunks, batches } = chunksOfBatches(2);
  const cache = new ChunkCache(batches + 2 * CHUNK_CHANGES * OVERHEAD_BYTES - 1);
  for (const chunk of [...chunks, chunkAfter(2000)]) cache.add(chunk);
  expect([0, 1000, 2000].map((after) => found(cache, after) !== undefined)).toEqual([false, false, true]);
});

test('INV-10: keeps the most recently used chunks within its bytes', () => {
  const bytes = chunkAfter(0).events.reduce((sum, event) => sum + event.bytes, 0);
  const cache = new ChunkCache(Math.floor(2.5 * bytes));
  cache.add(chunkAfter(0));
  cache.add(chunkAfter(1000));
  expect(found(cache, 0)?.length).toBe(1000);
  cache.add(chunkAfter(2000));
  expect([0, 1000, 2000].map((after) => found(cache, after) !== undefined)).toEqual([true, false, true]);
});
