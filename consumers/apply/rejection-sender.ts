import type { Pool } from 'pg';
import { RecordTooLargeError, type RejectedProducer } from '../../kafka/writing/rejected-producer.ts';
import { type Clock, systemClock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import { Notifier } from '../../service/notifier.ts';
import { reportFailure } from '../../service/report-failure.ts';
import {
  countPendingRejections,
  deletePendingRejections,
  loadPendingRejections,
  type RejectionRecord,
} from '../../store/stream/pending-rejections.ts';
import { pendingRejections } from './metrics.ts';
import { shrinkRejection } from './rejection.ts';

/** The most records and bytes of a request: well below a topic's default limit of a megabyte. */
const REQUEST = { records: 500, bytes: 500_000 };
/** The first and the longest pause after a failure, in milliseconds. */
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 5000;
/** The interval of looks for rejections by other programs, such as `submissions skip`, in milliseconds. */
const LOOK_MS = 2000;

/**
 * Sends the stored rejections, oldest first, and deletes those that Kafka has. Applying does not wait for
 * this, so a missing or full rejected topic delays nothing (INV-14).
 */
export class RejectionSender {
  readonly #pool: Pool;
  readonly #producer: Pick<RejectedProducer, 'send'>;
  readonly #log: Logger;
  readonly #clock: Pick<Clock, 'wait'>;
  readonly #notifier = new Notifier();

  constructor(
    pool: Pool,
    producer: Pick<RejectedProducer, 'send'>,
    log: Logger,
    clock: Pick<Clock, 'wait'> = systemClock,
  ) {
    this.#pool = pool;
    this.#producer = producer;
    this.#log = log;
    this.#clock = clock;
  }

  /** Signals that rejections were stored. */
  notify(): void {
    this.#notifier.notify();
  }

  /** Sends until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let delayMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      const seenNotifications = this.#notifier.notifications;
      try {
        const sent = await this.#sendNext();
        delayMs = FIRST_RETRY_MS;
        if (sent > 0) continue;
        await this.#notifier.wait(LOOK_MS, signal, seenNotifications);
      } catch (error) {
        if (signal.aborted) return;
        const message = 'rejections could not be sent to Kafka; they wait in the database';
        reportFailure(this.#log, error, { where: 'rejections', message });
        await this.#clock.wait(delayMs, signal);
        delayMs = Math.min(2 * delayMs, LAST_RETRY_MS);
      }
    }
  }

  /** Holds no connection while it sends: others need one, and Kafka may take seconds to answer. */
  async #sendNext(): Promise<number> {
    const pending = await loadPendingRejections(this.#pool, REQUEST);
    // Also counts before sending, which may fail for as long as they wait.
    await this.#countPending();
    if (pending.length === 0) return 0;
    await this.#send(pending);
    await deletePendingRejections(
      this.#pool,
      pending.map(({ id }) => id),
    );
    await this.#countPending();
    return pending.length;
  }

  async #countPending(): Promise<void> {
    pendingRejections.set(await countPendingRejections(this.#pool));
  }

  /** Sends records together, or in smaller requests if the topic refuses them together. */
  async #send(records: readonly RejectionRecord[]): Promise<void> {
    try {
      await this.#producer.send(records.map(({ key, value }) => ({ key, value })));
    } catch (error) {
      if (!(error instanceof RecordTooLargeError)) throw error;
      const [first] = records;
      if (records.length === 1 && first) return this.#send([shrinkRejection(first)]);
      const middle = Math.ceil(records.length / 2);
      await this.#send(records.slice(0, middle));
      await this.#send(records.slice(middle));
    }
  }
}
