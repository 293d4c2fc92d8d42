import { randomUUID } from 'node:crypto';
import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import type { StoredKey } from '../../store/access/api-keys.ts';
import {
  acquireStreamLease,
  releaseStreamLeases,
  renewStreamLeases,
  restoreStreamLeases,
} from '../../store/access/stream-leases.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { ApiError } from '../http/api-error.ts';

/** How long the streams of a gateway that was killed go on counting, in milliseconds. */
const EXPIRY_MS = 30_000;
/** How often leases are renewed, in milliseconds: one may fail, and they are still there. */
const RENEW_MS = 10_000;
/** When a client that has all its streams open should look again, in seconds. */
const RETRY_AFTER_SECONDS = 10;

export interface StreamLeasesOptions {
  pool: DatabasePool;
  clock: Clock;
  log: Logger;
  expiryMs?: number;
  renewMs?: number;
}

/**
 * Holds every account to the open streams that its plan allows, exactly, over all gateways together. Each stream has a
 * lease in Postgres, which this gateway renews with all its others, and gives back when the connection has closed.
 *
 * While Postgres is away, open streams go on, and new ones are held to the limit by those that this gateway has; their
 * leases are put there when it is back.
 */
export class StreamLeases {
  readonly #options: Required<StreamLeasesOptions>;
  readonly #gatewayId = randomUUID();
  /** The account of every lease that is held, by the lease's id. */
  readonly #held = new Map<string, number>();
  /** What is to be given back. */
  #released: string[] = [];
  #releasing: Promise<void> | undefined;
  #renewing: Stoppable | undefined;

  constructor(options: StreamLeasesOptions) {
    this.#options = { expiryMs: EXPIRY_MS, renewMs: RENEW_MS, ...options };
  }

  start(): void {
    const { renewMs, clock } = this.#options;
    this.#renewing = repeat(renewMs, clock, () => this.#renew());
  }

  /** Gives back what is left. */
  async stop(): Promise<void> {
    await this.#renewing?.stop();
    for (const id of this.#held.keys()) this.#release(id);
    await this.#releasing;
  }

  /**
   * Takes one of the account's places, until `closed` is given.
   *
   * @throws ApiError too_many_streams where there is none.
   */
  async acquire(
    { accountId, maxStreams }: Pick<StoredKey, 'accountId' | 'maxStreams'>,
    closed: AbortSignal,
  ): Promise<void> {
    if (maxStreams === null) return;
    const id = randomUUID();
    if (!(await this.#tryAcquire(id, accountId, maxStreams))) throw refuse(maxStreams);
    this.#held.set(id, accountId);
    closed.addEventListener('abort', () => this.#release(id), { once: true });
    if (closed.aborted) this.#release(id);
  }

  async #tryAcquire(id: string, accountId: number, max: number): Promise<boolean> {
    const { pool, log, expiryMs } = this.#options;
    const lease = { id, accountId, gatewayId: this.#gatewayId, expiryMs };
    try {
      return await acquireStreamLease(pool, lease, max);
    } catch (error) {
      log.warn({ error }, 'open streams cannot be counted; counting alone');
      return [...this.#held.values()].filter((account) => account === accountId).length < max;
    }
  }

  #release(id: string): void {
    if (!this.#held.delete(id)) return;
    this.#released.push(id);
    this.#releasing ??= this.#giveBack().finally(() => {
      this.#releasing = undefined;
    });
  }

  /** Many streams can end at once; what ends while some are given back is given back together. */
  async #giveBack(): Promise<void> {
    const { pool, log } = this.#options;
    while (this.#released.length > 0) {
      const ids = this.#released;
      this.#released = [];
      await releaseStreamLeases(pool, ids).catch((error: unknown) => {
        // Nobody renews them, so they expire.
        log.warn({ error }, 'leases of closed streams could not be given back');
      });
    }
  }

  async #renew(): Promise<void> {
    const { pool, log, expiryMs } = this.#options;
    const held = [...this.#held].map(([id, accountId]) => ({ id, accountId }));
    if (held.length === 0) return;
    const gatewayId = this.#gatewayId;
    try {
      const renewed = await renewStreamLeases(pool, { gatewayId, ids: held.map(({ id }) => id), expiryMs });
      const lost = held.filter(({ id }) => !renewed.has(id) && this.#held.has(id));
      if (lost.length === 0) return;
      await restoreStreamLeases(pool, lost, { gatewayId, expiryMs });
      // A stream that closed meanwhile had no lease to give back yet.
      const closed = lost.filter(({ id }) => !this.#held.has(id)).map(({ id }) => id);
      if (closed.length > 0) await releaseStreamLeases(pool, closed);
    } catch (error) {
      log.warn({ error }, 'leases of open streams could not be renewed');
    }
  }
}

function refuse(max: number): ApiError {
  const streams = max === 1 ? 'one open stream' : `${max} open streams`;
  return new ApiError(
    'too_many_streams',
    `The account's plan allows ${streams}; close one, or ask again later.`,
    { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  );
}
