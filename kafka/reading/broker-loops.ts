import type { Clock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import { type FailurePlace, reportFailure } from '../../service/report-failure.ts';
import type { TopicReader } from './topic-reader.ts';

/** The pause after a failure, in milliseconds. */
const RETRY_MS = 300;

export interface BrokerLoopsOptions {
  reader: Pick<TopicReader, 'sources'>;
  /** The topic as messages name it, such as "the changes topic". */
  name: string;
  where: FailurePlace;
  /** The interval between two looks for new brokers, in milliseconds. */
  watchIntervalMs: number;
  clock: Clock;
  log: Logger;
  /** Chooses the brokers to read from, by the broker of each partition. Called at every look. */
  choose: (sources: readonly number[]) => Iterable<number>;
  /** Reads once from a broker. */
  read: (node: number, sources: readonly number[]) => Promise<void>;
  /** Called with each failure. Returns whether it ends the reading; otherwise it is reported and retried. */
  endsFor?: (error: unknown, node: number | null) => boolean;
  /** Called after each look for new brokers. Must not reject. */
  afterLook?: () => Promise<void>;
}

/**
 * Reads a topic with one loop per broker, so that a quiet or silent broker does not delay the others
 * (INV-14). Partitions move between brokers: a loop begins with a broker's first partition, and ends with its
 * last.
 */
export class BrokerLoops {
  readonly #options: BrokerLoopsOptions;
  readonly #stopping = new AbortController();
  readonly #loops = new Map<number, Promise<void>>();
  #supervisor: Promise<void> | undefined;

  constructor(options: BrokerLoopsOptions) {
    this.#options = options;
  }

  /** The brokers in use. */
  get nodes(): readonly number[] {
    return [...this.#loops.keys()];
  }

  /** Aborts when the reading stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    this.#supervisor = this.#supervise();
  }

  /** Stops after the current reads. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#supervisor;
    await Promise.all(this.#loops.values());
  }

  async #supervise(): Promise<void> {
    const { reader, name, where, watchIntervalMs, clock, log, endsFor, afterLook } = this.#options;
    const { signal } = this;
    let isFailing = false;
    while (!signal.aborted) {
      try {
        this.#startLoops(await reader.sources());
        isFailing = false;
      } catch (error) {
        if (signal.aborted || endsFor?.(error, null)) return;
        const message = `the leaders of ${name} cannot be looked up; trying again`;
        reportFailure(log, error, { where, message, quiet: isFailing });
        isFailing = true;
      }
      await afterLook?.();
      await clock.wait(this.#loops.size > 0 ? watchIntervalMs : RETRY_MS, signal);
    }
  }

  #startLoops(sources: readonly number[]): void {
    for (const node of this.#options.choose(sources)) {
      if (this.#loops.has(node)) continue;
      const loop = this.#follow(node).finally(() => this.#loops.delete(node));
      this.#loops.set(node, loop);
    }
  }

  /** Reads from one broker until it has no partition to read. */
  async #follow(node: number): Promise<void> {
    const { reader, name, where, clock, log, read, endsFor } = this.#options;
    const { signal } = this;
    let isFailing = false;
    while (!signal.aborted) {
      try {
        const sources = await reader.sources();
        // A broker may have named a nearer one.
        this.#startLoops(sources);
        if (!sources.includes(node)) return;
        await read(node, sources);
        if (isFailing) log.info({ node }, `${name} is readable again`);
        isFailing = false;
      } catch (error) {
        if (signal.aborted || endsFor?.(error, node)) return;
        const message = `${name} cannot be read; trying again`;
        reportFailure(log, error, { where, message, fields: { node }, quiet: isFailing });
        isFailing = true;
        await clock.wait(RETRY_MS, signal);
      }
    }
  }
}
