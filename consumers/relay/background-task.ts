/**
 * Work beside a leader's, such as a check, at most once per interval. Its failure is thrown later, at a place
 * where the leader's own work can end.
 */
export class BackgroundTask {
  readonly #intervalMs: number;
  readonly #work: () => Promise<void>;
  #begunAt = performance.now();
  #isRunning = false;
  #failure: unknown;

  /** @param intervalMs the shortest time between two starts, in milliseconds */
  constructor(intervalMs: number, work: () => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#work = work;
  }

  /** Starts the work unless it still runs or began less than the interval ago. */
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

  /** @throws the error of the failed work */
  requireWorking(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
