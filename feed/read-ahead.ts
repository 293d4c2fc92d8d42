import type { PartitionRead } from '../kafka/reading/partition-read.ts';
import type { TopicReader } from '../kafka/reading/topic-reader.ts';
import type { Decoder } from './decoder.ts';
import type { TransferableChanges } from './transferable-changes.ts';

/** The log to fetch from. It may differ from call to call. */
type Fetches = Pick<TopicReader, 'fetchFromSources'>;

/** A fetched part of a partition. Its changes follow when they are decoded. */
export interface DecodingRead extends Omit<PartitionRead, 'records' | 'release'> {
  /** The number of fetched records, those of another epoch included. */
  count: number;
  changes: Promise<TransferableChanges>;
}

/** The next batch of a partition, being fetched. */
interface Ahead {
  offset: number;
  read: Promise<DecodingRead | undefined>;
}

/**
 * Reads partitions for one consumer, in order. While the consumer works on a batch of a partition, the next
 * one is already fetched and decoded.
 */
export class ReadAhead {
  readonly #decoder: Decoder;
  readonly #epoch: number;
  readonly #ahead = new Map<number, Ahead>();
  #hasBegun = false;

  constructor({ decoder, epoch }: { decoder: Decoder; epoch: number }) {
    this.#decoder = decoder;
    this.#epoch = epoch;
  }

  /**
   * Returns the next batch of each partition.
   *
   * @param sources the result of `TopicReader.sources`.
   * @param offsets by partition, the offset to read from.
   * @param partitionMaxBytes the most bytes to fetch of a partition.
   * @throws the errors of `TopicReader.fetch`.
   */
  async read(
    reader: Fetches,
    sources: readonly number[],
    offsets: ReadonlyMap<number, number>,
    partitionMaxBytes: number,
  ): Promise<DecodingRead[]> {
    const fetch = async (from: ReadonlyMap<number, number>) => {
      const fetched = await reader.fetchFromSources(sources, from, { maxWaitMs: 0, partitionMaxBytes });
      return fetched.map((read) => this.#decode(read));
    };
    const missing = new Map(offsets);
    const reads: DecodingRead[] = [];
    for (const [partition, offset] of offsets) {
      const read = await this.#take(partition, offset);
      if (!read) continue;
      reads.push(read);
      missing.delete(partition);
    }
    if (missing.size > 0) reads.push(...(await fetch(missing)));
    // Many consumers need only one batch, so reading ahead begins with the second call.
    if (this.#hasBegun) this.#begin(fetch, reads);
    this.#hasBegun = true;
    return reads;
  }

  async #take(partition: number, offset: number): Promise<DecodingRead | undefined> {
    const ahead = this.#ahead.get(partition);
    this.#ahead.delete(partition);
    const read = ahead?.offset === offset ? await ahead.read : undefined;
    // At the end, more records may have followed since.
    return read?.atEnd ? undefined : read;
  }

  /** Begins to read the batches after these. */
  #begin(
    fetch: (from: ReadonlyMap<number, number>) => Promise<DecodingRead[]>,
    reads: readonly DecodingRead[],
  ): void {
    const open = reads.filter(({ atEnd }) => !atEnd);
    const offsets = new Map(open.map(({ partition, nextOffset }) => [partition, nextOffset]));
    // A batch that fails here is fetched again when it is needed.
    const fetched = fetch(offsets).catch(() => []);
    for (const [partition, offset] of offsets) {
      const read = fetched.then((all) => all.find((one) => one.partition === partition));
      this.#ahead.set(partition, { offset, read });
    }
  }

  #decode({ records, release, ...read }: PartitionRead): DecodingRead {
    const changes = this.#decoder.decode(records, this.#epoch);
    // The caller that awaits the promise gets the error.
    changes.catch(() => {});
    release?.();
    return { ...read, count: records.length, changes };
  }
}
