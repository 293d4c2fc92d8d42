import { systemClock } from './clock.ts';

/** Wakes waiting callers. A finished wait leaves nothing behind, so that a process without news does not grow. */
export class Notifier {
  readonly #waiting = new Set<() => void>();
  #notifications = 0;

  /** The number of notifications so far. */
  get notifications(): number {
    return this.#notifications;
  }

  notify(): void {
    this.#notifications += 1;
    for (const wake of this.#waiting) wake();
  }

  /**
   * Waits until `notify` is called, `ms` milliseconds have passed, or the signal aborts. Never rejects.
   *
   * @param seen `notifications` before the caller last looked for news: a later notification ends the wait at
   * once
   */
  async wait(ms: number, signal: AbortSignal, seen = this.#notifications): Promise<void> {
    if (this.#notifications > seen || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const cancel = systemClock.schedule(ms, wake);
    signal.addEventListener('abort', wake);
    this.#waiting.add(wake);
    await promise;
    this.#waiting.delete(wake);
    signal.removeEventListener('abort', wake);
    cancel();
  }
}
