import { timingSafeEqual } from 'node:crypto';
import { digestApiKey, isWellFormedApiKey } from '../../schemas/api-key.ts';
import type { Scope } from '../../schemas/vocabulary.ts';
import type { Clock } from '../../service/clock.ts';
import { findKey, type KeyState, type StoredKey } from '../../store/access/api-keys.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { ApiError, createUnavailableError } from '../http/api-error.ts';

/** How long an answer of the store is trusted; a revoked key works at most this much longer. In milliseconds. */
const FRESH_MS = 2000;
/** How long a known key goes on working while the store does not answer, in milliseconds. */
const STALE_MS = 10 * 60_000;
/** How long the store is left alone after it did not answer, in milliseconds. */
const RETRY_MS = 1000;
/** Beyond so many keys the ones looked up longest ago are forgotten. */
const MAX_REMEMBERED = 50_000;
/** Keys that nobody has are kept apart, so that whoever makes them up pushes no known key out. */
const MAX_REMEMBERED_UNKNOWN = 5000;

interface Remembered {
  digest: string;
  key: StoredKey | null;
  at: number;
}

/**
 * Under what a key is remembered: half of its digest. The whole is then compared in constant time, so that how long an
 * answer takes tells nothing of a key that is remembered.
 */
function nameOf(digest: string): string {
  return digest.slice(0, 16);
}

/** Where digests are written to be compared: Buffers made for every request would cost more than the comparison. */
const compared = [Buffer.alloc(32), Buffer.alloc(32)] as const;

/** Compares in constant time. */
function isSame(digest: string, other: string): boolean {
  const [left, right] = compared;
  left.write(digest, 'latin1');
  right.write(other, 'latin1');
  return timingSafeEqual(left, right);
}

/** Remembers, and forgets the oldest beyond a number. */
function remember<T>(entries: Map<string, T>, name: string, entry: T, max: number): void {
  entries.delete(name);
  entries.set(name, entry);
  if (entries.size <= max) return;
  const oldest = entries.keys().next().value;
  if (oldest !== undefined) entries.delete(oldest);
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

const WHOLE_KEY =
  'The header must be "Authorization: Bearer <API_KEY>" with a whole key, which begins with bes_.';

function refuse(
  code: 'missing_api_key' | 'invalid_api_key' | 'revoked_api_key' | 'expired_api_key',
  message: string,
) {
  return new ApiError(code, message, CHALLENGE);
}

/**
 * Holds a key, or what is known of it, to being usable at a time, in milliseconds since 1970.
 *
 * @throws ApiError invalid_api_key where there is none, revoked_api_key, expired_api_key or account_suspended.
 */
export function requireUsableKey<Key extends KeyState>(key: Key | null, now: number): Key {
  if (!key) throw refuse('invalid_api_key', 'There is no such API key.');
  if (key.revoked) throw refuse('revoked_api_key', 'This API key was revoked; use another of the account.');
  if (key.expiresAt !== null && key.expiresAt <= now) {
    throw refuse('expired_api_key', `This API key expired on ${new Date(key.expiresAt).toISOString()}.`);
  }
  if (key.suspended) throw new ApiError('account_suspended', 'The account of this API key is suspended.');
  return key;
}

/** Says whose an API key is. Keys are remembered for moments, so that the store is not asked at every request. */
export class Authenticator {
  readonly #pool: DatabasePool;
  readonly #clock: Clock;
  /** In the order in which they were looked up. */
  readonly #known = new Map<string, Remembered>();
  readonly #unknown = new Map<string, Remembered>();
  readonly #lookups = new Map<string, Promise<StoredKey | null>>();
  /** Until when the store is not asked after keys that are known. */
  #awayUntil = Number.NEGATIVE_INFINITY;

  constructor(pool: DatabasePool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /**
   * The key of a request, out of its Authorization header.
   *
   * @throws ApiError missing_api_key, invalid_api_key, revoked_api_key, expired_api_key or account_suspended;
   *   server_busy when an unknown key cannot be looked up.
   */
  async authenticate(authorization: string | undefined): Promise<StoredKey> {
    if (authorization === undefined || authorization === '') {
      throw refuse('missing_api_key', 'Send an API key in the header "Authorization: Bearer <API_KEY>".');
    }
    const text = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (text === undefined) throw refuse('invalid_api_key', WHOLE_KEY);
    return requireUsableKey(await this.#find(text), this.#clock.now());
  }

  async #find(text: string): Promise<StoredKey | null> {
    const digest = digestApiKey(text);
    const name = nameOf(digest);
    const candidate = this.#known.get(name) ?? this.#unknown.get(name);
    const remembered = candidate && isSame(candidate.digest, digest) ? candidate : undefined;
    const now = this.#clock.now();
    const age = remembered ? now - remembered.at : Number.POSITIVE_INFINITY;
    if (remembered && age < FRESH_MS) return remembered.key;
    // A mistyped key is known by its checksum, and costs no look-up.
    if (!remembered && !isWellFormedApiKey(text)) throw refuse('invalid_api_key', WHOLE_KEY);
    const stale = age < STALE_MS ? remembered?.key : undefined;
    if (stale && now < this.#awayUntil) return stale;
    try {
      return await this.#lookUp(name, digest);
    } catch {
      this.#awayUntil = this.#clock.now() + RETRY_MS;
      if (stale) return stale;
      throw createUnavailableError('server_busy', 'API keys cannot be looked up at the moment; try again.');
    }
  }

  /** Requests that come together with one key ask the store once. A query of the pool ends soon, however it ends. */
  #lookUp(name: string, digest: string): Promise<StoredKey | null> {
    const pending = this.#lookups.get(name);
    if (pending) return pending;
    const lookup = findKey(this.#pool, Buffer.from(digest, 'latin1'))
      .then((key) => {
        const entry = { digest, key, at: this.#clock.now() };
        this.#known.delete(name);
        if (key) remember(this.#known, name, entry, MAX_REMEMBERED);
        else remember(this.#unknown, name, entry, MAX_REMEMBERED_UNKNOWN);
        return key;
      })
      .finally(() => this.#lookups.delete(name));
    this.#lookups.set(name, lookup);
    return lookup;
  }
}

/** @throws ApiError insufficient_scope when the key may not do this. */
export function requireScope(key: StoredKey, scope: Scope): void {
  if (key.scopes.includes(scope)) return;
  const has = key.scopes.join(', ');
  throw new ApiError('insufficient_scope', `This needs the scope ${scope}; the API key has ${has}.`);
}
