import { Gauge } from 'prom-client';
import { ApiError, createUnavailableError } from '../http/api-error.ts';
import type { Share } from '../limits/share.ts';

/** The bytes of all budgets of this process. A gauge that every answer sets would cost more. */
let inFlight = 0;
new Gauge({
  name: 'answers_in_flight_bytes',
  help: 'Bytes of answers that clients have not taken yet, and of large bodies of requests that are being received.',
  collect() {
    this.set(inFlight);
  },
});

export interface AnswerBudgetLimits {
  /** The most bytes of the gateway, and of one account. */
  bytes: number;
  bytesOfAccount: number;
  /** Answers of at most this size are counted but never refused, in bytes. */
  smallBytes: number;
}

/** An answer in flight, or a body of a request. */
export interface AnswerInFlight {
  share: Share;
  bytes: number;
  /** Identifies bytes that several answers share, which count once for the gateway. */
  shared?: object | undefined;
  /** False for the answer to a change: refusing it would not undo the change. */
  canRefuse: boolean;
}

/**
 * Bounds the bytes of answers that were made and not yet taken by their clients, in all and for each account (INV-15).
 * Every answer counts, whatever its route.
 */
export class AnswerBudget {
  readonly #limits: AnswerBudgetLimits;
  readonly #ofShares = new Map<Share, number>();
  /** The number of answers that share these bytes. */
  readonly #sharers = new Map<object, number>();
  #bytes = 0;

  constructor(limits: AnswerBudgetLimits) {
    this.#limits = limits;
  }

  /** The bytes in flight, each shared one once. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a share is used up. A request is then refused before its answer is made. */
  isUsedUp(share: Share): boolean {
    return (this.#ofShares.get(share) ?? 0) >= this.#limits.bytesOfAccount;
  }

  /** @throws ApiError too_many_requests_in_flight, with Retry-After, if the share of an account is used up */
  requireShare(share: Share): void {
    if (share !== null && this.isUsedUp(share)) throw createShareError();
  }

  /**
   * Counts an answer until it is released. The first answer in flight of a share may have any size, as long as the
   * gateway has room.
   *
   * @returns releases the bytes; may be called once
   * @throws ApiError too_many_requests_in_flight or server_busy, with Retry-After
   */
  reserve({ share, bytes, shared, canRefuse }: AnswerInFlight): () => void {
    const { smallBytes, bytesOfAccount } = this.#limits;
    const ofShare = this.#ofShares.get(share) ?? 0;
    // Files of the reference are the same bytes for all clients without a key.
    const own = share === null && shared !== undefined ? 0 : bytes;
    const sharers = shared === undefined ? 0 : (this.#sharers.get(shared) ?? 0);
    const added = sharers === 0 ? bytes : 0;
    if (canRefuse && bytes > smallBytes) {
      const isOverShare = own > 0 && ofShare > 0 && ofShare + own > bytesOfAccount;
      if (isOverShare && share !== null) throw createShareError();
      if (isOverShare || (this.#bytes > 0 && this.#bytes + added > this.#limits.bytes)) {
        throw createUnavailableError(
          'server_busy',
          'Too many large answers and bodies are in flight; try again.',
        );
      }
    }
    this.#ofShares.set(share, ofShare + own);
    if (shared !== undefined) this.#sharers.set(shared, sharers + 1);
    this.#change(added);
    return () => {
      const rest = (this.#ofShares.get(share) ?? 0) - own;
      if (rest > 0) this.#ofShares.set(share, rest);
      else this.#ofShares.delete(share);
      if (shared === undefined) return this.#change(-bytes);
      const left = (this.#sharers.get(shared) ?? 1) - 1;
      if (left > 0) this.#sharers.set(shared, left);
      else {
        this.#sharers.delete(shared);
        this.#change(-bytes);
      }
    };
  }

  #change(bytes: number): void {
    this.#bytes += bytes;
    inFlight += bytes;
  }
}

/** The refusal of a request whose account has used up its share. */
export function createShareError(): ApiError {
  return new ApiError(
    'too_many_requests_in_flight',
    'Too many large answers and bodies of the account are in flight; read the answers first, or ask for smaller pages.',
    { 'Retry-After': '2' },
  );
}
