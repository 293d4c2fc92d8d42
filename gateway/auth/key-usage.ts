import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { noteKeyUses } from '../../store/access/api-keys.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';

/** How often the store is told, in milliseconds: how coarse "last used" is. */
const FLUSH_MS = 60_000;

/** Remembers when keys were last used, and tells the store once a minute, away from the requests. */
export class KeyUsage {
  readonly #pool: DatabasePool;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Milliseconds since 1970, by key id: what the store has not been told yet. */
  #uses = new Map<number, number>();
  #flushing: Stoppable | undefined;

  constructor(pool: DatabasePool, clock: Clock, log: Logger) {
    this.#pool = pool;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    this.#flushing = repeat(FLUSH_MS, this.#clock, () => this.#flush());
  }

  note(keyId: number): void {
    this.#uses.set(keyId, this.#clock.now());
  }

  /** Tells the store what is left to tell. */
  async stop(): Promise<void> {
    await this.#flushing?.stop();
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = this.#uses;
    this.#uses = new Map();
    try {
      await noteKeyUses(this.#pool, uses);
    } catch (error) {
      // The next minute's uses say it again of every key that is in use.
      this.#log.warn({ error }, 'the use of keys could not be noted');
    }
  }
}
