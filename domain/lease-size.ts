/*
 * The number of requests that a gateway leases at a time. Large leases save work of the store, but requests that one
 * gateway holds unused are lost to the others. So the size follows the demand. It shrinks towards the end of the limit,
 * where requests are leased one by one.
 */

/** The largest lease, as a part of the remaining limit. */
const LARGEST_PART = 1 / 20;
/** A lease that is spent sooner was too small, in milliseconds. */
const SPENT_SOON_MS = 500;
/** A lease that lasts longer was too large, in milliseconds. */
const SPENT_LATE_MS = 2000;

export interface LeaseHistory {
  /** The size of the previous lease; 0 before the first. */
  size: number;
  /** The duration of the previous lease. */
  lastedMs: number;
  /** The remaining limit, as far as known. */
  remaining: number;
}

/** The size of the next lease: at least 1. */
export function nextLeaseSize({ size, lastedMs, remaining }: LeaseHistory): number {
  const wanted = lastedMs < SPENT_SOON_MS ? size * 2 : lastedMs > SPENT_LATE_MS ? Math.floor(size / 2) : size;
  return Math.max(1, Math.min(wanted, Math.floor(remaining * LARGEST_PART)));
}
