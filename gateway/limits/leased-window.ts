import { nextLeaseSize } from '../../domain/lease-size.ts';
import type { Clock } from '../../service/clock.ts';
import type { QuotaLease } from '../../store/access/request-quotas.ts';

export interface LeasedWindowOptions {
  /** The length of a window in milliseconds. Windows begin at its multiples since 1970, as minutes and UTC days do. */
  lengthMs: number;
  /** Leases requests from the database. Resolves to null if it does not answer. */
  lease: (request: { windowStart: number; limit: number; size: number }) => Promise<QuotaLease | null>;
  clock: Pick<Clock, 'now'>;
}

/** A gateway's counts of one window. */
interface Counts {
  /** When the window began, in milliseconds since 1970. */
  start: number;
  /** Leased requests that are not used yet. */
  held: number;
  /** The part of the limit that all gateways have used or leased, as last reported by the database. */
  used: number;
  /** Requests that were counted alone and not yet reported to the database. */
  unreported: number;
  /** The limit that is known to be used up in this window, or null. */
  spentLimit: number | null;
}

const beginAt = (start: number): Counts => ({ start, held: 0, used: 0, unreported: 0, spentLimit: null });

/**
 * This gateway's share of an account's limit in the current window. It takes small leases from the database and counts
 * them down in memory, so that most requests need no query. While the database does not answer, it counts alone up to
 * the limit and reports those requests afterwards.
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

  /** Whether no gateway has a request left in this window. */
  isSpent(limit: number): boolean {
    const { held, spentLimit } = this.#current();
    return held <= 0 && spentLimit === limit;
  }

  /** Whether a request can be taken without a new lease. */
  get holds(): boolean {
    return this.#current().held > 0;
  }

  /** Takes one leased request. */
  take(): void {
    this.#counts.held -= 1;
  }

  /** The requests that are left of the limit, as far as this gateway knows. */
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

  /** The counts of the window that lasts now. */
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
    // If the window has ended meanwhile, nobody reads its counts any more: they say nothing about the next one.
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
    // A request taken just as its window ended is charged to the next one, so holding none does not mean that none are left.
    if (counts.held <= 0 && counts.used >= limit) counts.spentLimit = limit;
  }
}
