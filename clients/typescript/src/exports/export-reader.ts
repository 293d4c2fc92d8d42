import type { Batch } from './read-export.ts';

/** All records of a list, in the order of their ids. It goes on by itself after a cut. */
export class ExportReader<Item> implements AsyncIterable<Item> {
  readonly #read: () => AsyncIterable<Batch<Item>>;
  #streamCursor: string | null = null;

  /** @internal */
  constructor(read: () => AsyncIterable<Batch<Item>>) {
    this.#read = read;
  }

  /**
   * The place in the stream at which the list was read: the events after it complete the copy. Null before the first
   * record; an empty list has it at the end.
   */
  get streamCursor(): string | null {
    return this.#streamCursor;
  }

  /**
   * @throws ApiError, NetworkError or TimeoutError after all retries without a further record; IncompleteExportError if
   *   records are missing; the signal's reason
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const { records, streamCursor } of this.#read()) {
      this.#streamCursor = streamCursor;
      yield* records;
    }
  }
}
