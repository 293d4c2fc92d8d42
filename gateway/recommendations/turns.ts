import { createUnavailableError } from '../api-error.ts';

/** How many answers are made at a time, and how many more requests may wait for their turn. */
export interface TurnLimits {
  atOnce: number;
  waiting: number;
}

/**
 * Bounds how much is made at the same time: an answer for a whole state can take a hundred megabytes while it is made,
 * and many of them at once would take all there are.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Does the work when its turn comes.
   *
   * @param gone nobody waits for it any more: then it is not begun.
   * @throws ApiError server_busy, with Retry-After, where too many wait already; whatever the work throws.
   */
  async take<T>(work: () => Promise<T>, gone: AbortSignal): Promise<T> {
    await this.#begin();
    try {
      if (gone.aborted) throw createUnavailableError('server_busy', 'The client has gone away.');
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#underWay -= 1;
    }
  }

  async #begin(): Promise<void> {
    if (this.#underWay < this.#limits.atOnce) {
      this.#underWay += 1;
      return;
    }
    if (this.#waiting.length >= this.#limits.waiting) {
      throw createUnavailableError('server_busy', 'Too many large answers are being made; try again.');
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
