import type { LogEntry } from './entry.ts';

/** The newest changes, without a gap, within a number of bytes. */
export class MemoryLog {
  readonly #maxBytes: number;
  /** Entries before `#start` are dropped. The list is cut in bulk because shifting one by one is slow. */
  #entries: LogEntry[] = [];
  #start = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The sequence of the oldest entry, or undefined if there is none. */
  get firstSequence(): number | undefined {
    return this.#entries[this.#start]?.sequence;
  }

  clear(): void {
    this.#entries = [];
    this.#start = 0;
    this.#bytes = 0;
  }

  /** Adds entries, which must follow the last one without a gap, and drops the oldest above the limit. */
  append(entries: LogEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#bytes += entry.bytes;
    }
    // The newest entry is kept even if it alone exceeds the limit.
    while (this.#bytes > this.#maxBytes && this.#start < this.#entries.length - 1) {
      this.#bytes -= this.#entries[this.#start]?.bytes ?? 0;
      this.#start += 1;
    }
    if (this.#start > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Returns at most `limit` entries after a sequence, or undefined if the first of them was dropped. */
  read(afterSequence: number, limit: number): LogEntry[] | undefined {
    const first = this.firstSequence;
    if (first === undefined || afterSequence + 1 < first) return undefined;
    const from = this.#start + (afterSequence + 1 - first);
    return this.#entries.slice(from, from + limit);
  }
}
