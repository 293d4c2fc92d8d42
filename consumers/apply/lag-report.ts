import type { Backlog } from './backlog.ts';
import { heldBackSeconds, oldestWaiting, pendingRejections, submissionsWaiting } from './metrics.ts';

/**
 * Keeps the metrics of lag: how many submissions wait, up to the last stable offset and after it, where an open
 * transaction holds them back; and for how long the next submission of a partition has waited. That time is the
 * process's own: the times of records are their producers' and can be anything.
 */
export class LagReport {
  readonly #backlog: Backlog;
  /** By partition: the applied offset as a lag, and since when it has not moved although something waits. */
  readonly #since = new Map<number, { applied: number; at: number }>();

  constructor(backlog: Backlog) {
    this.#backlog = backlog;
  }

  update(): void {
    const now = performance.now();
    let oldestMs = 0;
    let heldBackMs = 0;
    let toEnd = 0;
    let toStableEnd = 0;
    for (const lag of this.#backlog.lag) {
      toEnd += lag.toEnd;
      toStableEnd += lag.toStableEnd;
      const known = this.#since.get(lag.partition);
      if (lag.toEnd === 0) this.#since.delete(lag.partition);
      else if (known?.applied !== lag.applied)
        this.#since.set(lag.partition, { applied: lag.applied, at: now });
      else {
        oldestMs = Math.max(oldestMs, now - known.at);
        if (lag.toStableEnd === 0) heldBackMs = Math.max(heldBackMs, now - known.at);
      }
    }
    submissionsWaiting.set({ state: 'readable' }, toStableEnd);
    submissionsWaiting.set({ state: 'held_back' }, toEnd - toStableEnd);
    oldestWaiting.set(oldestMs / 1000);
    heldBackSeconds.set(heldBackMs / 1000);
  }
}

/** Forgets the lag when this process no longer leads, because its last values would stand for ever. */
export function clearLag(): void {
  submissionsWaiting.reset();
  oldestWaiting.set(0);
  heldBackSeconds.set(0);
  pendingRejections.set(0);
}
