/**
 * The reads that wait for a turn. In each round, every account that waits gets one turn, however many reads it wants
 * (INV-15). Several accounts can wait for the same read.
 */
export class ReadTurns<Read> {
  /** By account, in the order of their next turns. */
  readonly #waiting = new Map<number, Set<Read>>();

  add(read: Read, accountId: number): void {
    const reads = this.#waiting.get(accountId) ?? new Set();
    this.#waiting.set(accountId, reads.add(read));
  }

  /** Lets another account wait for a read as well, if it still waits for its turn. */
  join(read: Read, accountId: number): void {
    const isWaiting = this.#waiting.values().some((reads) => reads.has(read));
    if (isWaiting) this.add(read, accountId);
  }

  /** Takes the read whose turn it is; undefined if none waits. */
  take(): Read | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [accountId, own] = first;
    const [read] = own;
    this.#waiting.delete(accountId);
    this.#waiting.set(accountId, own);
    for (const [waiting, reads] of this.#waiting) {
      reads.delete(read as Read);
      if (reads.size === 0) this.#waiting.delete(waiting);
    }
    return read;
  }
}
