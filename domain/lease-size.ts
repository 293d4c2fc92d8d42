/*
 * How many requests of a limit a gateway takes at a time. Much at once is little work for the store; but what one
 * gateway holds and does not use, no other can answer. So a lease follows the demand, and shrinks towards the end of
 * the limit, where the last requests are taken one by one.
 */

/** A lease is at most this part of what is left. */
const LARGEST_PART = 1 / 20;
/** A lease that was spent sooner was too small, in milliseconds. */
const SPENT_SOON_MS = 500;
/** A lease that lasted longer was too large. */
const SPENT_LATE_MS = 2000;

export interface LeaseHistory {
  /** The size of the lease before; 0 where there was none. */
  size: number;
  /** How long it lasted, in milliseconds. */
  lastedMs: number;
  /** What is left of the limit, as far as is known. */
  remaining: number;
}

/** The size of the next lease: at least 1. */
export function nextLeaseSize({ size, lastedMs, remaining }: LeaseHistory): number {
  const wanted = lastedMs < SPENT_SOON_MS ? size * 2 : lastedMs > SPENT_LATE_MS ? Math.floor(size / 2) : size;
  return Math.max(1, Math.min(wanted, Math.floor(remaining * LARGEST_PART)));
}
