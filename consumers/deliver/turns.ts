/*
 * How many messages a process sends at a time: in all, to one host, and for one account. Webhooks whose last attempt
 * failed or was slow share a part of the turns, in all and to each host, so that the others never wait for them (INV-15):
 * many accounts can have webhooks at one host.
 */
const AT_ONCE = 128;
const AT_ONCE_SLOW = 64;
const AT_ONCE_TO_HOST = 16;
const AT_ONCE_SLOW_TO_HOST = 8;
const AT_ONCE_FOR_ACCOUNT = 4;

/** A webhook that wants a turn. */
export interface TurnTaker {
  host: string;
  accountId: number;
  /** Whether its last attempt failed or was slow. */
  isSlow: boolean;
}

interface Waiting extends TurnTaker {
  begin: () => void;
}

/** Gives turns in the order in which they were asked for, as far as the bounds allow. A webhook that waits holds nothing else. */
export class Turns {
  #running = 0;
  #slow = 0;
  readonly #toHost = new Map<string, number>();
  readonly #slowToHost = new Map<string, number>();
  readonly #forAccount = new Map<number, number>();
  readonly #waiting = new Set<Waiting>();

  /** The number of webhooks that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The number of turns under way. */
  get running(): number {
    return this.#running;
  }

  /** Waits for a turn. @returns the function that ends the turn; null if the signal aborted first */
  async take(taker: TurnTaker, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (this.#mayBegin(taker)) this.#count(taker, 1);
    else if (!(await this.#wait(taker, signal))) return null;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#end(taker);
    };
  }

  #mayBegin({ host, accountId, isSlow }: TurnTaker): boolean {
    const slowToHost = this.#slowToHost.get(host) ?? 0;
    return (
      this.#running < AT_ONCE &&
      (!isSlow || (this.#slow < AT_ONCE_SLOW && slowToHost < AT_ONCE_SLOW_TO_HOST)) &&
      (this.#toHost.get(host) ?? 0) < AT_ONCE_TO_HOST &&
      (this.#forAccount.get(accountId) ?? 0) < AT_ONCE_FOR_ACCOUNT
    );
  }

  #end(taker: TurnTaker): void {
    this.#count(taker, -1);
    for (const waiting of this.#waiting) {
      if (this.#running >= AT_ONCE) return;
      if (!this.#mayBegin(waiting)) continue;
      this.#waiting.delete(waiting);
      this.#count(waiting, 1);
      waiting.begin();
    }
  }

  #count({ host, accountId, isSlow }: TurnTaker, by: 1 | -1): void {
    this.#running += by;
    if (isSlow) {
      this.#slow += by;
      add(this.#slowToHost, host, by);
    }
    add(this.#toHost, host, by);
    add(this.#forAccount, accountId, by);
  }

  /** @returns whether the turn came before the signal */
  #wait(taker: TurnTaker, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = () => {
      if (this.#waiting.delete(waiting)) resolve(false);
    };
    const begin = () => {
      signal.removeEventListener('abort', giveUp);
      resolve(true);
    };
    const waiting = { ...taker, begin };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise;
  }
}

function add<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
