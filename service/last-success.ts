/** When a task last succeeded. Readiness is judged by it. */
export class LastSuccess {
  #at = Number.NEGATIVE_INFINITY;

  note(): void {
    this.#at = performance.now();
  }

  /** The task has failed since. */
  forget(): void {
    this.#at = Number.NEGATIVE_INFINITY;
  }

  /** Whether the last success was less than `ms` milliseconds ago. */
  isWithin(ms: number): boolean {
    return performance.now() - this.#at < ms;
  }
}
