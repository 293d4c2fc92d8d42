import type { Clock } from '../../service/clock.ts';

/** The first and the longest wait, in seconds. */
const WAIT_RANGE = { min: 1, max: 300 };
/** An account that is not refused for this long begins again, in milliseconds. */
const FORGET_MS = 10 * 60_000;
/** The most accounts that are remembered. */
const MAX_ACCOUNTS = 10_000;
/** Waits are shortened by up to this part, so that clients refused together do not return together. */
const JITTER = 0.2;

interface Refusals {
  /** The number of waits that have ended with a refusal, or that run. */
  count: number;
  at: number;
  /** When the present wait ends. */
  until: number;
}

export interface RefusalBackoffOptions {
  clock: Pick<Clock, 'now'>;
  /** Returns a number from 0 to 1, for jitter. */
  random: () => number;
}

/**
 * The waits of accounts that are refused again and again: each is twice as long as the one before. Refusals during a
 * wait do not double it, because they are of other clients: many that lose their connections together are refused
 * together, and none of them has waited yet. An account that is forgotten, or admitted, begins again.
 */
export class RefusalBackoff {
  readonly #options: RefusalBackoffOptions;
  /** By account, the one refused longest ago first. */
  readonly #refusals = new Map<number, Refusals>();

  constructor(options: RefusalBackoffOptions) {
    this.#options = options;
  }

  /** Notes a refusal. Returns the wait before the next attempt, in whole seconds. */
  refuse(accountId: number): number {
    const { clock, random } = this.#options;
    const now = clock.now();
    const known = this.#refusals.get(accountId);
    const before = known && now - known.at < FORGET_MS ? known : { count: 0, until: now };
    const isNext = now >= before.until;
    const count = isNext ? before.count + 1 : before.count;
    const { min, max } = WAIT_RANGE;
    const wait = Math.min(max, min * 2 ** (count - 1)) * (1 - JITTER * random());
    const seconds = Math.max(min, Math.ceil(wait));
    this.#refusals.delete(accountId);
    this.#refusals.set(accountId, { count, at: now, until: isNext ? now + seconds * 1000 : before.until });
    for (const [oldest, { at }] of this.#refusals) {
      if (this.#refusals.size <= MAX_ACCOUNTS && now - at < FORGET_MS) break;
      this.#refusals.delete(oldest);
    }
    return seconds;
  }

  /** Forgets the refusals of an account that was admitted. */
  admit(accountId: number): void {
    this.#refusals.delete(accountId);
  }
}
