import type { Backlog } from './backlog.ts';
import { heldBackSeconds, oldestWaiting, pendingRejections, submissionsWaiting } from './metrics.ts';

/**
 * Keeps the metrics of lag. Counts waiting submissions up to the last stable offset, and those after it,
 * which an open transaction holds back. Measures how long the next submission of a partition has waited, on
 * this process's clock, because producers' times can be wrong.
 */
export class LagReport {
  readonly #backlog: Backlog;
  /** By partition: the applied offset, and since when it has not moved although submissions wait. */
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

/** Resets the lag when this process no longer leads; otherwise its last values would stay for ever. */
export function clearLag(): void {
  submissionsWaiting.reset();
  oldestWaiting.set(0);
  heldBackSeconds.set(0);
  pendingRejections.set(0);
}
