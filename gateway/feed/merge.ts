/** A record of the changes topic, in its place in the order. */
export interface Sequenced {
  readonly sequence: number;
}

interface Fetched<T> {
  entry: T;
  offset: number;
}

/**
 * Merges the partitions of the changes topic into one order. Sequences have no gaps, so what comes next is known:
 * the merge gives sequence n + 1 after n or nothing (INV-7), and drops what it has passed (INV-3).
 *
 * Within a partition sequences rise, except for copies that a relay sent again. So a partition whose first record
 * waits is at most ahead; only partitions with nothing waiting need to be read further.
 */
export class SequenceMerge<T extends Sequenced> {
  #next: number;
  /** By partition: where to read on. */
  readonly #offsets: number[];
  readonly #waiting = new Map<number, Fetched<T>[]>();

  /**
   * @param position.sequence the merge begins after it.
   * @param position.offsets by partition, where reading begins; 0 for partitions beyond the list.
   */
  constructor(position: { sequence: number; offsets: readonly number[] }) {
    this.#next = position.sequence + 1;
    this.#offsets = [...position.offsets];
  }

  /** The sequence that comes next. */
  get next(): number {
    return this.#next;
  }

  /** Whether records wait for one before them. */
  get isBlocked(): boolean {
    return this.#waiting.size > 0;
  }

  /** By partition: where to fetch from, for each of the partitions that must be read before the merge can go on. */
  wanted(partitionCount: number): Map<number, number> {
    const wanted = new Map<number, number>();
    for (let partition = 0; partition < partitionCount; partition += 1) {
      if (!this.#waiting.has(partition)) wanted.set(partition, this.#offsets[partition] ?? 0);
    }
    return wanted;
  }

  /** By partition: the offset of the first record that was not given yet, so a merge that starts there misses none. */
  get offsets(): number[] {
    const offsets = Array.from(this.#offsets, (offset) => offset ?? 0);
    for (const [partition, [first]] of this.#waiting) {
      if (first) offsets[partition] = first.offset;
    }
    return offsets;
  }

  /** Adds what was fetched of a partition, in its order; `nextOffset` is where to read it on. */
  add(partition: number, records: Fetched<T>[], nextOffset: number): void {
    this.#offsets[partition] = nextOffset;
    const fresh = records.filter(({ entry }) => entry.sequence >= this.#next);
    if (fresh.length === 0) return;
    const waiting = this.#waiting.get(partition);
    if (waiting) waiting.push(...fresh);
    else this.#waiting.set(partition, fresh);
  }

  /** What can be given now, in order, at most `limit`. */
  take(limit = Number.POSITIVE_INFINITY): T[] {
    const taken: T[] = [];
    const heads = new Map<number, number>();
    for (const partition of this.#waiting.keys()) this.#settle(partition, heads);
    while (taken.length < limit) {
      const partition = heads.get(this.#next);
      const head = partition === undefined ? undefined : this.#waiting.get(partition)?.shift();
      if (partition === undefined || !head) break;
      taken.push(head.entry);
      heads.delete(this.#next);
      this.#next += 1;
      this.#settle(partition, heads);
    }
    return taken;
  }

  /**
   * Drops records at the front of a partition that are passed, or wait at the front of another one too, and notes
   * which sequence its first one has. Copies lie on two partitions where partitions were added in between.
   */
  #settle(partition: number, heads: Map<number, number>): void {
    const waiting = this.#waiting.get(partition) ?? [];
    const first = waiting.findIndex(
      ({ entry: { sequence } }) => sequence >= this.#next && !heads.has(sequence),
    );
    waiting.splice(0, first === -1 ? waiting.length : first);
    const head = waiting[0];
    if (head) heads.set(head.entry.sequence, partition);
    else this.#waiting.delete(partition);
  }
}
