import type { Pool } from 'pg';
import { type Attempt, createAttempt } from '../../service/attempt.ts';
import type { Clock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import { loadConsumerOffsets, loadTopicId } from '../../store/stream/consumer-offsets.ts';
import { loadRelayProgress } from '../../store/stream/relay-batches.ts';

/** The interval between looks at the progress, in milliseconds. */
const LOOK_MS = 100;

interface Waiter {
  topicId: string;
  /** The offset that apply must have reached, by partition. */
  ends: ReadonlyMap<number, number>;
  /** The last change when apply had reached them; null before. */
  target: number | null;
  end: () => void;
}

/**
 * Tells requests when their submissions are applied and the events are on the stream. One look at the progress serves all
 * of them, and there is none while nobody waits.
 */
export class AppliedWatch {
  readonly #pool: Pool;
  readonly #topic: string;
  readonly #clock: Clock;
  readonly #attempt: Attempt;
  readonly #waiters = new Set<Waiter>();
  #isLooking = false;

  constructor({ pool, topic, clock, log }: { pool: Pool; topic: string; clock: Clock; log: Logger }) {
    this.#pool = pool;
    this.#topic = topic;
    this.#clock = clock;
    this.#attempt = createAttempt(log, 'publishing');
  }

  /**
   * Resolves when submissions are applied and the events of their changes are on the stream, when their topic was made
   * anew, or when the signal aborts. Never rejects.
   *
   * @param ends the offset after the last of the submissions, by partition
   */
  async wait({ topicId, ends }: Pick<Waiter, 'topicId' | 'ends'>, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter: Waiter = { topicId, ends, target: null, end: resolve };
    this.#waiters.add(waiter);
    const end = () => resolve();
    signal.addEventListener('abort', end);
    if (!this.#isLooking) this.#look();
    await promise;
    signal.removeEventListener('abort', end);
    this.#waiters.delete(waiter);
  }

  /** Looks again and again while requests wait. Never rejects. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#waiters.size > 0) {
      await this.#attempt('the progress of submissions cannot be read; trying again', () => this.#lookOnce());
      await this.#clock.wait(LOOK_MS, NEVER);
    }
    this.#isLooking = false;
  }

  async #lookOnce(): Promise<void> {
    const topicId = await loadTopicId(this.#pool, this.#topic);
    const offsets = await loadConsumerOffsets(this.#pool, this.#topic);
    // After the offsets, so that the log has the changes of all submissions before them.
    const { logged, relayed } = await loadRelayProgress(this.#pool);
    for (const waiter of this.#waiters) {
      const hasReached = [...waiter.ends].every(([partition, end]) => (offsets.get(partition) ?? 0) >= end);
      if (hasReached) waiter.target ??= logged;
      const isDone = waiter.target !== null && relayed >= waiter.target;
      if (isDone || (topicId !== null && topicId !== waiter.topicId)) waiter.end();
    }
  }
}

const NEVER = new AbortController().signal;
