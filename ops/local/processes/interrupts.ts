import os from 'node:os';

/**
 * One Ctrl-C can arrive several times: the terminal sends it to every process of the group, and npm and bootstrap.mjs
 * pass theirs on. Signals within this time belong to the same press.
 */
const SAME_PRESS_MS = 1000;

/**
 * Turns SIGINT, SIGTERM and SIGHUP into an abort. A second press ends this process at once.
 *
 * @param onSecond ends the children without waiting, before this process exits
 */
export function listenForInterrupts(onSecond: () => void): AbortSignal {
  const controller = new AbortController();
  let firstAt: number | null = null;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const now = performance.now();
      if (firstAt === null) {
        firstAt = now;
        controller.abort(signal);
      } else if (now - firstAt > SAME_PRESS_MS) {
        onSecond();
        process.exit(128 + os.constants.signals[signal]);
      }
    });
  }
  return controller.signal;
}

/**
 * The promise's own result, or a rejection with the signal's reason as soon as it aborts. The work itself goes on; its
 * result and its later failures are ignored.
 */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason);
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
