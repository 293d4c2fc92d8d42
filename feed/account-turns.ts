/**
 * The pieces of work that wait for a turn. In each round, every account that waits gets one turn, however many pieces it
 * wants (INV-15). Several accounts can wait for the same piece.
 */
export class AccountTurns<Work> {
  /** By account, in the order of their next turns. */
  readonly #waiting = new Map<number, Set<Work>>();

  add(work: Work, accountId: number): void {
    const own = this.#waiting.get(accountId) ?? new Set();
    this.#waiting.set(accountId, own.add(work));
  }

  /** Lets another account wait for a piece as well, if it still waits for its turn. */
  join(work: Work, accountId: number): void {
    const isWaiting = this.#waiting.values().some((own) => own.has(work));
    if (isWaiting) this.add(work, accountId);
  }

  /** Takes the piece whose turn it is; undefined if none waits. */
  take(): Work | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [accountId, own] = first;
    const [work] = own;
    this.#waiting.delete(accountId);
    this.#waiting.set(accountId, own);
    for (const [waiting, others] of this.#waiting) {
      others.delete(work as Work);
      if (others.size === 0) this.#waiting.delete(waiting);
    }
    return work;
  }
}
