import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds.
 *
 * @throws Error with `what` if it does not hold in time
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for: ${what}.`);
    await sleep(25);
  }
}
