import { onAbort } from './on-abort.ts';

/** The longest time of a timer, in milliseconds. A timer for a longer time overflows and fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Resolves after a time in milliseconds.
 *
 * @throws the signal's reason, as soon as it aborts
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      leave?.();
    };
    const abort = () => {
      end();
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        end();
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    const leave = signal && onAbort(signal, abort);
  });
}
