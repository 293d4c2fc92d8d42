import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds, looking often.
 *
 * @throws Error naming what was waited for, when it has not come about in time.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 25_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for: ${what}.`);
    await sleep(25);
  }
}
