import { filterKey, type StreamFilter } from '../../domain/stream-filter.ts';
import { type Attempt, createAttempt } from '../../service/attempt.ts';
import type { Clock } from '../../service/clock.ts';
import { Coalescer } from '../../service/coalescer.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { findKeyStates } from '../../store/access/api-keys.ts';
import { findSessionStates } from '../../store/access/console-sessions.ts';
import { loadSubscriptionFilters, type StoredSubscription } from '../../store/access/subscriptions.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { requireUsableKey } from '../auth/authentication.ts';
import type { KeyUsage } from '../auth/key-usage.ts';
import { requireSameAccount } from '../auth/sessions.ts';
import { ApiError } from '../http/api-error.ts';
import type { Credential } from '../http/caller.ts';
import type { StreamLeases } from '../limits/stream-leases.ts';

/** How often the credentials and subscriptions of readers are checked, in milliseconds. */
const WATCH_INTERVAL_MS = 2000;

/** A reader that follows the stream after its request was admitted: an open stream or a long poll. */
export interface WatchedReader {
  credential: Credential;
  /** The subscription that its filter comes from, or null. The watch keeps its filter up to date. */
  subscription: Pick<StoredSubscription, 'id' | 'filter'> | null;
  /** The lease of its place among the account's open streams; null for a reader that needs none. */
  lease: string | null;
  /** Ends the reader. A new request with its credential would get this error. */
  refuse(error: ApiError): void;
  /** Ends the reader, because its subscription was deleted. */
  loseSubscription?(): void;
  /** Ends the reader, because the account has more open streams than its plan allows. */
  loseLease?(): void;
  changeFilter?(filter: StreamFilter): void;
}

export interface AccessWatchOptions {
  pool: DatabasePool;
  /** Told the keys of readers: a stream of an hour is one request, and uses its key to the end. */
  keyUsage: Pick<KeyUsage, 'note'>;
  streamLeases: Pick<StreamLeases, 'findSurplus'>;
  clock: Clock;
  log: Logger;
}

/**
 * Checks whether readers may still follow the stream. A few queries check the credentials, subscriptions and leases
 * of all readers of a gateway at once. While the database is away, the readers continue.
 */
export class AccessWatch {
  readonly #readers = new Set<WatchedReader>();
  readonly #pool: DatabasePool;
  readonly #keyUsage: AccessWatchOptions['keyUsage'];
  readonly #streamLeases: AccessWatchOptions['streamLeases'];
  readonly #clock: Clock;
  readonly #attempt: Attempt;
  readonly #attemptLeases: Attempt;
  #watching: Stoppable | undefined;
  /** Whether the last check failed. */
  #isFailing = false;
  /** The readers that asked for a check that has not begun yet. */
  #asking: WatchedReader[] = [];
  /** Runs one check at a time: a change ends thousands of waits at once. */
  readonly #checks = new Coalescer(() => this.#checkAsking());

  constructor({ pool, keyUsage, streamLeases, clock, log }: AccessWatchOptions) {
    this.#pool = pool;
    this.#keyUsage = keyUsage;
    this.#streamLeases = streamLeases;
    this.#clock = clock;
    this.#attempt = createAttempt(log, 'stream_checks');
    this.#attemptLeases = createAttempt(log, 'stream_checks');
  }

  start(): void {
    const message = 'the leases of open streams cannot be checked; trying again';
    this.#watching = repeat(WATCH_INTERVAL_MS, this.#clock, async () => {
      await this.#check([...this.#readers]);
      await this.#attemptLeases(message, () => this.#checkLeases());
    });
  }

  async stop(): Promise<void> {
    await this.#watching?.stop();
  }

  add(reader: WatchedReader): void {
    this.#readers.add(reader);
  }

  remove(reader: WatchedReader): void {
    this.#readers.delete(reader);
  }

  /**
   * Watches the credential of a long answer until its connection closes.
   *
   * @returns aborts when the connection closes; or when the credential is no longer usable, with the ApiError of a new
   *   request
   */
  watchAnswer(credential: Credential, closed: AbortSignal): AbortSignal {
    const refused = new AbortController();
    const reader: WatchedReader = {
      ...{ credential, subscription: null, lease: null },
      refuse: (error) => refused.abort(error),
    };
    this.add(reader);
    if (closed.aborted) this.remove(reader);
    else closed.addEventListener('abort', () => this.remove(reader), { once: true });
    return AbortSignal.any([closed, refused.signal]);
  }

  /** Checks a reader now, and ends it or changes its filter if necessary. Never rejects. */
  check(reader: WatchedReader): Promise<void> {
    this.#asking.push(reader);
    return this.#checks.next();
  }

  async #checkAsking(): Promise<void> {
    const readers = this.#asking;
    this.#asking = [];
    // After a failure only the regular check tries again, so that no reader waits for the database.
    if (!this.#isFailing) await this.#check(readers);
  }

  async #check(readers: readonly WatchedReader[]): Promise<void> {
    if (readers.length === 0) return;
    // After a failure readers continue: an outage passes, and a defect here must not end every stream of every gateway.
    const message = 'the credentials and subscriptions of readers cannot be checked; trying again';
    const isChecked = await this.#attempt(message, () =>
      Promise.all([this.#checkCredentials(readers), this.#checkSubscriptions(readers)]),
    );
    this.#isFailing = !isChecked;
  }

  /** Ends the streams beyond the limits of their accounts' plans (INV-15). */
  async #checkLeases(): Promise<void> {
    const surplus = await this.#streamLeases.findSurplus();
    for (const reader of this.#readers) if (surplus.has(reader.lease ?? '')) reader.loseLease?.();
  }

  /** Ends the readers whose keys or sessions are no longer usable, or whose sessions show another account. */
  async #checkCredentials(readers: readonly WatchedReader[]): Promise<void> {
    const keys = new Set<number>();
    const sessions = new Set<number>();
    for (const { credential } of readers) {
      if ('key' in credential) keys.add(credential.key);
      else sessions.add(credential.session);
    }
    const [keyStates, sessionStates] = await Promise.all([
      keys.size > 0 ? findKeyStates(this.#pool, [...keys]) : new Map<number, never>(),
      sessions.size > 0 ? findSessionStates(this.#pool, [...sessions]) : new Map<number, never>(),
    ]);
    const now = this.#clock.now();
    for (const reader of readers) {
      const { credential } = reader;
      try {
        if ('key' in credential) {
          requireUsableKey(keyStates.get(credential.key) ?? null, now);
          this.#keyUsage.note(credential.key);
        } else requireSameAccount(sessionStates.get(credential.session) ?? null, credential.accountId, now);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        reader.refuse(error);
      }
    }
  }

  /** Gives readers the new filter of an edited subscription, and ends those of a deleted one. */
  async #checkSubscriptions(readers: readonly WatchedReader[]): Promise<void> {
    const ids = [...new Set(readers.flatMap(({ subscription }) => subscription?.id ?? []))];
    if (ids.length === 0) return;
    const filters = await loadSubscriptionFilters(this.#pool, ids);
    for (const reader of readers) {
      if (reader.subscription === null) continue;
      const { id, filter: known } = reader.subscription;
      const filter = filters.get(id);
      if (!filter) reader.loseSubscription?.();
      else if (filterKey(filter) !== filterKey(known)) {
        reader.subscription = { id, filter };
        reader.changeFilter?.(filter);
      }
    }
  }
}
