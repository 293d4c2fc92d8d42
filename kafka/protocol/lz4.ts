/*
 * Unpacks lz4 frames. The code of @platformatic/kafka in WebAssembly keeps the memory of every frame that it cannot unpack,
 * so some sixty small batches of a producer would fill the memory of the process (INV-15).
 */

const MAGIC = 0x184d2204;
const HAS_DICTIONARY = 1;
const HAS_CONTENT_SIZE = 1 << 3;
const HAS_BLOCK_CHECKSUMS = 1 << 4;
/** The bit in a block's length that says that its bytes are not compressed. */
const IS_RAW = 2 ** 31;
/** How many times its length a block can expand to at most. */
const MAX_RATIO = 255;
const MIN_MATCH = 4;
/** From this length on, a call that copies bytes is faster than a loop. */
const LONG = 32;

/**
 * Unpacks a frame. The checksum of the record batch covers its bytes, so the frame's own ones are not read.
 *
 * @param requireBound throws if so many bytes are too many
 * @throws Error if the bytes are not a whole frame, and that of `requireBound`
 */
export function unpackLz4(bytes: Buffer, requireBound: (bytes: number) => void): Buffer {
  let most = 0;
  for (const block of readBlocks(bytes)) most += block.most;
  requireBound(most);
  const unpacked = Buffer.allocUnsafeSlow(most);
  let end = 0;
  for (const { isRaw, packed } of readBlocks(bytes)) {
    end = isRaw ? end + packed.copy(unpacked, end) : unpackBlock(packed, unpacked, end);
  }
  return unpacked.subarray(0, end);
}

/** The blocks of a frame, with the most bytes that each can expand to. */
function* readBlocks(bytes: Buffer): Generator<{ isRaw: boolean; packed: Buffer; most: number }> {
  const flags = bytes.readUInt8(4);
  const blockSize = 2 ** (8 + 2 * ((bytes.readUInt8(5) >> 4) & 0b111));
  if (bytes.readUInt32LE(0) !== MAGIC || flags & HAS_DICTIONARY) throw new Error('they are not an lz4 frame');
  for (let at = flags & HAS_CONTENT_SIZE ? 15 : 7; ; ) {
    const field = bytes.readUInt32LE(at);
    if (field === 0) return;
    const [isRaw, length] = [field >= IS_RAW, field % IS_RAW];
    const packed = bytes.subarray(at + 4, at + 4 + length);
    if (packed.length < length) throw new Error('a block is cut off');
    yield { isRaw, packed, most: isRaw ? length : Math.min(blockSize, MAX_RATIO * length) };
    at += 4 + length + (flags & HAS_BLOCK_CHECKSUMS ? 4 : 0);
  }
}

/**
 * Unpacks a block behind those before it, from which it may repeat bytes.
 *
 * @returns the place after its last byte
 */
function unpackBlock(packed: Buffer, unpacked: Buffer, start: number): number {
  let from = 0;
  let at = start;
  /** A length of 15 continues in further bytes, up to one below 255. */
  const readLength = (given: number): number => {
    let length = given;
    for (let more = given === 15 ? 255 : 0; more === 255; from += 1) {
      more = packed.readUInt8(from);
      length += more;
    }
    return length;
  };
  for (;;) {
    const token = packed.readUInt8(from);
    from += 1;
    const literals = readLength(token >> 4);
    if (from + literals > packed.length || at + literals > unpacked.length) break;
    at = copyTo(unpacked, at, packed, from, literals);
    from += literals;
    if (from === packed.length) return at;
    const distance = packed.readUInt16LE(from);
    from += 2;
    const end = at + readLength(token & 15) + MIN_MATCH;
    if (distance === 0 || distance > at || end > unpacked.length) break;
    // A match can repeat the bytes that it writes, so each round has twice as many.
    const repeated = at - distance;
    while (at < end) at = copyTo(unpacked, at, unpacked, repeated, Math.min(end - at, at - repeated));
  }
  throw new Error('a block has a wrong length');
}

function copyTo(target: Buffer, at: number, source: Buffer, from: number, length: number): number {
  if (length >= LONG) source.copy(target, at, from, from + length);
  else for (let index = 0; index < length; index += 1) target[at + index] = source[from + index] as number;
  return at + length;
}
