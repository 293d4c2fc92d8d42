/** Clients beside real servers, whose time passes ten times as fast. */
import { afterEach, beforeEach, jest } from '@jest/globals';

const FACTOR = 10;

/** Shortens the waits and the deadlines of a file's clients, and its own, and lets all clocks agree with them. */
export function useFastTime(): void {
  const { setTimeout } = globalThis;
  beforeEach(() => {
    // A timer may fire a millisecond too early, which would be ten of these.
    const wait = (work: () => void, ms = 0, ...args: []) =>
      setTimeout(work, Math.ceil(ms / FACTOR) + 1, ...args);
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(wait as typeof setTimeout);
    for (const clock of [performance, Date]) {
      const now = clock.now.bind(clock);
      const begun = now();
      jest.spyOn(clock, 'now').mockImplementation(() => begun + FACTOR * (now() - begun));
    }
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
}
