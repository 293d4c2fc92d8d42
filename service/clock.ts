import { setTimeout as sleep } from 'node:timers/promises';

/** The time that rules depend on. Tests supply a clock of their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms` milliseconds, or as soon as the signal aborts. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `work` once after `ms` milliseconds, with only a timer. Returns a function that cancels it. */
  schedule(ms: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
  schedule(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** Time that never goes back, for durations. Its beginning is arbitrary. */
export const monotonicClock: Clock = { ...systemClock, now: () => performance.now() };

/** How long ago a time of the clock was, in milliseconds. Infinite if the clock was set back since. */
export function timeSince(clock: Pick<Clock, 'now'>, time: number): number {
  const passed = clock.now() - time;
  return passed < 0 ? Number.POSITIVE_INFINITY : passed;
}
