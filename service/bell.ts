import { systemClock } from './clock.ts';

/**
 * Wakes those that wait for news. A wait that is over leaves nothing behind, whereas a promise keeps a reaction of everyone
 * that ever raced it: a process without news would grow.
 */
export class Bell {
  readonly #waiting = new Set<AbortController>();
  #rings = 0;

  /** How often it has rung. */
  get rings(): number {
    return this.#rings;
  }

  ring(): void {
    this.#rings += 1;
    for (const waiter of this.#waiting) waiter.abort();
  }

  /**
   * Waits until it rings, `ms` milliseconds have passed, or the signal aborts. Never rejects.
   *
   * @param heard `rings` before the caller last looked for news: a ring since then ends the wait at once
   */
  async wait(ms: number, signal: AbortSignal, heard = this.#rings): Promise<void> {
    if (this.#rings > heard) return;
    const rung = new AbortController();
    this.#waiting.add(rung);
    await systemClock.wait(ms, AbortSignal.any([signal, rung.signal]));
    this.#waiting.delete(rung);
  }
}
