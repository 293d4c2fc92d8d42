import { Readable } from 'node:stream';

/** The size of a step, in bytes: what a client has taken is known to this precision. */
const STEP_BYTES = 64 * 1024;

/** How slowly a client may take an answer. */
export interface Pace {
  /** The longest time without a step, and the time after which the rate counts, in milliseconds. */
  stallMs: number;
  /** The lowest average rate, in bytes per second. */
  bytesPerSecond: number;
}

/**
 * Sends bytes in small steps, and gives up on a client that takes them too slowly: a single write would not show how
 * much of it is taken. `onSlow` is called instead of an end.
 */
export class PacedBody extends Readable {
  readonly #steps: Generator<Buffer>;
  readonly #pace: Pace;
  readonly #onSlow: () => void;
  readonly #begunAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #takenBytes = 0;
  #takenAt = performance.now();

  constructor(pieces: readonly Buffer[], pace: Pace, onSlow: () => void) {
    super({ highWaterMark: STEP_BYTES });
    this.#steps = cut(pieces);
    this.#pace = pace;
    this.#onSlow = onSlow;
  }

  override _read(): void {
    this.#timer ??= setInterval(() => this.#watch(), Math.min(1000, this.#pace.stallMs / 4)).unref();
    const { value } = this.#steps.next();
    this.#takenAt = performance.now();
    this.#takenBytes += value?.length ?? 0;
    this.push(value ?? null);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    clearInterval(this.#timer);
    callback(error);
  }

  #watch(): void {
    const { stallMs, bytesPerSecond } = this.#pace;
    const now = performance.now();
    const elapsed = now - this.#begunAt;
    const isStalled = now - this.#takenAt >= stallMs;
    const isSlow = elapsed >= stallMs && (1000 * this.#takenBytes) / elapsed < bytesPerSecond;
    if (isStalled || isSlow) {
      this.#onSlow();
      this.destroy();
    }
  }
}

function* cut(pieces: readonly Buffer[]): Generator<Buffer, undefined> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += STEP_BYTES) yield piece.subarray(at, at + STEP_BYTES);
  }
}
