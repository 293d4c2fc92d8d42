import { nextLeaseSize } from '../../domain/lease-size.ts';
import type { Clock } from '../../service/clock.ts';
import type { QuotaLease } from '../../store/access/request-quotas.ts';

export interface LeasedWindowOptions {
  /** The length of a window in milliseconds. Windows begin at its multiples since 1970. */
  lengthMs: number;
  /** Leases requests from the database. Resolves to null if the database is away. */
  lease: (request: { windowStart: number; limit: number; size: number }) => Promise<QuotaLease | null>;
  clock: Pick<Clock, 'now'>;
}

/** A gateway's counts of one window. */
interface Counts {
  /** When the window began, in milliseconds since 1970. */
  start: number;
  /** Leased requests that are not used yet. */
  held: number;
  /** The part of the limit that all gateways have used or leased, by the database's last answer. */
  used: number;
  /** Requests that were counted alone and are not reported to the database yet. */
  unreported: number;
  /** The limit that is used up in this window; null if none is known. */
  spentLimit: number | null;
  /** Requests that were given back. */
  returned: number;
}

const beginAt = (start: number): Counts => ({
  start,
  held: 0,
  used: 0,
  unreported: 0,
  spentLimit: null,
  returned: 0,
});

/**
 * This gateway's share of an account's limit in the current window. It takes small leases from the database
 * and counts them down in memory, so that most requests need no query. While the database is away, it counts
 * alone up to the limit, and reports those requests later.
 */
export class LeasedWindow {
  readonly #options: LeasedWindowOptions;
  #counts = beginAt(Number.NEGATIVE_INFINITY);
  #size = 0;
  #leasedAt = Number.NEGATIVE_INFINITY;
  #leasing: Promise<void> | undefined;

  constructor(options: LeasedWindowOptions) {
    this.#options = options;
  }

  /** Whether this window has no request left on any gateway. */
  isSpent(limit: number): boolean {
    const { held, spentLimit } = this.#current();
    return held <= 0 && spentLimit === limit;
  }

  /** Whether a request can be taken without a new lease. */
  get holds(): boolean {
    return this.#current().held > 0;
  }

  /**
   * Takes one leased request. Returns a function that gives it back to the window it was taken from. A window
   * takes back no more requests than its limit, so that free requests are bounded too (INV-15).
   */
  take(limit: number): () => void {
    const counts = this.#counts;
    counts.held -= 1;
    return () => {
      if (counts.returned >= limit) return;
      counts.returned += 1;
      counts.held += 1;
    };
  }

  /** The remaining requests of the limit, as far as this gateway knows. */
  remaining(limit: number): number {
    const { held, used } = this.#current();
    return Math.max(0, Math.min(limit, limit - used + held));
  }

  /** The time until the next window begins, in milliseconds. */
  get resetMs(): number {
    const { lengthMs, clock } = this.#options;
    return lengthMs - (clock.now() % lengthMs);
  }

  /**
   * Leases more requests. Afterwards some are held, the window is spent, or it is over.
   *
   * @throws the error of `lease`, which is a defect.
   */
  refill(limit: number): Promise<void> {
    this.#leasing ??= this.#lease(limit).finally(() => {
      this.#leasing = undefined;
    });
    return this.#leasing;
  }

  /** The counts of the current window. */
  #current(): Counts {
    const { lengthMs, clock } = this.#options;
    const now = clock.now();
    const start = now - (now % lengthMs);
    if (start !== this.#counts.start) this.#counts = beginAt(start);
    return this.#counts;
  }

  async #lease(limit: number): Promise<void> {
    const { lease, clock } = this.#options;
    const counts = this.#current();
    const lastedMs = clock.now() - this.#leasedAt;
    const size = nextLeaseSize({ size: this.#size, lastedMs, remaining: limit - counts.used });
    const reported = counts.unreported;
    const granted = await lease({ windowStart: counts.start, limit, size: size + reported });
    // If the window has ended meanwhile, its counts are no longer used. They do not apply to the next window.
    this.#size = size;
    this.#leasedAt = clock.now();
    if (granted) {
      counts.unreported -= reported;
      counts.used = granted.used;
      counts.held += Math.max(0, granted.granted - reported);
    } else {
      const counted = Math.max(0, Math.min(size, limit - counts.used));
      counts.unreported += counted;
      counts.used += counted;
      counts.held += counted;
    }
    // A request taken at a window's end is charged to the next, so some can be left although none is held.
    if (counts.held <= 0 && counts.used >= limit) counts.spentLimit = limit;
  }
}
