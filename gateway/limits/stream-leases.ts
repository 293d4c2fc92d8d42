import { randomUUID } from 'node:crypto';
import { createAttempt } from '../../service/attempt.ts';
import type { Clock } from '../../service/clock.ts';
import { classifyFailure } from '../../service/failure.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { reportFailure } from '../../service/report-failure.ts';
import type { StoredKey } from '../../store/access/api-keys.ts';
import {
  acquireStreamLease,
  findLimitedAccounts,
  findSurplusLeases,
  releaseStreamLeases,
  renewStreamLeases,
  restoreStreamLeases,
} from '../../store/access/stream-leases.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { ApiError } from '../http/api-error.ts';
import { createLeaseId } from './lease-id.ts';
import { RefusalBackoff } from './refusal-backoff.ts';

/** How long the streams of a killed gateway still count, in milliseconds. */
const EXPIRY_MS = 30_000;
/** How often leases are renewed, in milliseconds. Leases survive one failed renewal. */
const RENEW_MS = 10_000;

/** The most accounts without a limit whose streams are counted, those with the most streams. */
const MAX_COUNTED = 100;

export interface StreamLeasesOptions {
  pool: DatabasePool;
  clock: Clock;
  log: Logger;
  expiryMs?: number;
  renewMs?: number;
}

/**
 * Limits the open streams of an account exactly to its plan, over all gateways together. Each stream has a
 * lease in the database. This gateway renews all of its leases at once, and releases one when its connection
 * closes.
 *
 * While the database is away, open streams continue, and new streams are limited by the streams of this
 * gateway alone. Their leases are written when the database is back.
 */
export class StreamLeases {
  readonly #options: Required<StreamLeasesOptions>;
  readonly #gatewayId = randomUUID();
  /** The accounts of the held leases, by lease id. */
  readonly #held = new Map<string, number>();
  /** The accounts of streams without a lease, because their plan has no limit, by the id that a lease would have. */
  readonly #unlimited = new Map<string, number>();
  /** The ids of leases that must still be released in the database. */
  #released: string[] = [];
  #releasing: Promise<void> | undefined;
  #renewing: Stoppable | undefined;
  readonly #backoff: RefusalBackoff;

  constructor(options: StreamLeasesOptions) {
    this.#options = { expiryMs: EXPIRY_MS, renewMs: RENEW_MS, ...options };
    this.#backoff = new RefusalBackoff({ clock: options.clock, random: Math.random });
  }

  /** The open streams of this gateway by account, of accounts whose plan has no limit. */
  countUnlimited(): Record<number, number> {
    const counts = Map.groupBy(this.#unlimited.values(), (accountId) => accountId);
    const listed = [...counts].map(([accountId, { length }]) => [accountId, length] as const);
    return Object.fromEntries(listed.sort(([, a], [, b]) => b - a).slice(0, MAX_COUNTED));
  }

  start(): void {
    const { renewMs, clock, log } = this.#options;
    const attempt = createAttempt(log, 'limits');
    const message = 'leases of open streams cannot be renewed; trying again';
    this.#renewing = repeat(renewMs, clock, () => attempt(message, () => this.#renew()));
  }

  /** Releases all leases. */
  async stop(): Promise<void> {
    await this.#renewing?.stop();
    for (const id of this.#held.keys()) this.release(id);
    await this.#releasing;
  }

  /**
   * Takes a lease for a stream until its connection closes.
   *
   * @param onClose calls a function when the connection closes; immediately if it is closed
   * @returns the id of the lease
   * @throws ApiError too_many_streams if the account is at its limit, with a longer wait each time, and defects.
   */
  async acquire(
    { accountId, maxStreams }: Pick<StoredKey, 'accountId' | 'maxStreams'>,
    onClose: (release: () => void) => void,
  ): Promise<string> {
    const id = createLeaseId(this.#options.clock.now());
    if (maxStreams !== null) {
      if (!(await this.#tryAcquire(id, accountId, maxStreams))) {
        throw refuse(maxStreams, this.#backoff.refuse(accountId));
      }
      this.#backoff.admit(accountId);
    }
    (maxStreams === null ? this.#unlimited : this.#held).set(id, accountId);
    onClose(() => this.release(id));
    return id;
  }

  /**
   * Takes the lease of an open stream again, after it was released.
   *
   * @returns false if the account is at its limit. A defect is reported, and the stream keeps its place
   */
  async reclaim(
    id: string,
    { accountId, maxStreams }: Pick<StoredKey, 'accountId' | 'maxStreams'>,
  ): Promise<boolean> {
    try {
      if (maxStreams !== null && !(await this.#tryAcquire(id, accountId, maxStreams))) return false;
    } catch (error) {
      const message = 'the lease of an open stream cannot be taken again';
      reportFailure(this.#options.log, error, { where: 'limits', message });
    }
    (maxStreams === null ? this.#unlimited : this.#held).set(id, accountId);
    return true;
  }

  /**
   * Finds the leases of this gateway that are beyond the limits of their accounts: a plan was lowered, or streams
   * began while the database was away. Of an account's streams on all gateways, the newest stay (INV-15).
   *
   * @throws the database's error
   */
  async findSurplus(): Promise<ReadonlySet<string>> {
    const { pool } = this.#options;
    const limited = await findLimitedAccounts(pool, [...new Set(this.#unlimited.values())]);
    const uncounted = [...this.#unlimited].filter(([, accountId]) => limited.has(accountId));
    for (const [id, accountId] of uncounted) {
      this.#unlimited.delete(id);
      this.#held.set(id, accountId);
    }
    await this.#restore(uncounted.map(([id, accountId]) => ({ id, accountId })));
    const accountIds = [...new Set(this.#held.values())];
    return findSurplusLeases(pool, { gatewayId: this.#gatewayId, accountIds });
  }

  /** Writes leases of open streams that the database lacks. */
  async #restore(leases: readonly { id: string; accountId: number }[]): Promise<void> {
    if (leases.length === 0) return;
    const { pool, expiryMs } = this.#options;
    await restoreStreamLeases(pool, leases, { gatewayId: this.#gatewayId, expiryMs });
    // A stream that closed meanwhile had no lease to release at that time.
    const closed = leases.filter(({ id }) => !this.#held.has(id)).map(({ id }) => id);
    if (closed.length > 0) await releaseStreamLeases(pool, closed);
  }

  async #tryAcquire(id: string, accountId: number, max: number): Promise<boolean> {
    const { pool, log, expiryMs } = this.#options;
    const lease = { id, accountId, gatewayId: this.#gatewayId, expiryMs };
    try {
      return await acquireStreamLease(pool, lease, max);
    } catch (error) {
      if (classifyFailure(error) === 'defect') throw error;
      log.warn({ error }, 'open streams cannot be counted; counting alone');
      return [...this.#held.values()].filter((account) => account === accountId).length < max;
    }
  }

  /** Releases a lease before its connection closes. Resolves when other gateways know. */
  release(id: string): Promise<void> {
    this.#unlimited.delete(id);
    if (this.#held.delete(id)) this.#released.push(id);
    if (this.#released.length > 0) {
      this.#releasing ??= this.#sendReleases().finally(() => {
        this.#releasing = undefined;
      });
    }
    return this.#releasing ?? Promise.resolve();
  }

  /** Leases of streams that end during one query are released together by the next. */
  async #sendReleases(): Promise<void> {
    const { pool, log } = this.#options;
    while (this.#released.length > 0) {
      const ids = this.#released;
      this.#released = [];
      await releaseStreamLeases(pool, ids).catch((error: unknown) => {
        // The leases are not renewed, so they expire.
        const message = 'leases of closed streams cannot be released; they will expire';
        reportFailure(log, error, { where: 'limits', message });
      });
    }
  }

  async #renew(): Promise<void> {
    const { pool, expiryMs } = this.#options;
    const held = [...this.#held].map(([id, accountId]) => ({ id, accountId }));
    if (held.length === 0) return;
    const gatewayId = this.#gatewayId;
    const renewed = await renewStreamLeases(pool, { gatewayId, ids: held.map(({ id }) => id), expiryMs });
    await this.#restore(held.filter(({ id }) => !renewed.has(id) && this.#held.has(id)));
  }
}

function refuse(max: number, retryAfterSeconds: number): ApiError {
  const streams = max === 1 ? 'one open stream' : `${max} open streams`;
  return new ApiError(
    'too_many_streams',
    `The account's plan allows ${streams}; close one, or ask again later.`,
    { 'Retry-After': String(retryAfterSeconds) },
  );
}
