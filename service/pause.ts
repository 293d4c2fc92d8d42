import { setImmediate } from 'node:timers/promises';

/**
 * Creates a function that gives the process's other work a turn, if it has had none for a while.
 *
 * @param turnMs how long a piece of work may last before that, in milliseconds
 */
export function createPause(turnMs = 10): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < turnMs) return;
    await setImmediate();
    since = performance.now();
  };
}
