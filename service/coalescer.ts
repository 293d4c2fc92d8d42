import { setImmediate } from 'node:timers/promises';

/**
 * Runs of some work, each shared by the callers that asked before it began. A later caller may have seen something that
 * the run has not, so it waits for the next one. One run is under way at a time, and at most one waits, however many callers
 * there are.
 */
export class Coalescer<Result> {
  readonly #work: () => Promise<Result>;
  /** The run that has not begun yet. */
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
    // Its callers get the error; the next run only waits for the end of this one.
    this.#running = result.catch(() => {});
    return result;
  }
}
