import { Gauge } from 'prom-client';
import { type Clock, systemClock } from './clock.ts';
import type { Stoppable } from './lifecycle.ts';
import type { Logger } from './log.ts';
import { reportFailure } from './report-failure.ts';

/** The interval between readings, in milliseconds. */
const READ_INTERVAL_MS = 5000;
/** The interval while the time is not known exactly, in milliseconds. */
const SEARCH_INTERVAL_MS = 500;
/** The largest error of an exactly known time, in milliseconds. */
const EXACT_MS = 25;
/** The largest possible error of a useful reading, in milliseconds. */
const MAX_ERROR_MS = 500;
/** The clocks' greatest relative drift between readings: a corrected clock gains or loses 500 millionths. */
const DRIFT = 0.001;
/** The largest unreported error of the local clock, in milliseconds. */
const TOLERATED_SKEW_MS = 2000;

const skew = new Gauge({
  name: 'clock_skew_seconds',
  help: "How far this machine's clock is ahead of the database's, which the service uses; negative if it is behind.",
});

export interface ReferenceClockOptions {
  /** Reads the reference: milliseconds since 1970. */
  read: () => Promise<number>;
  log: Logger;
  /** The local clock, to compare with the reference. */
  local?: Clock;
  /** A monotonic time in milliseconds, for the time between readings. */
  monotonic?: () => number;
}

/** A reading of the reference. */
interface Reading {
  /** The reference's time when the monotonic time was 0. */
  base: number;
  /** The monotonic time of the reading. */
  at: number;
  /** The possible error in either direction, in milliseconds: half the duration of the reading. */
  errorMs: number;
}

/** The possible error of a reading at a later monotonic time, in milliseconds. */
function errorAt({ at, errorMs }: Reading, monotonic: number): number {
  return errorMs + (monotonic - at) * DRIFT;
}

/**
 * The time of another clock, the database's. All processes of the service use it, so that a wrong local clock
 * breaks nothing. Between readings, and while the database is away, the time continues by the monotonic
 * clock. A wrong local clock is reported in the log and as a metric.
 *
 * A new reading counts if it is at least as exact as the aged last one, or if it contradicts it, because the
 * reference was then set.
 */
export class ReferenceClock implements Clock, Stoppable {
  readonly #options: Required<ReferenceClockOptions>;
  readonly #synchronized = Promise.withResolvers<void>();
  /** The last reading that counted. */
  #last: Reading | undefined;
  #isOff = false;
  readonly #stopping = new AbortController();
  #reading: Promise<void> | undefined;

  constructor(options: ReferenceClockOptions) {
    this.#options = { local: systemClock, monotonic: () => performance.now(), ...options };
  }

  /** Resolves after the first reading. Until then, `now` returns the local clock's time. */
  get synchronized(): Promise<void> {
    return this.#synchronized.promise;
  }

  start(): void {
    this.#reading = this.#read();
  }

  async #read(): Promise<void> {
    const { local, monotonic } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.synchronize();
      const isExact = this.#last !== undefined && errorAt(this.#last, monotonic()) <= EXACT_MS;
      await local.wait(isExact ? READ_INTERVAL_MS : SEARCH_INTERVAL_MS, signal);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#reading;
  }

  now(): number {
    const { local, monotonic } = this.#options;
    return this.#last === undefined ? local.now() : Math.round(this.#last.base + monotonic());
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return this.#options.local.wait(ms, signal);
  }

  schedule(ms: number, work: () => void): () => void {
    return this.#options.local.schedule(ms, work);
  }

  /** Reads the reference once. Without an answer, the time continues unchanged. Never rejects. */
  async synchronize(): Promise<void> {
    const { read, monotonic, log } = this.#options;
    const before = monotonic();
    try {
      const time = await read();
      const after = monotonic();
      const reading = { base: time - (before + after) / 2, at: after, errorMs: (after - before) / 2 };
      if (reading.errorMs > MAX_ERROR_MS || !this.#isBetter(reading)) return;
      this.#last = reading;
      this.#synchronized.resolve();
      this.#report();
    } catch (error) {
      // The time continues, and other parts report the outage.
      const message = 'the time of the database cannot be read';
      reportFailure(log, error, { where: 'clock', message, quiet: true });
    }
  }

  #isBetter(reading: Reading): boolean {
    const last = this.#last;
    if (last === undefined) return true;
    const lastErrorMs = errorAt(last, reading.at);
    const isContradiction = Math.abs(reading.base - last.base) > reading.errorMs + lastErrorMs;
    return reading.errorMs <= lastErrorMs || isContradiction;
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
          "service uses the database's. Check time synchronization on both",
      );
    } else if (!isOff && this.#isOff) {
      log.info('the clock of this machine agrees with the database again');
    }
    this.#isOff = isOff;
  }
}
