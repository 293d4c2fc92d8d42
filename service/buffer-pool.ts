export interface BufferPoolLimits {
  /** The most idle buffers to keep. */
  maxIdle: number;
  /** The largest buffer to keep, in bytes. */
  maxBytes: number;
}

/** Sizes are rounded up to a multiple of this, so that a buffer fits its next use too. */
const STEP_BYTES = 64 * 1024;

/**
 * Reusable buffers. V8 begins a garbage collection of the whole heap after every 64 MB of new buffers.
 * Without reuse, a replay would cause several a second.
 */
export class BufferPool {
  readonly #limits: BufferPoolLimits;
  /** The last returned buffer comes last. */
  readonly #idle: ArrayBuffer[] = [];

  constructor(limits: BufferPoolLimits) {
    this.#limits = limits;
  }

  /** Returns a buffer of at least this many bytes, with arbitrary contents. */
  take(bytes: number): ArrayBuffer {
    const index = this.#idle.findLastIndex(({ byteLength }) => byteLength >= bytes);
    const [idle] = index === -1 ? [] : this.#idle.splice(index, 1);
    return idle ?? Buffer.allocUnsafeSlow(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES).buffer;
  }

  /** Takes back a buffer that is no longer in use. */
  giveBack(buffer: ArrayBuffer): void {
    const { maxIdle, maxBytes } = this.#limits;
    if (buffer.byteLength > maxBytes) return;
    this.#idle.push(buffer);
    if (this.#idle.length > maxIdle) this.#idle.shift();
  }
}
