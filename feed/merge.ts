/** A change of the changes topic, with its place in the order. */
export interface Sequenced {
  readonly sequence: number;
  /** The memory that it takes, in bytes. */
  readonly bytes: number;
}

interface Fetched<T> {
  event: T;
  offset: number;
}

/** More waiting bytes mean that the log has a hole. Only partitions without waiting records are then read (INV-15). */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/**
 * Merges the partitions of the changes topic into one order. Sequences have no gaps, so the merge knows which
 * one comes next: it returns n + 1 after n or nothing (INV-7), and drops lower sequences (INV-3).
 *
 * Within a partition, sequences mostly rise. While a record of a partition waits, the next sequence is
 * likelier in another partition, so only partitions without waiting records are read. But copies that the
 * relay sent again can follow later records, even in another partition if partitions were added. So if every
 * partition waits or has ended, the waiting ones are read as well.
 */
export class SequenceMerge<T extends Sequenced> {
  #next: number;
  /** By partition: the offset to read next. */
  readonly #offsets: number[];
  /** Records that wait for their turn, by sequence. */
  readonly #pending = new Map<number, T>();
  #pendingBytes = 0;
  /** By partition: its waiting records in the order of their offsets. Lists are never empty. */
  readonly #waiting = new Map<number, Fetched<T>[]>();

  /**
   * @param start.sequence the merge begins after this sequence
   * @param start.offsets the offsets to read from, by partition; 0 for partitions beyond the list
   */
  constructor(start: { sequence: number; offsets: readonly number[] }) {
    this.#next = start.sequence + 1;
    this.#offsets = [...start.offsets];
  }

  /** The next sequence. */
  get next(): number {
    return this.#next;
  }

  /** Whether records wait for an earlier one. */
  get isBlocked(): boolean {
    return this.#pending.size > 0;
  }

  /**
   * Returns the partitions that must be read before the merge can continue, with the offsets to fetch from.
   *
   * @param options.ahead all partitions are read while at most this many records wait
   * @param options.atEnd the partitions that were read to their end
   */
  wanted(
    partitionCount: number,
    { ahead = 0, atEnd }: { ahead?: number; atEnd?: ReadonlySet<number> } = {},
  ): Map<number, number> {
    const open = Array.from({ length: partitionCount }, (_, partition) => partition).filter(
      (partition) => !atEnd?.has(partition),
    );
    const idle = open.filter((partition) => !this.#waiting.has(partition));
    const isFull = this.#pendingBytes >= MAX_WAITING_BYTES;
    const wanted = !isFull && (this.#pending.size <= ahead || idle.length === 0) ? open : idle;
    return new Map(wanted.map((partition) => [partition, this.#offsets[partition] ?? 0]));
  }

  /** By partition: the offset of the first record not yet returned. A merge that starts there misses none. */
  get offsets(): number[] {
    const offsets = Array.from(this.#offsets, (offset) => offset ?? 0);
    for (const [partition, [first]] of this.#waiting) {
      if (first) offsets[partition] = first.offset;
    }
    return offsets;
  }

  /** Adds fetched records of a partition, in their order. `nextOffset` follows them. */
  add(partition: number, records: Fetched<T>[], nextOffset: number): void {
    this.#offsets[partition] = nextOffset;
    const waiting = this.#waiting.get(partition) ?? [];
    for (const record of records) {
      const { sequence } = record.event;
      // A copy of a waiting record adds nothing, even from another partition.
      if (sequence < this.#next || this.#pending.has(sequence)) continue;
      this.#keep(record.event);
      waiting.push(record);
    }
    if (waiting.length > 0) this.#waiting.set(partition, waiting);
  }

  /** The missing sequences before the first waiting record, both ends included; null if none are missing. */
  get missing(): { from: number; to: number } | null {
    if (this.#pending.size === 0 || this.#pending.has(this.#next)) return null;
    let first = Number.POSITIVE_INFINITY;
    for (const sequence of this.#pending.keys()) first = Math.min(first, sequence);
    return { from: this.#next, to: first - 1 };
  }

  /**
   * Adds the missing ones among records that do not come from a partition.
   *
   * @returns the sequences of the added records
   */
  fill(events: readonly T[]): number[] {
    const missing = events.filter(({ sequence }) => sequence >= this.#next && !this.#pending.has(sequence));
    for (const event of missing) this.#keep(event);
    return missing.map(({ sequence }) => sequence);
  }

  /** The highest waiting sequence; the one before the next if no record waits. */
  get highest(): number {
    let highest = this.#next - 1;
    for (const sequence of this.#pending.keys()) highest = Math.max(highest, sequence);
    return highest;
  }

  /** Continues after a sequence as if every record up to it had been returned. */
  skipTo(sequence: number): void {
    for (const waiting of this.#pending.values()) if (waiting.sequence <= sequence) this.#drop(waiting);
    this.#next = Math.max(this.#next, sequence + 1);
    this.#forgetPassed();
  }

  /** Takes the records that can be returned now, in order, at most `limit`. */
  take(limit = Number.POSITIVE_INFINITY): T[] {
    const taken: T[] = [];
    while (taken.length < limit) {
      const event = this.#pending.get(this.#next);
      if (!event) break;
      this.#drop(event);
      taken.push(event);
      this.#next += 1;
    }
    if (taken.length > 0) this.#forgetPassed();
    return taken;
  }

  #keep(event: T): void {
    this.#pending.set(event.sequence, event);
    this.#pendingBytes += event.bytes;
  }

  #drop(event: T): void {
    this.#pending.delete(event.sequence);
    this.#pendingBytes -= event.bytes;
  }

  #forgetPassed(): void {
    for (const [partition, waiting] of this.#waiting) {
      const first = waiting.findIndex(({ event }) => event.sequence >= this.#next);
      if (first === -1) this.#waiting.delete(partition);
      else if (first > 0) waiting.splice(0, first);
    }
  }
}
