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
