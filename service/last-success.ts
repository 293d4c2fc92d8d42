/** When something last went well: what health is told by. */
export class LastSuccess {
  #at = Number.NEGATIVE_INFINITY;

  note(): void {
    this.#at = performance.now();
  }

  /** It has failed since. */
  forget(): void {
    this.#at = Number.NEGATIVE_INFINITY;
  }

  /** Whether it was less than so many milliseconds ago. */
  isWithin(ms: number): boolean {
    return performance.now() - this.#at < ms;
  }
}
