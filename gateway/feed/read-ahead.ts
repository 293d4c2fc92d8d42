import type { PartitionRead, TopicReader } from '../../kafka/topic-reader.ts';
import type { Decoder } from './decoder.ts';
import type { RenderedChanges } from './rendered-changes.ts';

/** Room for a batch of each partition as the relay makes them: of larger ones, an answer holds only the first whole. */
const LIMITS = { maxWaitMs: 0, partitionMaxBytes: 128 * 1024 };

/** What it needs of the log: whoever calls may hand it another one each time. */
type Fetches = Pick<TopicReader, 'fetchFromLeaders'>;

/** What was fetched of a partition; its changes come once they are decoded. */
export interface DecodingRead extends Omit<PartitionRead, 'records'> {
  /** How many records came, those of another epoch too. */
  count: number;
  changes: Promise<RenderedChanges>;
}

/** What comes next in a partition, on its way. */
interface Ahead {
  offset: number;
  read: Promise<DecodingRead | undefined>;
}

const ignore = () => {
  // Whoever waits for it is told.
};

/**
 * Reads partitions for one who goes through them from their beginning to their end: while that one is busy with a batch
 * of a partition, the next is fetched and decoded already.
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
   * The next batch of each of the partitions.
   *
   * @param leaders what `TopicReader.leaders` gave.
   * @param offsets by partition, where to read.
   * @throws as `TopicReader.fetch` does.
   */
  async read(
    reader: Fetches,
    leaders: readonly number[],
    offsets: ReadonlyMap<number, number>,
  ): Promise<DecodingRead[]> {
    const missing = new Map(offsets);
    const reads: DecodingRead[] = [];
    for (const [partition, offset] of offsets) {
      const read = await this.#take(partition, offset);
      if (!read) continue;
      reads.push(read);
      missing.delete(partition);
    }
    if (missing.size > 0) reads.push(...(await this.#fetch(reader, leaders, missing)));
    // Many readers want no more than one answer: who comes back is read ahead for.
    if (this.#hasBegun) this.#begin(reader, leaders, reads);
    this.#hasBegun = true;
    return reads;
  }

  async #take(partition: number, offset: number): Promise<DecodingRead | undefined> {
    const ahead = this.#ahead.get(partition);
    this.#ahead.delete(partition);
    const read = ahead?.offset === offset ? await ahead.read : undefined;
    // What was the end then may not be the end any more.
    return read?.atEnd ? undefined : read;
  }

  /** Begins to read what comes after these. */
  #begin(reader: Fetches, leaders: readonly number[], reads: readonly DecodingRead[]): void {
    const open = reads.filter(({ atEnd }) => !atEnd);
    const offsets = new Map(open.map(({ partition, nextOffset }) => [partition, nextOffset]));
    // What fails here is fetched again when it is asked for.
    const fetched = this.#fetch(reader, leaders, offsets).catch(() => []);
    for (const [partition, offset] of offsets) {
      const read = fetched.then((all) => all.find((one) => one.partition === partition));
      this.#ahead.set(partition, { offset, read });
    }
  }

  async #fetch(
    reader: Fetches,
    leaders: readonly number[],
    offsets: ReadonlyMap<number, number>,
  ): Promise<DecodingRead[]> {
    const reads = await reader.fetchFromLeaders(leaders, offsets, LIMITS);
    return reads.map(({ records, ...read }) => {
      const changes = this.#decoder.decode(records, this.#epoch);
      changes.catch(ignore);
      return { ...read, count: records.length, changes };
    });
  }
}
