import { onAbort } from '../http/on-abort.ts';
import type { EndorsementEvent } from '../types.ts';
import type { Start, StepSource } from './step.ts';

/** The reader has moved past changes outside its filter. */
export interface Checkpoint {
  type: 'checkpoint';
  /** The reader's cursor. Store it, so that it does not expire while nothing happens. */
  cursor: string;
}

/**
 * The events of a stream, in order, each once. It continues by itself after every temporary failure.
 *
 * Iteration reads the stream, and leaving the loop closes the connection. Another iteration continues after the last
 * processed event.
 */
export class EventReader<Item extends EndorsementEvent | Checkpoint> implements AsyncIterable<Item> {
  readonly #source: StepSource;
  readonly #start: Start;
  readonly #signal: AbortSignal | undefined;
  readonly #withCheckpoints: boolean;
  #cursor: string | null;
  #running: AbortController | null = null;

  /** @internal */
  constructor(
    source: StepSource,
    { start, signal, checkpoints }: { start: Start; signal: AbortSignal | undefined; checkpoints: boolean },
  ) {
    this.#source = source;
    this.#start = start;
    this.#signal = signal;
    this.#withCheckpoints = checkpoints;
    this.#cursor = start.cursor;
  }

  /**
   * The cursor after everything processed. An event counts as processed when the loop asks for the next one. During the
   * processing of an event, its `id` is the cursor after it. Null until the service has sent a cursor.
   */
  get cursor(): string | null {
    return this.#cursor;
  }

  /** Ends a loop that waits for events, without an error. */
  close(): void {
    this.#running?.abort();
  }

  /**
   * @throws CursorExpiredError if the cursor is older than the stream's oldest event; ApiError for a refusal such as
   * 400, 401, 403 and 404; the signal's reason
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    if (this.#running)
      throw new TypeError('These events are being read already; call the method again for others.');
    const running = new AbortController();
    const abort = () => running.abort(this.#signal?.reason);
    this.#running = running;
    const leave = this.#signal && onAbort(this.#signal, abort);
    try {
      this.#signal?.throwIfAborted();
      for await (const steps of this.#source({ ...this.#start, cursor: this.#cursor }, running.signal)) {
        for (const { cursor, event } of steps) {
          if (running.signal.aborted) running.signal.throwIfAborted();
          if (event) yield event as Item;
          else if (this.#withCheckpoints) yield { type: 'checkpoint', cursor } as Item;
          this.#cursor = cursor;
        }
      }
    } catch (error) {
      // A closed reader reports no error.
      if (!running.signal.aborted || this.#signal?.aborted) throw error;
    } finally {
      leave?.();
      running.abort();
      this.#running = null;
    }
  }
}
