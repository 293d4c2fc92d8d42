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

  /** Appends some of the packed bytes. @throws Error if they are too many, or not all there */
  append(packed: Buffer, from: number, length: number): void {
    if (from + length > packed.length) throw new Error('a block is cut off');
    this.#requireRoom(length);
    this.#copy(packed, from, length);
  }

  /** Appends the bytes from `distance` bytes back, which may reach into the new ones. @throws Error if it is too far back */
  repeat(distance: number, length: number): void {
    if (distance === 0 || distance > this.#length)
      throw new Error('a block repeats bytes from before the beginning');
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
