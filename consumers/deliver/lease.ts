import { type Clock, monotonicClock } from '../../service/clock.ts';
import { Notifier } from '../../service/notifier.ts';

/** How long a process holds its webhooks without renewing the lease. Others take them over soon after it. */
export const LEASE_MS = 25_000;
/** The longest wait for a renewal before the next look at the lease, in milliseconds. */
const LOOK_MS = 3000;

/** The right of a process to its webhooks. It ends unless it is renewed. */
export class Lease {
  readonly #extend: (ms: number) => Promise<void>;
  readonly #clock: Clock;
  readonly #renewed = new Notifier();
  /** Until when it holds for sure, by the clock; null before the first renewal. */
  #until: number | null = null;
  #lost = new AbortController();
  #cancelEnd: () => void = () => {};

  /** @param extend lets the lease end in the database so many milliseconds after the call */
  constructor(extend: (ms: number) => Promise<void>, clock = monotonicClock) {
    this.#extend = extend;
    this.#clock = clock;
  }

  /** Whether it was renewed at least once. */
  get hasBegun(): boolean {
    return this.#until !== null;
  }

  /** Aborts when the lease ends. A renewal after the end begins another signal. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Renews the lease from now on. @throws the error of `extend` */
  async renew(): Promise<void> {
    const begunAt = this.#clock.now();
    await this.#extend(LEASE_MS);
    if (this.#lost.signal.aborted) this.#lost = new AbortController();
    this.#until = begunAt + LEASE_MS;
    this.#cancelEnd();
    const lost = this.#lost;
    this.#cancelEnd = this.#clock.schedule(this.#until - this.#clock.now(), () => lost.abort());
    this.#renewed.notify();
  }

  /** Resolves when the lease lasts this long, in milliseconds. @throws the signal's reason if it aborts first */
  async untilItLasts(ms: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if ((this.#until ?? Number.NEGATIVE_INFINITY) - this.#clock.now() >= ms) return;
      await this.#renewed.wait(LOOK_MS, signal);
    }
  }

  /** Leaves the lease to end by itself, without the signal. */
  leave(): void {
    this.#cancelEnd();
  }
}
