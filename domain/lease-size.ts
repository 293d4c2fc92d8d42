/*
 * The number of requests that a gateway leases at a time. Large leases are less work for the store, but requests that one
 * gateway holds unused are lost to the others. So the size follows the demand, and shrinks towards the end of the limit,
 * where requests are leased one by one.
 */

/** The largest lease, as a part of what is left. */
const LARGEST_PART = 1 / 20;
/** A lease that is spent sooner was too small, in milliseconds. */
const SPENT_SOON_MS = 500;
/** A lease that lasts longer was too large, in milliseconds. */
const SPENT_LATE_MS = 2000;

export interface LeaseHistory {
  /** The size of the previous lease; 0 if there was none. */
  size: number;
  /** How long the previous lease lasted. */
  lastedMs: number;
  /** The rest of the limit, as far as is known. */
  remaining: number;
}

/** The size of the next lease: at least 1. */
export function nextLeaseSize({ size, lastedMs, remaining }: LeaseHistory): number {
  const wanted = lastedMs < SPENT_SOON_MS ? size * 2 : lastedMs > SPENT_LATE_MS ? Math.floor(size / 2) : size;
  return Math.max(1, Math.min(wanted, Math.floor(remaining * LARGEST_PART)));
}
