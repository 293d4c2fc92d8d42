import type { Clock } from '../../../service/clock.ts';

interface Waiter {
  at: number;
  resolve: () => void;
}

/** A clock that stands still until a test advances it. */
export class ManualClock implements Clock {
  #now: number;
  readonly #waiters = new Set<Waiter>();

  constructor(start = Date.parse('2026-11-03T12:00:00Z')) {
    this.#now = start;
  }

  now = (): number => this.#now;

  wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const waiter = { at: this.#now + ms, resolve };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', () => {
        this.#waiters.delete(waiter);
        resolve();
      });
    });

  schedule = (ms: number, work: () => void): (() => void) => {
    const waiter = { at: this.#now + ms, resolve: work };
    this.#waiters.add(waiter);
    return () => this.#waiters.delete(waiter);
  };

  /** Advances, stopping at the moment of each timer, and lets the timers' work run. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#waiters].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#now = Math.max(this.#now, due.at);
      this.#waiters.delete(due);
      due.resolve();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets all pending work run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
