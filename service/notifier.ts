import { systemClock } from './clock.ts';

/**
 * Wakes waiting callers. A finished wait leaves nothing behind. A promise would keep a reaction for every
 * past race, so a process without news would grow.
 */
export class Notifier {
  readonly #waiting = new Set<AbortController>();
  #notifications = 0;

  /** The number of notifications so far. */
  get notifications(): number {
    return this.#notifications;
  }

  notify(): void {
    this.#notifications += 1;
    for (const waiter of this.#waiting) waiter.abort();
  }

  /**
   * Waits until `notify` is called, `ms` milliseconds have passed, or the signal aborts. Never rejects.
   *
   * @param seen `notifications` before the caller last looked for news: a later notification ends the wait at
   * once
   */
  async wait(ms: number, signal: AbortSignal, seen = this.#notifications): Promise<void> {
    if (this.#notifications > seen) return;
    const notified = new AbortController();
    this.#waiting.add(notified);
    await systemClock.wait(ms, AbortSignal.any([signal, notified.signal]));
    this.#waiting.delete(notified);
  }
}
