import type { Pool } from 'pg';
import { loadOutcomes, type Outcome } from '../../administration/publishing/outcomes.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { type MessageProducer, openProducer } from '../../kafka/writing/submissions-producer.ts';
import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import type { Servers } from '../../service/servers.ts';
import type { Publication } from '../../store/access/publications.ts';
import { createWorkPool } from '../../store/connection/work-pool.ts';
import { FairQueue, type QueueClient } from '../limits/fair-queue.ts';
import { AppliedWatch } from './applied-watch.ts';

const MAX_CONNECTIONS = 3;
/** No attempt to send begins later than this after the first, in milliseconds. */
const RETRY_MS = 3000;
const SENDING = { atOnce: 4, atOnceOfAccount: 1, reserved: 0, waiting: 50, waitingOfAccount: 5 };
const READING = { atOnce: 2, atOnceOfAccount: 1, reserved: 0, waiting: 1000, waitingOfAccount: 100 };

/** The parts of publishing in a gateway: a producer, which connects at its first use, and the progress of submissions. */
export class Publishing implements Stoppable {
  /** The turns of requests that publish. */
  readonly turns = new FairQueue(SENDING);
  readonly #reads = new FairQueue(READING);
  readonly #open: () => Promise<MessageProducer>;
  readonly #topic: string;
  readonly #pool: Pool;
  readonly #watch: AppliedWatch;
  #producer: Promise<MessageProducer> | undefined;

  constructor(
    { brokers, databaseUrl, topicPrefix }: Pick<Servers, 'brokers' | 'databaseUrl' | 'topicPrefix'>,
    { clock, log }: { clock: Clock; log: Logger },
  ) {
    this.#topic = topicNames(topicPrefix).submissions;
    this.#open = () => openProducer(brokers, this.#topic, RETRY_MS);
    this.#pool = createWorkPool(databaseUrl, MAX_CONNECTIONS, (error) => {
      log.warn({ error }, 'a connection of publishing to Postgres was lost');
    });
    this.#watch = new AppliedWatch({ pool: this.#pool, topic: this.#topic, clock, log });
  }

  /** The producer of submissions. @throws the Kafka client's error if Kafka cannot be reached */
  producer(): Promise<MessageProducer> {
    this.#producer ??= this.#open().catch((error: unknown) => {
      this.#producer = undefined;
      throw error;
    });
    return this.#producer;
  }

  /**
   * The outcome of each submission of a publication; null if the topic was made anew since.
   *
   * @throws ApiError if too many requests wait for this
   */
  outcomesOf(publication: Publication, client: QueueClient): Promise<Outcome[] | null> {
    return this.#reads.run(() => loadOutcomes(this.#pool, this.#topic, publication), client);
  }

  /** Resolves when nothing of a publication is on its way any more, or when the signal aborts. Never rejects. */
  untilApplied({ topicId, partitions, offsets }: Publication, signal: AbortSignal): Promise<void> {
    const ends = new Map<number, number>();
    partitions.forEach((partition, index) => {
      ends.set(partition, Math.max(ends.get(partition) ?? 0, (offsets[index] ?? 0) + 1));
    });
    return this.#watch.wait({ topicId, ends }, signal);
  }

  async stop(): Promise<void> {
    await this.#producer?.then(
      (producer) => producer.close(),
      () => {},
    );
    await this.#pool.end();
  }
}
