export interface BufferPoolLimits {
  /** How many buffers are kept while they are not in use. */
  maxIdle: number;
  /** Larger buffers are not kept, in bytes. */
  maxBytes: number;
}

/** Sizes are rounded up to multiples of this, so that a buffer fits the next use too. */
const STEP_BYTES = 64 * 1024;

/**
 * Buffers that are used again. V8 begins a garbage collection of the whole heap for every 64 MB of new buffers, which a
 * replay would otherwise need several times a second.
 */
export class BufferPool {
  readonly #limits: BufferPoolLimits;
  /** The one that was given back last comes last. */
  readonly #idle: ArrayBuffer[] = [];

  constructor(limits: BufferPoolLimits) {
    this.#limits = limits;
  }

  /** Returns a buffer of at least this many bytes, which can hold anything. */
  take(bytes: number): ArrayBuffer {
    const index = this.#idle.findLastIndex(({ byteLength }) => byteLength >= bytes);
    const [idle] = index === -1 ? [] : this.#idle.splice(index, 1);
    return idle ?? Buffer.allocUnsafeSlow(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES).buffer;
  }

  /** Takes back a buffer that nothing reads or writes any more. */
  giveBack(buffer: ArrayBuffer): void {
    const { maxIdle, maxBytes } = this.#limits;
    if (buffer.byteLength > maxBytes) return;
    this.#idle.push(buffer);
    if (this.#idle.length > maxIdle) this.#idle.shift();
  }
}
