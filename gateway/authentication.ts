import { hashApiKey, isWellFormedApiKey } from '../schemas/api-key.ts';
import type { Scope } from '../schemas/vocabulary.ts';
import type { Clock } from '../service/clock.ts';
import { findKey, type StoredKey } from '../store/api-keys.ts';
import type { DatabasePool } from '../store/pool.ts';
import { ApiError, createUnavailableError } from './api-error.ts';

/** How long an answer of the store is trusted; a revoked key works at most this much longer. In milliseconds. */
const FRESH_MS = 2000;
/** How long a known key goes on working while the store does not answer, in milliseconds. */
const STALE_MS = 10 * 60_000;
/** Beyond so many keys the ones looked up longest ago are forgotten. */
const MAX_REMEMBERED = 50_000;

interface Remembered {
  key: StoredKey | null;
  at: number;
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

function refuse(
  code: 'missing_api_key' | 'invalid_api_key' | 'revoked_api_key' | 'expired_api_key',
  message: string,
) {
  return new ApiError(code, message, CHALLENGE);
}

/** Says whose an API key is. Keys are remembered for moments, so that the store is not asked at every request. */
export class Authenticator {
  readonly #pool: DatabasePool;
  readonly #clock: Clock;
  /** By hash, in the order in which they were looked up. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #lookups = new Map<string, Promise<StoredKey | null>>();

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
    if (text === undefined || !isWellFormedApiKey(text)) {
      throw refuse(
        'invalid_api_key',
        'The header must be "Authorization: Bearer <API_KEY>" with a whole key, which begins with bes_.',
      );
    }
    const key = await this.#find(text);
    if (!key) throw refuse('invalid_api_key', 'There is no such API key.');
    if (key.revoked) throw refuse('revoked_api_key', 'This API key was revoked; use another of the account.');
    if (key.expiresAt !== null && key.expiresAt <= this.#clock.now()) {
      throw refuse('expired_api_key', `This API key expired on ${new Date(key.expiresAt).toISOString()}.`);
    }
    if (key.suspended) throw new ApiError('account_suspended', 'The account of this API key is suspended.');
    return key;
  }

  async #find(text: string): Promise<StoredKey | null> {
    const hash = hashApiKey(text);
    const name = hash.toString('base64');
    const known = this.#remembered.get(name);
    const age = known ? this.#clock.now() - known.at : Number.POSITIVE_INFINITY;
    if (known && age < FRESH_MS) return known.key;
    try {
      return await this.#lookUp(name, hash);
    } catch {
      if (known?.key && age < STALE_MS) return known.key;
      throw createUnavailableError('server_busy', 'API keys cannot be looked up at the moment; try again.');
    }
  }

  /** Requests that come together with one key ask the store once. */
  #lookUp(name: string, hash: Buffer): Promise<StoredKey | null> {
    const pending = this.#lookups.get(name);
    if (pending) return pending;
    const lookup = findKey(this.#pool, hash)
      .then((key) => {
        this.#remember(name, key);
        return key;
      })
      .finally(() => this.#lookups.delete(name));
    this.#lookups.set(name, lookup);
    return lookup;
  }

  #remember(name: string, key: StoredKey | null): void {
    this.#remembered.delete(name);
    this.#remembered.set(name, { key, at: this.#clock.now() });
    if (this.#remembered.size > MAX_REMEMBERED) {
      const oldest = this.#remembered.keys().next().value;
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
  }
}

/** @throws ApiError insufficient_scope when the key may not do this. */
export function requireScope(key: StoredKey, scope: Scope): void {
  if (key.scopes.includes(scope)) return;
  const has = key.scopes.join(', ');
  throw new ApiError('insufficient_scope', `This needs the scope ${scope}; the API key has ${has}.`);
}
