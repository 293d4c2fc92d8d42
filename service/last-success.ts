/** The time of a task's last success, which decides readiness. */
export class LastSuccess {
  #at = Number.NEGATIVE_INFINITY;

  note(): void {
    this.#at = performance.now();
  }

  /** Drops the last success after a failure. */
  forget(): void {
    this.#at = Number.NEGATIVE_INFINITY;
  }

  /** Whether the last success was less than `ms` milliseconds ago. */
  isWithin(ms: number): boolean {
    return performance.now() - this.#at < ms;
  }
}
