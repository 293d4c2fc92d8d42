/** Enough for the endorsers of most batches. A power of two. */
const SLOTS = 1024;
const WORD_BYTES = 4;

interface CachedText {
  bytes: DataView;
  text: string;
}

/** The texts of frequent UTF-8 bytes. A look-up takes less time than decoding. */
export class TextCache {
  readonly #slots: (CachedText | undefined)[] = Array.from({ length: SLOTS });

  /** The text of some bytes of a source. */
  textOf(source: DataView, start: number, length: number): string {
    const slot = chooseSlot(source, start, length);
    const known = this.#slots[slot];
    if (known && holds(known.bytes, source, start, length)) return known.text;
    // A copy, because the source may be overwritten.
    const bytes = Buffer.from(new Uint8Array(source.buffer, source.byteOffset + start, length));
    const text = bytes.toString();
    this.#slots[slot] = { bytes: new DataView(bytes.buffer, bytes.byteOffset, length), text };
    return text;
  }
}

/** Hashes the beginning, the middle and the end. Texts that are equal in all three replace each other. */
function chooseSlot(source: DataView, start: number, length: number): number {
  if (length < WORD_BYTES) {
    let sum = length;
    for (let index = 0; index < length; index += 1) sum = sum * 31 + source.getUint8(start + index);
    return sum & (SLOTS - 1);
  }
  const last = length - WORD_BYTES;
  const sum =
    Math.imul(source.getInt32(start), 0x9e3779b1) +
    Math.imul(source.getInt32(start + (last >> 1)), 0x85ebca77) +
    Math.imul(source.getInt32(start + last), 0xc2b2ae3d) +
    length;
  return ((sum | 0) >>> 16) & (SLOTS - 1);
}

function holds(bytes: DataView, source: DataView, start: number, length: number): boolean {
  if (bytes.byteLength !== length) return false;
  let index = 0;
  for (; index + WORD_BYTES <= length; index += WORD_BYTES) {
    if (bytes.getInt32(index) !== source.getInt32(start + index)) return false;
  }
  for (; index < length; index += 1) {
    if (bytes.getUint8(index) !== source.getUint8(start + index)) return false;
  }
  return true;
}
