import { digestApiKey, isWellFormedApiKey } from '../../schemas/api-key.ts';
import type { Scope } from '../../schemas/vocabulary.ts';
import { type Clock, timeSince } from '../../service/clock.ts';
import { classifyFailure } from '../../service/failure.ts';
import type { Logger } from '../../service/log.ts';
import { createLruCache } from '../../service/lru-cache.ts';
import { findKey, type KeyState, type StoredKey } from '../../store/access/api-keys.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { ApiError, createUnavailableError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';

/** How long a look-up is trusted, in milliseconds. A revoked key works at most this much longer. */
const FRESH_MS = 2000;
/** How long a known key keeps working while the database is away, in milliseconds. */
const STALE_MS = 10 * 60_000;
/** The pause after a failed look-up before the database is asked again, in milliseconds. */
const RETRY_MS = 1000;
const MAX_REMEMBERED = 50_000;
/** Unknown keys are remembered separately, so that made-up keys never evict real ones. */
const MAX_REMEMBERED_UNKNOWN = 5000;

interface Remembered {
  key: StoredKey | null;
  /** When it was looked up, in milliseconds since 1970. */
  at: number;
}

const WHOLE_KEY =
  'The header must be "Authorization: Bearer <API_KEY>" with a whole key, which begins with bes_.';

/**
 * Returns the key if it is usable at a time, in milliseconds since 1970.
 *
 * @throws ApiError invalid_api_key if the key does not exist; revoked_api_key, expired_api_key or
 *   account_suspended.
 */
export function requireUsableKey<Key extends KeyState>(key: Key | null, now: number): Key {
  if (!key) throw new ApiError('invalid_api_key', 'This API key does not exist.');
  if (key.revoked)
    throw new ApiError('revoked_api_key', 'This API key was revoked; use another of the account.');
  if (key.expiresAt !== null && key.expiresAt <= now) {
    throw new ApiError(
      'expired_api_key',
      `This API key expired on ${new Date(key.expiresAt).toISOString()}.`,
    );
  }
  if (key.suspended) throw new ApiError('account_suspended', 'The account of this API key is suspended.');
  return key;
}

/**
 * Finds the API keys of requests. A key is remembered for a moment, so that few requests ask the database.
 * Keys are found by digest. That of a guess reveals nothing about a real key, so no comparison needs constant
 * time.
 */
export class Authenticator {
  readonly #pool: DatabasePool;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By digest: keys that exist, and keys that do not. */
  readonly #knownKeys = createLruCache<string, Remembered>(MAX_REMEMBERED);
  readonly #unknownKeys = createLruCache<string, Remembered>(MAX_REMEMBERED_UNKNOWN);
  /** The look-ups under way, by digest. */
  readonly #lookups = new Map<string, Promise<StoredKey | null>>();
  /** When the database last failed to answer. */
  #awayAt = Number.NEGATIVE_INFINITY;

  constructor(pool: DatabasePool, clock: Clock, log: Logger) {
    this.#pool = pool;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Returns the key of a request's Authorization header.
   *
   * @param noteRefused is called with a key that exists but is refused.
   * @throws ApiError missing_api_key, invalid_api_key, revoked_api_key, expired_api_key or account_suspended;
   *   server_busy if an unknown key cannot be looked up because the database is away. Other errors are defects.
   */
  async authenticate(
    authorization: string | undefined,
    noteRefused: (key: StoredKey) => void = () => {},
  ): Promise<StoredKey> {
    if (authorization === undefined || authorization === '') {
      throw new ApiError(
        'missing_api_key',
        'Send an API key in the header "Authorization: Bearer <API_KEY>".',
      );
    }
    const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (text === undefined) throw new ApiError('invalid_api_key', WHOLE_KEY);
    const key = await this.#find(text);
    try {
      return requireUsableKey(key, this.#clock.now());
    } catch (error) {
      if (key) noteRefused(key);
      throw error;
    }
  }

  async #find(text: string): Promise<StoredKey | null> {
    const digest = digestApiKey(text);
    const remembered = this.#knownKeys.get(digest) ?? this.#unknownKeys.get(digest);
    const age = remembered ? timeSince(this.#clock, remembered.at) : Number.POSITIVE_INFINITY;
    if (remembered && age < FRESH_MS) return remembered.key;
    // The checksum reveals a mistyped key without a look-up.
    if (!remembered && !isWellFormedApiKey(text)) throw new ApiError('invalid_api_key', WHOLE_KEY);
    const stale = age < STALE_MS ? remembered?.key : undefined;
    if (stale && timeSince(this.#clock, this.#awayAt) < RETRY_MS) return stale;
    try {
      return await this.#lookUp(digest);
    } catch (error) {
      // A defect is reported even if the key is known. Otherwise nobody would notice it.
      if (classifyFailure(error) === 'defect') throw error;
      this.#noteOutage(error);
      if (stale) return stale;
      throw createUnavailableError('server_busy', 'API keys cannot be looked up at the moment; try again.');
    }
  }

  /** Pauses the look-ups of known keys for a moment. Many requests meet the same outage, which is logged once. */
  #noteOutage(error: unknown): void {
    if (timeSince(this.#clock, this.#awayAt) >= RETRY_MS)
      this.#log.warn({ error }, 'API keys cannot be looked up; known ones still work');
    this.#awayAt = this.#clock.now();
  }

  /** Looks a key up once for all requests that wait for it. The pool's timeouts bound the wait. */
  #lookUp(digest: string): Promise<StoredKey | null> {
    const pending = this.#lookups.get(digest);
    if (pending) return pending;
    const lookup = findKey(this.#pool, Buffer.from(digest, 'latin1'))
      .then((key) => {
        this.#knownKeys.delete(digest);
        (key ? this.#knownKeys : this.#unknownKeys).set(digest, { key, at: this.#clock.now() });
        return key;
      })
      .finally(() => this.#lookups.delete(digest));
    this.#lookups.set(digest, lookup);
    return lookup;
  }
}

/** @throws ApiError insufficient_scope if the caller lacks the scope. */
export function requireScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (scopes.includes(scope)) return;
  const has = scopes.join(', ');
  throw new ApiError('insufficient_scope', `This needs the scope ${scope}; the API key has ${has}.`);
}
