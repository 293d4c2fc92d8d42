/*
 * Pages are rendered in turns of a few milliseconds, so that one with thousands of parts does not hold up the streams and
 * requests of others (INV-15).
 */

/** How long a turn lasts, in milliseconds. */
const TURN_MS = 10;

let begunAt = 0;
/** Parts of pages that wait for a turn, each of its own: one that is rendered can take long. */
const waiting: (() => void)[] = [];

/** Notes that the process has just had other work. */
export function beginTurn(): void {
  begunAt = performance.now();
}

/** Whether the process's other work should have its turn before more is rendered. */
export const isTurnOver = (): boolean => performance.now() - begunAt >= TURN_MS;

/** Resolves when the process's other work, and the parts that wait already, have had their turns. */
export function awaitTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (waiting.length === 1) setImmediate(wakeNext);
  return promise;
}

function wakeNext(): void {
  beginTurn();
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(wakeNext);
}
