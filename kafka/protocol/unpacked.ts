/** From this length on, a call that copies bytes is faster than a loop. */
const LONG = 32;

/** Bytes that are unpacked from literal ones and repetitions, with a bound that is known before. */
export class Unpacked {
  readonly #bytes: Buffer;
  #length = 0;

  /** @param maxLength the most bytes */
  constructor(maxLength: number) {
    this.#bytes = Buffer.allocUnsafeSlow(maxLength);
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Appends bytes of the packed ones. @throws Error if they are too many, or more than there are */
  append(packed: Buffer, from: number, length: number): void {
    if (from + length > packed.length) throw new Error('a block is cut off');
    this.#requireRoom(length);
    this.#copy(packed, from, length);
  }

  /** Appends bytes that are `distance` bytes back, and can go on into themselves. @throws Error if there are no such bytes */
  repeat(distance: number, length: number): void {
    if (distance === 0 || distance > this.#length)
      throw new Error('a block repeats bytes that are not there');
    this.#requireRoom(length);
    const from = this.#length - distance;
    // Each round has twice as many.
    for (const end = this.#length + length; this.#length < end; ) {
      this.#copy(this.#bytes, from, Math.min(end - this.#length, this.#length - from));
    }
  }

  #requireRoom(length: number): void {
    if (this.#length + length > this.#bytes.length) throw new Error('a block is longer than it says');
  }

  #copy(source: Buffer, from: number, length: number): void {
    const [target, at] = [this.#bytes, this.#length];
    if (length >= LONG) source.copy(target, at, from, from + length);
    else for (let index = 0; index < length; index += 1) target[at + index] = source[from + index] as number;
    this.#length += length;
  }
}
