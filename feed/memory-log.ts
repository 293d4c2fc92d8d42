import type { RenderedEvent } from './rendered-event.ts';

/** The newest changes, without a gap, within a number of bytes. */
export class MemoryLog {
  readonly #maxBytes: number;
  /** Events before `#start` are dropped. The list is cut in bulk because shifting one by one is slow. */
  #events: RenderedEvent[] = [];
  #start = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The sequence of the oldest event; undefined if the log is empty. */
  get firstSequence(): number | undefined {
    return this.#events[this.#start]?.sequence;
  }

  clear(): void {
    this.#events = [];
    this.#start = 0;
    this.#bytes = 0;
  }

  /** Adds events, which must follow the last one without a gap. Drops the oldest ones above the limit. */
  append(events: RenderedEvent[]): void {
    for (const event of events) {
      this.#events.push(event);
      this.#bytes += event.bytes;
    }
    // The newest event is kept even if it exceeds the limit alone.
    while (this.#bytes > this.#maxBytes && this.#start < this.#events.length - 1) {
      this.#bytes -= this.#events[this.#start]?.bytes ?? 0;
      this.#start += 1;
    }
    if (this.#start > this.#events.length / 2) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Returns at most `limit` events after a sequence, or undefined if the first of them was dropped. */
  read(afterSequence: number, limit: number): RenderedEvent[] | undefined {
    const first = this.firstSequence;
    if (first === undefined || afterSequence + 1 < first) return undefined;
    const from = this.#start + (afterSequence + 1 - first);
    return this.#events.slice(from, from + limit);
  }
}
