import { setImmediate } from 'node:timers/promises';

/** How long one piece of work goes on before others have their turn, in milliseconds. */
const TURN_MS = 10;

/** Creates a function that lets the process do its other work, if it did not for a while. */
export function createPause(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
