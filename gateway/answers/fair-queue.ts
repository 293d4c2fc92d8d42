import { createUnavailableError, SHUTTING_DOWN } from '../http/api-error.ts';

export interface FairQueueLimits {
  /** The most answers that are made at a time. */
  atOnce: number;
  /** The most of them for one account. */
  atOnceOfAccount: number;
  /** The most requests that may wait. */
  waiting: number;
  /** The most waiting requests of one account. */
  waitingOfAccount: number;
}

interface FairQueueOptions extends FairQueueLimits {
  /** Aborts when the gateway shuts down. Waiting requests are then refused; answers under way continue. */
  draining?: AbortSignal;
}

/** A client with a request in the queue. */
export interface QueueClient {
  accountId: number;
  /** Aborts when the client disconnects. */
  gone: AbortSignal;
}

interface QueuedRequest {
  accountId: number;
  begin: () => void;
  refuse: (message: string) => void;
}

/**
 * Bounds how many large answers are made at a time, in all and for one account. An answer for a whole state
 * can take a hundred megabytes while it is made; many at once would exhaust the memory.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #waiting = new Set<QueuedRequest>();
  /** The account of each answer under way; an account can occur several times. */
  readonly #running: number[] = [];
  readonly #draining: AbortSignal | undefined;

  constructor({ draining, ...limits }: FairQueueOptions) {
    this.#limits = limits;
    this.#draining = draining;
    draining?.addEventListener('abort', () => {
      for (const { refuse } of this.#waiting) refuse(SHUTTING_DOWN);
    });
  }

  /**
   * Runs the work when its turn comes. Clients that disconnect leave the queue.
   *
   * @throws ApiError server_busy, with Retry-After, if too many requests wait or the gateway shuts down
   *   before its turn; and the errors of the work.
   */
  async run<T>(work: () => Promise<T>, client: QueueClient): Promise<T> {
    const { accountId } = client;
    if (this.#isFree(accountId)) this.#running.push(accountId);
    else await this.#wait(client);
    try {
      return await work();
    } finally {
      this.#running.splice(this.#running.indexOf(accountId), 1);
      this.#beginNext();
    }
  }

  #isFree(accountId: number): boolean {
    const { atOnce, atOnceOfAccount } = this.#limits;
    const ofAccount = this.#running.filter((other) => other === accountId).length;
    return this.#running.length < atOnce && ofAccount < atOnceOfAccount;
  }

  /** Starts the request that has waited longest among those whose account is below its limit. */
  #beginNext(): void {
    for (const { accountId, begin } of this.#waiting) {
      if (!this.#isFree(accountId)) continue;
      this.#running.push(accountId);
      begin();
      return;
    }
  }

  /** Resolves when the request's turn comes. Rejects if the client disconnects first. */
  #wait({ accountId, gone }: QueueClient): Promise<void> {
    const { waiting, waitingOfAccount } = this.#limits;
    const ofAccount = [...this.#waiting].filter((other) => other.accountId === accountId).length;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.delete(request);
      gone.removeEventListener('abort', giveUp);
    };
    const refuse = (message: string) => {
      leave();
      reject(createUnavailableError('server_busy', message));
    };
    const giveUp = () => refuse('The client has disconnected.');
    const begin = () => {
      leave();
      resolve();
    };
    const request = { accountId, begin, refuse };
    if (this.#draining?.aborted) {
      refuse(SHUTTING_DOWN);
    } else if (this.#waiting.size >= waiting || ofAccount >= waitingOfAccount) {
      refuse('Too many large answers are being made; try again.');
    } else {
      this.#waiting.add(request);
      gone.addEventListener('abort', giveUp);
      if (gone.aborted) giveUp();
    }
    return promise;
  }
}
