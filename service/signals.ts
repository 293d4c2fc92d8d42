/**
 * The time within which repeated signals count as one, in milliseconds. One signal can arrive several times:
 * a terminal or a service manager sends it to every process of the group, and npm or the parent process also
 * passes it on.
 */
const SAME_SIGNAL_MS = 1000;

/** Calls `first` for the first of these signals, and `again` for each new one after it. */
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
