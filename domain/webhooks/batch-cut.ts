/** The most events of a batch. */
export const MAX_BATCH_EVENTS = 100;
/** The most bytes of a batch's events, as JSON with a comma after each. */
export const MAX_BATCH_BYTES = 256 * 1024;

/** Counts events into a batch until it is full. The first event always fits. */
export class BatchCut {
  #events = 0;
  #bytes = 0;

  get isFull(): boolean {
    return this.#events === MAX_BATCH_EVENTS || this.#bytes >= MAX_BATCH_BYTES;
  }

  /** Takes an event of this many bytes into the batch. Returns false if it belongs to the next one. */
  take(bytes: number): boolean {
    const next = this.#bytes + bytes + 1;
    if (this.#events > 0 && (this.#events === MAX_BATCH_EVENTS || next > MAX_BATCH_BYTES)) return false;
    this.#events += 1;
    this.#bytes = next;
    return true;
  }
}
