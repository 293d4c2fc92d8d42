import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until `probe` gives something other than null, and gives that. A probe that throws
 * counts as "not yet"; what it threw last becomes the cause of the failure.
 *
 * @param what what is awaited, for the message
 * @param options.timeoutMs how long to ask
 * @param options.until settles when there is no more point in asking, such as a process's end
 * @throws Error when the time is up, or `until` settled
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
  const deadline = Date.now() + options.timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const found = await probe();
      if (found !== null) return found;
    } catch (error) {
      cause = error;
    }
    if (over !== null) throw new Error(`${what} ended before it was ready (${over})`, { cause });
    if (Date.now() > deadline)
      throw new Error(`${what} was not ready after ${options.timeoutMs} ms`, { cause });
    await sleep(options.everyMs ?? 50);
  }
}
