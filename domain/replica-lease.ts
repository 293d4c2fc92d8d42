/*
 * The times of the protocol by which gateways read from replicas (decision 25). A gateway asks the primary whether a
 * replica is in use, and may then read from it for a while: a lease. The relay takes a replica out of use on the primary
 * and then waits until every earlier lease has ended. Each side measures time with its own monotonic clock.
 */

/** The duration of a lease, in milliseconds since the gateway began to ask. */
const LEASE_MS = 1500;
/** How often gateways ask, in milliseconds: one or two late answers do not end a lease. */
export const RENEW_MS = 400;
/** How much faster one clock may run than another. Real clocks differ by less than a thousandth. */
const DRIFT = 0.02;
const MARGIN_MS = 50;

/** The end of a lease, if the gateway began to ask at `askedAt` by its clock. */
export function leaseEnd(askedAt: number): number {
  return askedAt + LEASE_MS;
}

/** The time by the relay's clock when every lease of a replica has ended. It was out of use at `withdrawnAt`. */
export function leasesEndedBy(withdrawnAt: number): number {
  return withdrawnAt + LEASE_MS * (1 + DRIFT) + MARGIN_MS;
}
