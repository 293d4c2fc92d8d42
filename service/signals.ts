/**
 * One signal can arrive several times: a terminal or a service manager sends it to every process of the group, and npm, or
 * the process that started this one, passes its own on. Signals within this time are one; in milliseconds.
 */
const SAME_SIGNAL_MS = 1000;

/** Calls `first` for the first of these signals, and `again` for each that is sent anew after it. */
export function listenForSignals(
  signals: readonly NodeJS.Signals[],
  first: (signal: NodeJS.Signals) => void,
  again: (signal: NodeJS.Signals) => void,
): void {
  let firstAt: number | null = null;
  for (const signal of signals) {
    process.on(signal, () => {
      const now = performance.now();
      if (firstAt === null) {
        firstAt = now;
        first(signal);
      } else if (now - firstAt > SAME_SIGNAL_MS) {
        again(signal);
      }
    });
  }
}
