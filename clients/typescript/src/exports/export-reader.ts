import type { Batch } from './read-export.ts';

/** All records of a list, in the order of their ids. It continues by itself after a cut. */
export class ExportReader<Item> implements AsyncIterable<Item> {
  readonly #read: () => AsyncIterable<Batch<Item>>;
  #streamCursor: string | null = null;

  /** @internal */
  constructor(read: () => AsyncIterable<Batch<Item>>) {
    this.#read = read;
  }

  /**
   * The list's position in the stream: the events after it complete the copy. Null before the first record. For an
   * empty list it is set at the end.
   */
  get streamCursor(): string | null {
    return this.#streamCursor;
  }

  /**
   * @throws ApiError, NetworkError or TimeoutError after all retries without a new record; IncompleteExportError if
   * records are missing; the signal's reason
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const { records, streamCursor } of this.#read()) {
      this.#streamCursor = streamCursor;
      yield* records;
    }
  }
}
