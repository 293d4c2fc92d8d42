import { createUnavailableError } from '../http/api-error.ts';

/** How many answers are made at a time, and how many more requests may wait for their turn. */
export interface TurnLimits {
  atOnce: number;
  waiting: number;
  /** How many of those who wait may be of one account. */
  waitingOfAccount: number;
}

/** Who wants a turn. */
export interface Claimant {
  accountId: number;
  /** Given when nobody waits for the answer any more. */
  gone: AbortSignal;
}

interface Waiting {
  accountId: number;
  begin: () => void;
}

/**
 * Bounds how much is made at the same time: an answer for a whole state can take a hundred megabytes while it is made,
 * and many of them at once would take all there are.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting = new Set<Waiting>();
  #underWay = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Does the work when its turn comes. Whoever goes away before has left the queue.
   *
   * @throws ApiError server_busy, with Retry-After, where too many wait already; whatever the work throws.
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

  /** Resolves when somebody has handed over a turn; rejects when the claimant goes away before. */
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
      refuse('The client has gone away.');
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
