import { nextLeaseSize } from '../../domain/lease-size.ts';
import type { Clock } from '../../service/clock.ts';
import type { QuotaLease } from '../../store/access/request-quotas.ts';

export interface LeasedWindowOptions {
  /** The length of a window in milliseconds. Windows begin at its multiples since 1970, as minutes and UTC days do. */
  lengthMs: number;
  /** Leases requests from the database. Resolves to null if it does not answer. */
  lease: (request: { windowStart: number; limit: number; size: number }) => Promise<QuotaLease | null>;
  clock: Clock;
}

/**
 * This gateway's share of an account's limit in the current window. It takes small leases from the database and counts
 * them down in memory, so that most requests need no query. While the database does not answer, it counts alone up to
 * the limit and reports those requests afterwards.
 */
export class LeasedWindow {
  readonly #options: LeasedWindowOptions;
  #start = Number.NEGATIVE_INFINITY;
  /** Leased requests that are not used yet. */
  #held = 0;
  /** The part of the limit that all gateways have used or leased, as last reported by the database. */
  #used = 0;
  /** Requests that were counted alone and not yet reported to the database. */
  #unreported = 0;
  /** The limit that is known to be used up in this window, or null. */
  #spentLimit: number | null = null;
  #size = 0;
  #leasedAt = Number.NEGATIVE_INFINITY;
  #leasing: Promise<void> | undefined;

  constructor(options: LeasedWindowOptions) {
    this.#options = options;
  }

  /** Whether no gateway has a request left in this window. */
  isSpent(limit: number): boolean {
    this.#roll();
    return this.#held <= 0 && this.#spentLimit === limit;
  }

  /** Whether a request can be taken without a new lease. */
  get holds(): boolean {
    this.#roll();
    return this.#held > 0;
  }

  /** Takes one leased request. */
  take(): void {
    this.#held -= 1;
  }

  /** The requests that are left of the limit, as far as this gateway knows. */
  remaining(limit: number): number {
    this.#roll();
    return Math.max(0, Math.min(limit, limit - this.#used + this.#held));
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

  #roll(): void {
    const { lengthMs, clock } = this.#options;
    const now = clock.now();
    const start = now - (now % lengthMs);
    if (start === this.#start) return;
    this.#start = start;
    this.#held = 0;
    this.#used = 0;
    this.#unreported = 0;
    this.#spentLimit = null;
  }

  async #lease(limit: number): Promise<void> {
    this.#roll();
    const { lease, clock } = this.#options;
    const windowStart = this.#start;
    const lastedMs = clock.now() - this.#leasedAt;
    const size = nextLeaseSize({ size: this.#size, lastedMs, remaining: limit - this.#used });
    const reported = this.#unreported;
    const granted = await lease({ windowStart, limit, size: size + reported });
    // If the window has ended meanwhile, its lease is void.
    if (windowStart !== this.#start) return;
    this.#size = size;
    this.#leasedAt = clock.now();
    if (granted) {
      this.#unreported -= reported;
      this.#used = granted.used;
      this.#held += Math.max(0, granted.granted - reported);
    } else {
      const counted = Math.max(0, Math.min(size, limit - this.#used));
      this.#unreported += counted;
      this.#used += counted;
      this.#held += counted;
    }
    // A request taken just as its window ended is charged to the next one, so holding none does not mean that none are left.
    if (this.#held <= 0 && this.#used >= limit) this.#spentLimit = limit;
  }
}
