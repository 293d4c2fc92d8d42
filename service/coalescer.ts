import { setImmediate } from 'node:timers/promises';

/**
 * Runs of some work. Callers share a run if they asked before it began. A later caller may know of something
 * that the run has missed, so it waits for the next run. At most one run is active and one waits, for any
 * number of callers.
 */
export class Coalescer<Result> {
  readonly #work: () => Promise<Result>;
  /** The waiting run. */
  #next: Promise<Result> | undefined;
  /** Settles when the current run ends. Never rejects. */
  #running: Promise<unknown> = Promise.resolve();

  /** @param work must settle soon: the next run and all of its callers wait for it. */
  constructor(work: () => Promise<Result>) {
    this.#work = work;
  }

  /** Returns the result of the next run. Rejects with its error. */
  next(): Promise<Result> {
    this.#next ??= this.#begin();
    return this.#next;
  }

  async #begin(): Promise<Result> {
    // All callers in the same turn of the event loop share the run.
    await Promise.all([this.#running, setImmediate()]);
    this.#next = undefined;
    const result = this.#work();
    // The callers get the error; the next run only waits for the end of this one.
    this.#running = result.catch(() => {});
    return result;
  }
}
