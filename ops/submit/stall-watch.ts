/** A stall lasts at least this long, in milliseconds. */
const STALL_MS = 10_000;

/** Notices when consumers apply nothing. */
export class StallWatch {
  #total = 0;
  #since: number;

  /** @param now in milliseconds, as for `notices` */
  constructor(now: number) {
    this.#since = now;
  }

  /**
   * @param offsets the offset up to which submissions are applied, by partition; those of others count, because they
   * may come before one's own
   * @returns whether none were applied for 10 seconds; a stall that lasts is noticed every 10 seconds
   */
  notices(offsets: ReadonlyMap<number, number>, now: number): boolean {
    const total = offsets.values().reduce((sum, offset) => sum + offset, 0);
    const isStalled = total === this.#total && now - this.#since >= STALL_MS;
    if (isStalled || total !== this.#total) this.#since = now;
    this.#total = total;
    return isStalled;
  }
}
