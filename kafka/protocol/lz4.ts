import { Unpacked } from './unpacked.ts';

const MAGIC = 0x184d2204;
const HAS_DICTIONARY = 1;
const HAS_CONTENT_SIZE = 1 << 3;
const HAS_BLOCK_CHECKSUMS = 1 << 4;
/** The bit in a block's length that says that its bytes are not compressed. */
const IS_RAW = 2 ** 31;
/** How many times its length a block can expand to at most. */
const MAX_RATIO = 255;
const MIN_MATCH = 4;

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
  const unpacked = new Unpacked(most);
  for (const { isRaw, packed } of readBlocks(bytes)) {
    if (isRaw) unpacked.append(packed, 0, packed.length);
    else unpackBlock(packed, unpacked);
  }
  return unpacked.bytes;
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

/** Unpacks a block behind those before it, from which it may repeat bytes. */
function unpackBlock(packed: Buffer, unpacked: Unpacked): void {
  let at = 0;
  /** A length of 15 continues in further bytes, up to one below 255. */
  const readLength = (given: number): number => {
    let length = given;
    for (let more = given === 15 ? 255 : 0; more === 255; at += 1) {
      more = packed.readUInt8(at);
      length += more;
    }
    return length;
  };
  for (;;) {
    const token = packed.readUInt8(at);
    at += 1;
    const literals = readLength(token >> 4);
    unpacked.append(packed, at, literals);
    at += literals;
    if (at === packed.length) return;
    const distance = packed.readUInt16LE(at);
    at += 2;
    unpacked.repeat(distance, readLength(token & 15) + MIN_MATCH);
  }
}
