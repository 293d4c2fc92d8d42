/** A record of the changes topic, in its place in the order. */
export interface Sequenced {
  readonly sequence: number;
}

interface Fetched<T> {
  entry: T;
  offset: number;
}

/** Where a record that waits for its turn lies. */
interface Waiting {
  sequence: number;
  offset: number;
}

/** More would be a hole in the log, not records out of order; what comes after it is not worth the memory. */
const MAX_WAITING = 50_000;

/**
 * Merges the partitions of the changes topic into one order. Sequences have no gaps, so what comes next is known:
 * the merge gives sequence n + 1 after n or nothing (INV-7), and drops what it has passed (INV-3).
 *
 * Within a partition sequences mostly rise. So while one of its records waits, what comes next is likelier in another,
 * and only partitions with nothing waiting are read on. Copies that a relay sent again, perhaps to another partition
 * since partitions were added, can lie behind later records: where every partition waits, all of them are read on.
 */
export class SequenceMerge<T extends Sequenced> {
  #next: number;
  /** By partition: where to read on. */
  readonly #offsets: number[];
  /** By sequence: what waits for its turn. */
  readonly #pending = new Map<number, T>();
  /** By partition: where its waiting records lie, in the order of their offsets. None is empty. */
  readonly #waiting = new Map<number, Waiting[]>();

  /**
   * @param start.sequence the merge begins after it.
   * @param start.offsets by partition, where reading begins; 0 for partitions beyond the list.
   */
  constructor(start: { sequence: number; offsets: readonly number[] }) {
    this.#next = start.sequence + 1;
    this.#offsets = [...start.offsets];
  }

  /** The sequence that comes next. */
  get next(): number {
    return this.#next;
  }

  /** Whether records wait for one before them. */
  get isBlocked(): boolean {
    return this.#pending.size > 0;
  }

  /** By partition: where to fetch from, for each of the partitions that must be read before the merge can go on. */
  wanted(partitionCount: number): Map<number, number> {
    const wanted = new Map<number, number>();
    if (this.#pending.size >= MAX_WAITING) return wanted;
    const all = this.#waiting.size >= partitionCount;
    for (let partition = 0; partition < partitionCount; partition += 1) {
      if (all || !this.#waiting.has(partition)) wanted.set(partition, this.#offsets[partition] ?? 0);
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
    const waiting = this.#waiting.get(partition) ?? [];
    for (const { entry, offset } of records) {
      const { sequence } = entry;
      // A copy of what waits already adds nothing: the first stands for it, here or in another partition.
      if (sequence < this.#next || this.#pending.has(sequence)) continue;
      this.#pending.set(sequence, entry);
      waiting.push({ sequence, offset });
    }
    if (waiting.length > 0) this.#waiting.set(partition, waiting);
  }

  /** The run that it waits for while later records are there: from which sequence to which; null where there is none. */
  get missing(): { from: number; to: number } | null {
    if (this.#pending.size === 0 || this.#pending.has(this.#next)) return null;
    let first = Number.POSITIVE_INFINITY;
    for (const sequence of this.#pending.keys()) first = Math.min(first, sequence);
    return { from: this.#next, to: first - 1 };
  }

  /** Adds records that come from elsewhere than a partition. */
  fill(entries: readonly T[]): void {
    for (const entry of entries) if (entry.sequence >= this.#next) this.#pending.set(entry.sequence, entry);
  }

  /** Goes on after a sequence, as though everything up to it had been given. */
  skipTo(sequence: number): void {
    for (const waiting of this.#pending.keys()) if (waiting <= sequence) this.#pending.delete(waiting);
    this.#next = Math.max(this.#next, sequence + 1);
    this.#forgetGiven();
  }

  /** What can be given now, in order, at most `limit`. */
  take(limit = Number.POSITIVE_INFINITY): T[] {
    const taken: T[] = [];
    while (taken.length < limit) {
      const entry = this.#pending.get(this.#next);
      if (!entry) break;
      this.#pending.delete(this.#next);
      taken.push(entry);
      this.#next += 1;
    }
    if (taken.length > 0) this.#forgetGiven();
    return taken;
  }

  #forgetGiven(): void {
    for (const [partition, waiting] of this.#waiting) {
      const first = waiting.findIndex(({ sequence }) => sequence >= this.#next);
      if (first === -1) this.#waiting.delete(partition);
      else if (first > 0) waiting.splice(0, first);
    }
  }
}
