import { Unpacked } from './unpacked.ts';

const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;
/** How many times its length a block can expand to at most: three bytes can repeat 64. */
const MAX_RATIO = 22;

/**
 * Unpacks snappy. Java's clients write a header, then blocks with their lengths; other clients write one raw block.
 *
 * @param requireBound throws if so many bytes are too many
 * @throws Error if the bytes are not whole blocks, and that of `requireBound`
 */
export function unpackSnappy(bytes: Buffer, requireBound: (bytes: number) => void): Buffer {
  let total = 0;
  for (const block of readBlocks(bytes)) total += readLength(block).length;
  requireBound(total);
  if (total > MAX_RATIO * bytes.length) throw new Error('a block is shorter than it says');
  const unpacked = new Unpacked(total);
  for (const block of readBlocks(bytes)) unpackBlock(block, unpacked);
  return unpacked.bytes;
}

function* readBlocks(bytes: Buffer): Generator<Buffer> {
  if (!bytes.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC)) {
    yield bytes;
    return;
  }
  for (let at = XERIAL_HEADER_BYTES; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw new Error('a block is cut off');
    yield bytes.subarray(at + 4, end);
    at = end;
  }
}

/** The unpacked length of a block, and where the packed bytes begin. */
function readLength(block: Buffer): { length: number; start: number } {
  let length = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = block.readUInt8(index);
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { length, start: index + 1 };
  }
  throw new Error('a block has no length');
}

function unpackBlock(block: Buffer, unpacked: Unpacked): void {
  const { length, start } = readLength(block);
  const end = unpacked.length + length;
  for (let at = start; at < block.length; ) {
    const tag = block.readUInt8(at);
    const [kind, size] = [tag & 0b11, tag >> 2];
    at += 1;
    if (kind === 0) {
      // Sizes from 60 on say how many bytes the length has.
      const width = Math.max(0, size - 59);
      const literals = (width === 0 ? size : block.readUIntLE(at, width)) + 1;
      unpacked.append(block, at + width, literals);
      at += width + literals;
    } else if (kind === 1) {
      unpacked.repeat(((tag >> 5) << 8) | block.readUInt8(at), (size & 0b111) + 4);
      at += 1;
    } else {
      const width = kind === 2 ? 2 : 4;
      unpacked.repeat(block.readUIntLE(at, width), size + 1);
      at += width;
    }
  }
  if (unpacked.length !== end) throw new Error('a block is shorter than it says');
}
