import { ApiError, createUnavailableError, SHUTTING_DOWN } from '../http/api-error.ts';
import type { Share } from './share.ts';

export interface FairQueueLimits {
  /** The most requests that have a turn at a time. */
  atOnce: number;
  /** The most of them for one account. */
  atOnceOfAccount: number;
  /** The turns that only accounts without a turn can take. */
  reserved: number;
  /** The most requests that may wait. */
  waiting: number;
  /** The most waiting requests of one account. */
  waitingOfAccount: number;
  /** The longest wait, in milliseconds; by default a minute, since silent connections are closed after two. */
  waitingMs?: number;
}

const WAITING_MS = 60_000;

interface FairQueueOptions extends FairQueueLimits {
  /** Aborts when the gateway shuts down. Waiting requests are then refused; work under way continues. */
  draining?: AbortSignal;
}

/** A client with a request in the queue. */
export interface QueueClient {
  share: Share;
  /** Aborts when the client disconnects. Read only if the request must wait. */
  readonly gone: AbortSignal;
}

interface QueuedRequest {
  begin: () => void;
  refuse: (error: ApiError) => void;
}

/** An account that has a turn or waits for one. */
interface QueueingAccount {
  share: Share;
  running: number;
  /** In order of arrival. */
  waiting: Set<QueuedRequest>;
  /** The round in which it gets its next turn. */
  round: number;
}

/**
 * Bounds how much costly work is done at a time, in all and for one account, and lets the accounts take turns (INV-15):
 * in each round, every account that waits gets one turn, however many requests it has. An account that comes later
 * joins the present round, unless it has had its turn in it.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #accounts = new Map<Share, QueueingAccount>();
  readonly #draining: AbortSignal | undefined;
  #round = 0;
  /** The accounts that have had a turn in the present round; they may have left since. */
  readonly #served = new Set<Share>();
  #running = 0;
  #waiting = 0;

  constructor({ draining, ...limits }: FairQueueOptions) {
    this.#limits = limits;
    this.#draining = draining;
    draining?.addEventListener('abort', () => {
      for (const { waiting } of this.#accounts.values()) {
        for (const { refuse } of waiting) refuse(createUnavailableError('server_busy', SHUTTING_DOWN));
      }
    });
  }

  /** The number of requests that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs the work when its turn comes. Clients that disconnect leave the queue.
   *
   * @throws ApiError, with Retry-After, if the request cannot wait: too_many_requests_in_flight if too many of its
   *   account wait, server_busy if too many wait in all or the gateway shuts down before its turn; either if its turn
   *   does not come in time; and the errors of the work.
   */
  async run<T>(work: () => Promise<T>, client: QueueClient): Promise<T> {
    const account = this.#enter(client.share);
    if (this.#mayBegin(account)) this.#takeTurn(account);
    else await this.#wait(account, client.gone);
    try {
      return await work();
    } finally {
      account.running -= 1;
      this.#running -= 1;
      this.#leave(account);
      this.#beginNext();
    }
  }

  #enter(share: Share): QueueingAccount {
    const known = this.#accounts.get(share);
    if (known) return known;
    const round = this.#served.has(share) ? this.#round + 1 : this.#round;
    const account = { share, running: 0, waiting: new Set<QueuedRequest>(), round };
    this.#accounts.set(share, account);
    return account;
  }

  /** Forgets an account that has no request any more. */
  #leave(account: QueueingAccount): void {
    if (account.running === 0 && account.waiting.size === 0) this.#accounts.delete(account.share);
  }

  #mayBegin({ running }: QueueingAccount): boolean {
    const { atOnce, atOnceOfAccount, reserved } = this.#limits;
    const open = running === 0 ? atOnce : atOnce - reserved;
    return this.#running < open && running < atOnceOfAccount;
  }

  #takeTurn(account: QueueingAccount): void {
    if (account.round > this.#round) {
      this.#round = account.round;
      this.#served.clear();
    }
    this.#served.add(account.share);
    account.round = this.#round + 1;
    account.running += 1;
    this.#running += 1;
  }

  /** Begins the first request of the account whose round is the earliest. */
  #beginNext(): void {
    let next: QueueingAccount | undefined;
    for (const account of this.#accounts.values()) {
      const isEarlier = next === undefined || account.round < next.round;
      if (isEarlier && account.waiting.size > 0 && this.#mayBegin(account)) next = account;
    }
    const [request] = next?.waiting ?? [];
    if (!next || !request) return;
    this.#takeTurn(next);
    request.begin();
  }

  /** Resolves when the request's turn comes. Rejects if the client disconnects first. */
  #wait(account: QueueingAccount, gone: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stopWaiting = () => {
      clearTimeout(timer);
      if (account.waiting.delete(request)) this.#waiting -= 1;
      gone.removeEventListener('abort', giveUp);
    };
    const refuse = (error: ApiError) => {
      stopWaiting();
      this.#leave(account);
      reject(error);
    };
    const giveUp = () => refuse(createUnavailableError('server_busy', 'The client has disconnected.'));
    const begin = () => {
      stopWaiting();
      resolve();
    };
    const request = { begin, refuse };
    const timer = setTimeout(
      () => refuse(account.running > 0 ? createShareError() : createCrowdError()),
      this.#limits.waitingMs ?? WAITING_MS,
    );
    const refusal = this.#findRefusal(account);
    if (refusal) refuse(refusal);
    else {
      account.waiting.add(request);
      this.#waiting += 1;
      gone.addEventListener('abort', giveUp);
      if (gone.aborted) giveUp();
    }
    return promise;
  }

  /** Why a request cannot wait; null if it can. */
  #findRefusal({ waiting }: QueueingAccount): ApiError | null {
    if (this.#draining?.aborted) return createUnavailableError('server_busy', SHUTTING_DOWN);
    if (waiting.size >= this.#limits.waitingOfAccount) return createShareError();
    if (this.#waiting < this.#limits.waiting) return null;
    return createCrowdError();
  }
}

const createShareError = () =>
  new ApiError(
    'too_many_requests_in_flight',
    'Too many costly requests of the account wait already; wait for some of them to be answered.',
    { 'Retry-After': '2' },
  );

const createCrowdError = () =>
  createUnavailableError('server_busy', 'Too many costly requests wait; try again.');
