/*
 * Decompresses record batches in all of Kafka's codecs, with a bound on the result: a batch of a megabyte can
 * expand to gigabytes, and must not end the process (INV-14). The code of @platformatic/kafka for snappy and lz4 is
 * WebAssembly that fails for every later batch once it has met some thousands of damaged ones, and keeps their memory.
 */
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { unpackLz4 } from './lz4.ts';
import { unpackSnappy } from './snappy.ts';

/** The most that the records of a batch may take up, in bytes. */
export const MAX_DECOMPRESSED_BYTES = 64 * 1024 * 1024;

/** Larger than zlib's default chunks: joining thousands of those takes as long as everything else. */
const ZLIB = { maxOutputLength: MAX_DECOMPRESSED_BYTES, chunkSize: 128 * 1024 };
/** The smallest buffer to unpack gzip into, in bytes: a batch can state too small a length. */
const MIN_GZIP_CHUNK_BYTES = 16 * 1024;
/** How many times its length gzip can expand to at most. */
const MAX_GZIP_RATIO = 1032;

/** By the codec's number in a batch's attributes. */
const decompressors: Record<number, (bytes: Buffer) => Buffer> = {
  1: decompressGzip,
  2: (bytes) => unpackSnappy(bytes, requireBound),
  3: (bytes) => unpackLz4(bytes, requireBound),
  4: (bytes) => zstdDecompressSync(bytes, ZLIB),
};

/**
 * Decompresses the records of a batch.
 *
 * @param codec 1 gzip, 2 snappy, 3 lz4, 4 zstd
 * @throws Error if the codec is unknown, the bytes are corrupt, or the result would exceed MAX_DECOMPRESSED_BYTES
 */
export function decompress(codec: number, bytes: Buffer): Buffer {
  const decompressWith = decompressors[codec];
  if (!decompressWith) throw new Error(`the codec ${codec} is unknown`);
  return decompressWith(bytes);
}

function requireBound(bytes: number): void {
  if (bytes > MAX_DECOMPRESSED_BYTES) {
    throw new Error(`they would expand to more than ${MAX_DECOMPRESSED_BYTES} bytes`);
  }
}

/** Unpacks into one buffer, since gzip ends with the length of its content: pieces would need twice the memory. */
function decompressGzip(bytes: Buffer): Buffer {
  const stated = bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4);
  const possible = Math.min(stated, MAX_GZIP_RATIO * bytes.length, MAX_DECOMPRESSED_BYTES);
  // zlib takes a further buffer when one is full.
  const chunkSize = Math.max(possible, MIN_GZIP_CHUNK_BYTES) + 1;
  return gunzipSync(bytes, { ...ZLIB, chunkSize });
}
