import type { StoredKey } from '../../store/access/api-keys.ts';
import { ApiError } from '../http/api-error.ts';

/**
 * Holds every account to a number of requests that this gateway works on at a time, long polls included; streams are
 * counted elsewhere. An account whose plan has no limit of requests has none here either.
 */
export class ConcurrencyLimiter {
  readonly #max: number;
  /** By account: how many are under way. */
  readonly #counts = new Map<number, number>();

  /** @param max the most requests of an account at a time. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Does an account's work, unless there is too much of it already.
   *
   * @throws ApiError rate_limit_exceeded, with Retry-After.
   */
  async run<T>(
    { accountId, requestsPerMinute }: Pick<StoredKey, 'accountId' | 'requestsPerMinute'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const count = this.#counts.get(accountId) ?? 0;
    if (requestsPerMinute !== null && count >= this.#max) {
      throw new ApiError(
        'rate_limit_exceeded',
        `The account has ${this.#max} requests under way already; wait for some of them to be answered.`,
        { 'Retry-After': '1' },
      );
    }
    this.#counts.set(accountId, count + 1);
    try {
      return await work();
    } finally {
      const left = (this.#counts.get(accountId) ?? 1) - 1;
      if (left > 0) this.#counts.set(accountId, left);
      else this.#counts.delete(accountId);
    }
  }
}
