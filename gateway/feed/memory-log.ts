import type { LogEntry } from './entry.ts';

/** The newest changes, without a gap, bounded by the bytes they take. */
export class MemoryLog {
  readonly #maxBytes: number;
  /** Entries before `#start` are dropped; they are cut off in bulk, since shifting one by one is slow. */
  #entries: LogEntry[] = [];
  #start = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The sequence of the oldest entry, or undefined while there is none. */
  get firstSequence(): number | undefined {
    return this.#entries[this.#start]?.sequence;
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries = [];
    this.#start = 0;
    this.#bytes = 0;
  }

  /** Adds entries that follow the last one without a gap, and drops the oldest where there are too many. */
  append(entries: LogEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#bytes += entry.bytes;
    }
    // The newest entry stays however large it is.
    while (this.#bytes > this.#maxBytes && this.#start < this.#entries.length - 1) {
      this.#bytes -= this.#entries[this.#start]?.bytes ?? 0;
      this.#start += 1;
    }
    if (this.#start > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }

  /** At most `limit` entries after a sequence, or undefined where memory has moved on from there. */
  read(afterSequence: number, limit: number): LogEntry[] | undefined {
    const first = this.firstSequence;
    if (first === undefined || afterSequence + 1 < first) return undefined;
    const from = this.#start + (afterSequence + 1 - first);
    return this.#entries.slice(from, from + limit);
  }
}
