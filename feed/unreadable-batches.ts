import type { PartitionRead } from '../kafka/reading/partition-read.ts';
import type { Logger } from '../service/log.ts';
import { createLruCache } from '../service/lru-cache.ts';
import { unreadableBatches } from './metrics.ts';

/** The most batches that are remembered as reported. */
const MAX_REMEMBERED = 10_000;

/**
 * Counts and logs unreadable batches of the changes topic. The tail and every replay meet the same batch; it
 * is reported once. Their changes are holes, and are filled from the change log (INV-7).
 */
export class UnreadableBatches {
  readonly #topic: string;
  readonly #log: Logger;
  readonly #reported = createLruCache<string, true>(MAX_REMEMBERED);

  constructor(topic: string, log: Logger) {
    this.#topic = topic;
    this.#log = log;
  }

  /** Reports the unreadable batches of a fetch, except those reported before. */
  report({ partition, unreadable }: Pick<PartitionRead, 'partition' | 'unreadable'>): void {
    for (const { firstOffset, lastOffset, reason } of unreadable) {
      const name = `${partition}/${firstOffset}`;
      if (this.#reported.has(name)) continue;
      this.#reported.set(name, true);
      unreadableBatches.inc();
      this.#log.error(
        { topic: this.#topic, partition, firstOffset, lastOffset, reason },
        'a batch of the changes topic cannot be read; its changes are loaded from the change log',
      );
    }
  }
}
