import type { StoredKey } from '../../store/access/api-keys.ts';
import { ApiError } from '../http/api-error.ts';

/**
 * Limits how many requests of an account this gateway handles at a time, long polls included. Streams have
 * their own limit. An account without a request limit in its plan has none here either.
 */
export class ConcurrencyLimiter {
  readonly #max: number;
  /** The requests under way, by account. */
  readonly #counts = new Map<number, number>();

  /** @param max the most requests of one account at a time. */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Runs the work of a request within the account's limit.
   *
   * @throws ApiError rate_limit_exceeded, with Retry-After, if the account is at its limit.
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
