import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, ConsumerRunConfig, Kafka } from 'kafkajs';
import { LastSuccess } from '../service/last-success.ts';
import type { Logger } from '../service/log.ts';

/** How long a consumer that failed waits before it joins again; before it fails it has tried for longer. */
const REJOIN_MS = 1000;
/** A member that is not heard of for so long is put out of its group. */
const SESSION_TIMEOUT_MS = 6000;

/**
 * A member of a consumer group until it is told to stop.
 *
 * kafkajs alone gives a consumer up for good after an error that it takes for final, begins again after others even
 * while it is being stopped, and cannot stop one that is about to join, which then holds partitions that nobody reads.
 * So kafkajs is never the one to begin again.
 */
export class GroupMember {
  readonly consumer: Consumer;
  readonly #heard = new LastSuccess();
  #running: Promise<void> = Promise.resolve();
  #stopping = false;
  /** How often it has failed since the group last answered. */
  #failures = 0;

  constructor(kafka: Kafka, groupId: string) {
    this.consumer = kafka.consumer({
      groupId,
      sessionTimeout: SESSION_TIMEOUT_MS,
      heartbeatInterval: 1500,
      rebalanceTimeout: 10_000,
      maxWaitTimeInMs: 100,
      retry: { retries: 8, initialRetryTime: 100, maxRetryTime: 3000, restartOnFailure: async () => false },
    });
    const { GROUP_JOIN, HEARTBEAT } = this.consumer.events;
    for (const event of [GROUP_JOIN, HEARTBEAT]) {
      this.consumer.on(event, () => {
        this.#heard.note();
        this.#failures = 0;
      });
    }
  }

  /** Whether the group counts it among its members, as far as it can know. */
  get isMember(): boolean {
    return !this.#stopping && this.#heard.isWithin(SESSION_TIMEOUT_MS);
  }

  /** Joins. Where that fails it is tried again for ever, and not waited for. */
  async start(work: ConsumerRunConfig, log: Logger): Promise<void> {
    const { consumer } = this;
    consumer.on(consumer.events.CRASH, ({ payload: { error } }) => {
      if (this.#stopping) return;
      this.#heard.forget();
      this.#failures += 1;
      // The first time it is mostly a coordinator that loads, as when Kafka has just been started.
      const level = this.#failures === 1 ? 'info' : 'warn';
      log[level]({ error }, 'the consumer has failed, and joins its group again');
      this.#running = this.#rejoin(work);
    });
    this.#running = consumer.run(work);
    await this.#running;
  }

  /** Leaves the group, once what is being worked on has come to its end. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
    await this.consumer.disconnect();
  }

  async #rejoin(work: ConsumerRunConfig): Promise<void> {
    await sleep(REJOIN_MS);
    if (!this.#stopping) await this.consumer.run(work);
  }
}
