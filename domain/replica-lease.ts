/*
 * The times of the protocol that lets gateways read from replicas (decision 25). A gateway asks the primary whether a
 * replica is in use, and may then read from it for a while: a lease. The relay takes a replica out of use on the primary
 * and then waits until every lease that was given before has ended. Each side measures by its own monotonic clock.
 */

/** How long a lease lasts, in milliseconds from the moment at which the gateway began to ask. */
const LEASE_MS = 1500;
/** How often gateways ask, in milliseconds: a late answer or two do not end a lease. */
export const RENEW_MS = 400;
/** By how much one clock may run faster than another. Real clocks differ by less than a thousandth. */
const DRIFT = 0.02;
const MARGIN_MS = 50;

/** The end of a lease that a gateway began to ask for at a moment of its clock. */
export function leaseEnd(askedAt: number): number {
  return askedAt + LEASE_MS;
}

/** The moment of the relay's clock at which every lease of a replica has ended that was out of use at `withdrawnAt`. */
export function leasesEndedBy(withdrawnAt: number): number {
  return withdrawnAt + LEASE_MS * (1 + DRIFT) + MARGIN_MS;
}
