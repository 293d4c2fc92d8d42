/**
 * Work that runs beside a leader's, at most once in some time, such as a check. Its failure is thrown later, where the
 * leader's own work can end for it.
 */
export class BackgroundTask {
  readonly #intervalMs: number;
  readonly #work: () => Promise<void>;
  #begunAt = performance.now();
  #isRunning = false;
  #failure: unknown;

  /** @param intervalMs the least time from one start to the next, in milliseconds */
  constructor(intervalMs: number, work: () => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#work = work;
  }

  /** Starts the work unless it still runs or began a moment ago. */
  start(): void {
    if (this.#isRunning || performance.now() - this.#begunAt < this.#intervalMs) return;
    this.#begunAt = performance.now();
    this.#isRunning = true;
    this.#work()
      .catch((error: unknown) => {
        this.#failure = error;
      })
      .finally(() => {
        this.#isRunning = false;
      });
  }

  /** @throws the error with which the work has failed */
  requireWorking(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
