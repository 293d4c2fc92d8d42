import { randomUUID } from 'node:crypto';
import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { reportFailure } from '../../service/report-failure.ts';
import {
  forgetUsage,
  trimErrors,
  trimSamples,
  type UsageBatch,
  writeUsage,
} from '../../store/access/usage.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import type { UsageCounter } from './usage-counter.ts';

/** How often usage is written to the database, in milliseconds. */
const FLUSH_MS = 10_000;
/** The most counts in one statement. Such a statement takes a fraction of the pool's time limit. */
const MAX_COUNTS_PER_STATEMENT = 5000;
/** How often old usage is deleted, in milliseconds. */
const TIDY_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** How long counts, and errors and samples, are kept, in milliseconds. */
const KEEP_HOURS_MS = 35 * DAY_MS;
const KEEP_ERRORS_MS = 7 * DAY_MS;

export interface UsageWriterOptions {
  counter: UsageCounter;
  pool: DatabasePool;
  clock: Clock;
  log: Logger;
}

/**
 * Writes counted requests to the database every ten seconds, and once more when it stops. While the database
 * is away, they wait in the counter. A batch whose answer was lost is sent again, and counts once.
 */
export class UsageWriter implements Stoppable {
  readonly #options: UsageWriterOptions;
  readonly #writerId = randomUUID();
  /** The number of the newest batch. */
  #number = 0;
  /** The newest batch, until the database has it. */
  #batch: UsageBatch | null = null;
  #isFailing = false;
  #repeating: Stoppable[] = [];

  constructor(options: UsageWriterOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock } = this.#options;
    this.#repeating = [
      repeat(FLUSH_MS, clock, () => this.#flush()),
      repeat(TIDY_MS, clock, () => this.#tidy()),
    ];
  }

  /** Writes the remaining usage. */
  async stop(): Promise<void> {
    await Promise.all(this.#repeating.map((each) => each.stop()));
    await this.#flush();
  }

  async #flush(): Promise<void> {
    while (this.#nextBatch()) {
      if (!(await this.#write())) return;
    }
  }

  #nextBatch(): UsageBatch | null {
    if (this.#batch) return this.#batch;
    this.#batch = this.#options.counter.take(MAX_COUNTS_PER_STATEMENT);
    if (this.#batch) this.#number += 1;
    return this.#batch;
  }

  /** @returns false if the batch must be sent again */
  async #write(): Promise<boolean> {
    const { pool, log } = this.#options;
    const batch = this.#batch;
    if (!batch) return true;
    try {
      await writeUsage(pool, { writerId: this.#writerId, number: this.#number }, batch);
      this.#isFailing = false;
    } catch (error) {
      const message = 'the usage of accounts cannot be saved';
      const failure = reportFailure(log, error, { where: 'usage', message, quiet: this.#isFailing });
      this.#isFailing = true;
      // The database would refuse a refused batch for ever, so it is dropped.
      if (failure !== 'defect') return false;
    }
    this.#batch = null;
    await this.#trim(batch);
    return true;
  }

  /** If a trim fails, the account's next trim deletes those rows too. */
  async #trim({ errors, samples }: UsageBatch): Promise<void> {
    const { pool, log } = this.#options;
    for (const [kept, trim] of [
      [errors, trimErrors],
      [samples, trimSamples],
    ] as const) {
      const accounts = [...new Set(kept.map(({ accountId }) => accountId))];
      if (accounts.length === 0) continue;
      await trim(pool, accounts).catch((error: unknown) => {
        reportFailure(log, error, { where: 'usage', message: 'old requests of accounts cannot be deleted' });
      });
    }
  }

  async #tidy(): Promise<void> {
    const { pool, clock, log } = this.#options;
    const now = clock.now();
    const starts = { hours: now - KEEP_HOURS_MS, errors: now - KEEP_ERRORS_MS };
    await forgetUsage(pool, starts).catch((error: unknown) => {
      const message = 'old usage of accounts cannot be deleted; trying again later';
      reportFailure(log, error, { where: 'usage', message });
    });
  }
}
