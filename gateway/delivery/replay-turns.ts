import { FairQueue } from '../limits/fair-queue.ts';

/**
 * The turns of streams that read older changes. Each holds some megabytes until its client has taken them, so few have a
 * turn at a time (INV-15). The others hold nothing, and wait until they end.
 */
export const replays = new FairQueue({
  atOnce: 16,
  atOnceOfAccount: 12,
  reserved: 4,
  waiting: Number.POSITIVE_INFINITY,
  waitingOfAccount: Number.POSITIVE_INFINITY,
  waitingMs: 2 ** 31 - 1,
});
