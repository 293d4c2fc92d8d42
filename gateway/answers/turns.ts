import { createUnavailableError } from '../http/api-error.ts';

export interface TurnLimits {
  /** How many answers are made at a time. */
  atOnce: number;
  /** How many requests may wait. */
  waiting: number;
  /** How many waiting requests may belong to one account. */
  waitingOfAccount: number;
}

/** A request that wants a turn. */
export interface Claimant {
  accountId: number;
  /** Aborts when the client disconnects. */
  gone: AbortSignal;
}

interface Waiting {
  accountId: number;
  begin: () => void;
}

/**
 * Bounds how many large answers are made at a time. An answer for a whole state can take a hundred megabytes while it is
 * made, and many at once would exhaust the memory.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting = new Set<Waiting>();
  #underWay = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Does the work when its turn comes. Clients that disconnect leave the queue.
   *
   * @throws ApiError server_busy, with Retry-After, if too many requests wait; and whatever the work throws.
   */
  async take<T>(work: () => Promise<T>, claimant: Claimant): Promise<T> {
    if (this.#underWay < this.#limits.atOnce) this.#underWay += 1;
    else await this.#wait(claimant);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next.begin();
      else this.#underWay -= 1;
    }
  }

  /** Resolves when another request hands over its turn. Rejects if the client disconnects first. */
  #wait({ accountId, gone }: Claimant): Promise<void> {
    const { waiting, waitingOfAccount } = this.#limits;
    const ofAccount = [...this.#waiting].filter((other) => other.accountId === accountId).length;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (message: string) => reject(createUnavailableError('server_busy', message));
    const leave = () => {
      this.#waiting.delete(entry);
      gone.removeEventListener('abort', giveUp);
    };
    const giveUp = () => {
      leave();
      refuse('The client has disconnected.');
    };
    const begin = () => {
      leave();
      resolve();
    };
    const entry = { accountId, begin };
    if (this.#waiting.size >= waiting || ofAccount >= waitingOfAccount) {
      refuse('Too many large answers are being made; try again.');
    } else {
      this.#waiting.add(entry);
      gone.addEventListener('abort', giveUp);
      if (gone.aborted) giveUp();
    }
    return promise;
  }
}
