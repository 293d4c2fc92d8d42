import { type Clock, timeSince } from '../../service/clock.ts';
import { createLruCache } from '../../service/lru-cache.ts';

const MINUTE_MS = 60_000;
/** The most keys that are remembered. A forgotten key has a full bucket again. */
const MAX_KEYS = 10_000;

interface Bucket {
  /** The tokens at `at`; with a fraction, because they return continuously. */
  tokens: number;
  /** Milliseconds since 1970. */
  at: number;
}

/**
 * A bucket of tokens for each key. A request takes one, and as many as a bucket holds return in a minute. If the clock is
 * set back, the buckets are full again.
 */
export class TokenBuckets {
  readonly #perMinute: number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #buckets = createLruCache<number, Bucket>(MAX_KEYS);

  /** @param perMinute the tokens of a full bucket, all of which return in a minute */
  constructor(perMinute: number, clock: Pick<Clock, 'now'>) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** The time until the key has a token, in milliseconds; 0 if it has one. */
  waitMs(key: number): number {
    const missing = 1 - this.#tokensOf(key);
    return missing <= 0 ? 0 : (missing * MINUTE_MS) / this.#perMinute;
  }

  take(key: number): void {
    this.#buckets.set(key, { tokens: this.#tokensOf(key) - 1, at: this.#clock.now() });
  }

  #tokensOf(key: number): number {
    const bucket = this.#buckets.get(key);
    if (!bucket) return this.#perMinute;
    const passedMs = timeSince(this.#clock, bucket.at);
    return Math.min(this.#perMinute, bucket.tokens + (passedMs * this.#perMinute) / MINUTE_MS);
  }
}
