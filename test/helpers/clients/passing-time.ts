/** Clients of a service in memory, on a clock that the test advances: their waits take no time. */
import { mock } from 'node:test';
import { afterEach, beforeEach, jest } from '@jest/globals';
import { settle } from '../service/manual-clock.ts';

export interface PassingTime {
  /** The time since the beginning of the test, in milliseconds. */
  readonly now: number;
  /** Advances, and lets the work of each timer run. */
  pass(ms: number): Promise<void>;
  /** Advances until a promise settles, and settles likewise. */
  passUntil<Value>(promise: Promise<Value>): Promise<Value>;
}

/** Every timer of a client falls on a multiple of this time, in milliseconds. */
const STEP_MS = 100;

/** Replaces the timers and the monotonic clock while the tests of a file run. `until` would wait for ever. */
export function usePassingTime(): PassingTime {
  let now = 0;
  beforeEach(() => {
    now = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    mock.timers.reset();
    jest.restoreAllMocks();
  });
  const pass = async (ms: number) => {
    await settle();
    for (const end = now + ms; now < end; ) {
      now += STEP_MS;
      mock.timers.tick(STEP_MS);
      await settle();
    }
  };
  return {
    get now() {
      return now;
    },
    pass,
    async passUntil(promise) {
      let isSettled = false;
      const settled = promise.finally(() => {
        isSettled = true;
      });
      settled.catch(() => {});
      while (!isSettled) await pass(STEP_MS);
      return settled;
    },
  };
}
