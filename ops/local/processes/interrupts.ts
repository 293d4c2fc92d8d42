import os from 'node:os';
import { listenForSignals } from '../../../service/signals.ts';

/**
 * Turns SIGINT, SIGTERM and SIGHUP into an abort. A second signal ends this process at once.
 *
 * @param onSecond ends the children without waiting, before this process exits
 */
export function listenForInterrupts(onSecond: () => void): AbortSignal {
  const controller = new AbortController();
  listenForSignals(
    ['SIGINT', 'SIGTERM', 'SIGHUP'],
    (signal) => controller.abort(signal),
    (signal) => {
      onSecond();
      process.exit(128 + os.constants.signals[signal]);
    },
  );
  return controller.signal;
}

/**
 * The promise's own result, or a rejection with the signal's reason as soon as it aborts. The work itself continues;
 * its result and its later failures are ignored.
 */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason);
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
