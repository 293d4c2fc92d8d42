import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `probe` until it returns a value other than null, and returns that. An error of the probe counts as
 * "not yet"; the last error becomes the cause of the failure.
 *
 * @param what the name of the awaited thing, for the message
 * @param options.timeoutMs the time limit
 * @param options.until resolves, with the reason, when trying has become pointless, for instance because a
 * process has ended
 * @throws Error if the time is up, or if `until` has resolved
 */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T | null>,
  options: { timeoutMs: number; everyMs?: number; until?: Promise<string> },
): Promise<T> {
  let over: string | null = null;
  options.until?.then((reason) => {
    over = reason;
  });
  const deadline = performance.now() + options.timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const found = await probe();
      if (found !== null) return found;
    } catch (error) {
      cause = error;
    }
    if (over !== null) throw new Error(`${what} ended before it was ready (${over})`, { cause });
    if (performance.now() > deadline)
      throw new Error(`${what} was not ready after ${options.timeoutMs} ms`, { cause });
    await sleep(options.everyMs ?? 50);
  }
}
