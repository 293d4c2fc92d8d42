import { nextLeaseSize } from '../../domain/lease-size.ts';
import type { Clock } from '../../service/clock.ts';
import type { QuotaLease } from '../../store/access/request-quotas.ts';

export interface LeasedWindowOptions {
  /** How long a window lasts, in milliseconds. Windows begin at multiples of it since 1970: minutes, and days in UTC. */
  lengthMs: number;
  /** Asks the store for requests; rejects where it does not answer. */
  lease: (request: { windowStart: number; limit: number; size: number }) => Promise<QuotaLease>;
  clock: Clock;
}

/**
 * What this gateway holds of an account's limit in the current window. It takes small leases from the store and counts
 * them down by itself, so that most requests ask nobody. While the store does not answer it goes on counting by itself,
 * up to the limit, and tells the store afterwards.
 */
export class LeasedWindow {
  readonly #options: LeasedWindowOptions;
  #start = Number.NEGATIVE_INFINITY;
  /** Requests that were taken from the store and not answered yet. */
  #held = 0;
  /** How much of the limit is used, by all gateways, as was last heard; with what this one holds. */
  #used = 0;
  /** Requests that were answered without asking the store. */
  #untold = 0;
  /** The limit that is known to be used up. */
  #spentLimit: number | null = null;
  #size = 0;
  #leasedAt = Number.NEGATIVE_INFINITY;
  #leasing: Promise<void> | undefined;

  constructor(options: LeasedWindowOptions) {
    this.#options = options;
  }

  /** Whether nothing is left in this window, on any gateway's account. */
  isSpent(limit: number): boolean {
    this.#roll();
    return this.#held <= 0 && this.#spentLimit === limit;
  }

  /** Whether a request can be taken without asking the store. */
  get holds(): boolean {
    this.#roll();
    return this.#held > 0;
  }

  /** Takes one of the requests that it holds. */
  take(): void {
    this.#held -= 1;
  }

  /** How many requests are left of the limit, as far as this gateway knows. */
  remaining(limit: number): number {
    this.#roll();
    return Math.max(0, Math.min(limit, limit - this.#used + this.#held));
  }

  /** How long until the next window begins, in milliseconds. */
  get resetMs(): number {
    const { lengthMs, clock } = this.#options;
    return lengthMs - (clock.now() % lengthMs);
  }

  /** Gets hold of more requests; afterwards there are some, or the window is spent, or it is over. */
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
    this.#untold = 0;
    this.#spentLimit = null;
  }

  async #lease(limit: number): Promise<void> {
    this.#roll();
    const { lease, clock } = this.#options;
    const windowStart = this.#start;
    const lastedMs = clock.now() - this.#leasedAt;
    const size = nextLeaseSize({ size: this.#size, lastedMs, remaining: limit - this.#used });
    const told = this.#untold;
    const got = await lease({ windowStart, limit, size: size + told }).catch(() => null);
    // Where the window ended meanwhile, what was leased in it is void.
    if (windowStart !== this.#start) return;
    this.#size = size;
    this.#leasedAt = clock.now();
    if (got) {
      this.#untold -= told;
      this.#used = got.used;
      this.#held += Math.max(0, got.granted - told);
    } else {
      const counted = Math.max(0, Math.min(size, limit - this.#used));
      this.#untold += counted;
      this.#used += counted;
      this.#held += counted;
    }
    // A request that was taken as its window ended is owed by the next, so that little held is not yet nothing left.
    if (this.#held <= 0 && this.#used >= limit) this.#spentLimit = limit;
  }
}
