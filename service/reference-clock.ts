import { Gauge } from 'prom-client';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { Stoppable } from './lifecycle.ts';
import type { Logger } from './log.ts';
import { repeat } from './repeat.ts';
import { reportFailure } from './report-failure.ts';

/** How often the reference is read, in milliseconds. */
const READ_INTERVAL_MS = 5000;
/** How often it is read before the first reading has succeeded, in milliseconds. */
const FIRST_READ_INTERVAL_MS = 500;
/** A reading that took longer says too little about the time, in milliseconds. */
const MAX_READING_MS = 1000;
/** A local clock that is off by more than this is reported, in milliseconds. */
const TOLERATED_SKEW_MS = 2000;

const skew = new Gauge({
  name: 'clock_skew_seconds',
  help: "How far this machine's clock is ahead of the database's, which the service goes by; negative if it is behind.",
});

export interface ReferenceClockOptions {
  /** Reads the reference: milliseconds since 1970. */
  read: () => Promise<number>;
  log: Logger;
  /** The local clock, which is compared with the reference. */
  local?: Clock;
  /** A monotonic time in milliseconds, which carries the reference on between readings. */
  monotonic?: () => number;
}

/**
 * The time of another clock, the database's: all processes of the service go by it, so that a wrong local clock breaks
 * nothing. Between readings the time goes on by the monotonic clock, also while the database is away. A local clock that
 * is off is reported in the log and as a metric.
 */
export class ReferenceClock implements Clock, Stoppable {
  readonly #options: Required<ReferenceClockOptions>;
  readonly #synchronized = Promise.withResolvers<void>();
  /** The reference's time when the monotonic time was 0; undefined before the first reading. */
  #base: number | undefined;
  #isOff = false;
  #reading: Stoppable | undefined;

  constructor(options: ReferenceClockOptions) {
    this.#options = { local: systemClock, monotonic: () => performance.now(), ...options };
  }

  /** Resolves after the first reading. Until then the local clock's time is returned. */
  get synchronized(): Promise<void> {
    return this.#synchronized.promise;
  }

  start(): void {
    const { local } = this.#options;
    const first = new AbortController();
    const untilFirst = async () => {
      while (!first.signal.aborted && this.#base === undefined) {
        await this.synchronize();
        if (this.#base === undefined) await local.wait(FIRST_READ_INTERVAL_MS, first.signal);
      }
    };
    const beginning = untilFirst();
    const later = repeat(READ_INTERVAL_MS, local, () => this.synchronize());
    this.#reading = {
      async stop() {
        first.abort();
        await Promise.all([beginning, later.stop()]);
      },
    };
  }

  async stop(): Promise<void> {
    await this.#reading?.stop();
  }

  now(): number {
    const { local, monotonic } = this.#options;
    return this.#base === undefined ? local.now() : Math.round(this.#base + monotonic());
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return this.#options.local.wait(ms, signal);
  }

  /** Reads the reference once. If it does not answer, the time goes on as it was. Never rejects. */
  async synchronize(): Promise<void> {
    const { read, monotonic, log } = this.#options;
    const before = monotonic();
    try {
      const time = await read();
      const after = monotonic();
      if (after - before > MAX_READING_MS) return;
      this.#base = time - (before + after) / 2;
      this.#synchronized.resolve();
      this.#report();
    } catch (error) {
      // The time goes on, and others tell of an outage.
      const message = 'the time of the database cannot be read';
      reportFailure(log, error, { where: 'clock', message, quiet: true });
    }
  }

  #report(): void {
    const { local, log } = this.#options;
    const skewMs = local.now() - this.now();
    skew.set(skewMs / 1000);
    const isOff = Math.abs(skewMs) > TOLERATED_SKEW_MS;
    if (isOff && !this.#isOff) {
      const direction = skewMs > 0 ? 'ahead of' : 'behind';
      log.warn(
        { skewMs: Math.round(skewMs) },
        `the clock of this machine is ${Math.abs(Math.round(skewMs / 1000))} s ${direction} the database's; the ` +
          "service goes by the database's. Check time synchronization on both",
      );
    } else if (!isOff && this.#isOff) {
      log.info('the clock of this machine agrees with the database again');
    }
    this.#isOff = isOff;
  }
}
