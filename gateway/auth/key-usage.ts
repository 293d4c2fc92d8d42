import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { noteKeyUses } from '../../store/access/api-keys.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';

/** How often uses are written to the database, in milliseconds. "Last used" is this coarse. */
const FLUSH_MS = 60_000;

/** Records when keys were last used. Writes it to the database once a minute, apart from requests. */
export class KeyUsage {
  readonly #pool: DatabasePool;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** The uses that are not written yet, in milliseconds since 1970 by key id. */
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

  /** Writes the remaining uses. */
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
      // Keys that are still used are recorded again in the next minute.
      const message = 'the last use of API keys cannot be saved; trying again';
      reportFailure(this.#log, error, { where: 'keys', message });
    }
  }
}
