import { Consumer, findErrorBy } from '@platformatic/kafka';

type FetchAnswer = Awaited<ReturnType<Consumer['fetch']>>['responses'][number]['partitions'][number];

/** A record as fetched. */
export interface FetchedRecord {
  offset: number;
  value: Buffer;
}

/** What a fetch gave of one partition. */
export interface PartitionRead {
  partition: number;
  records: FetchedRecord[];
  /** Where to read on. It moves past what holds no record: compacted offsets, markers, emptied batches. */
  nextOffset: number;
  /** Whether there was nothing from `nextOffset` on when the broker answered. */
  atEnd: boolean;
}

export interface FetchLimits {
  /** How long the broker may hold an answer that would be empty, in milliseconds. */
  maxWaitMs: number;
  /** How much to fetch of each partition; a larger batch still comes whole. */
  partitionMaxBytes: number;
}

const MAX_FETCH_BYTES = 32 * 1024 * 1024;
const EARLIEST = -2n;
/** An offset beyond the end, or before the beginning, of a partition. */
const OFFSET_OUT_OF_RANGE = 'OFFSET_OUT_OF_RANGE';

/**
 * Reads a topic's partitions by offset, without a consumer group: the one place where the gateway knows a Kafka
 * client. A broker answers the fetches of an instance one after the other; whoever wants more at once makes more of them.
 */
export class TopicReader {
  readonly #consumer: Consumer;
  readonly #topic: string;
  /** By partition: where it ended as of the last answer that spoke of it. Answers leave out what did not change. */
  readonly #ends = new Map<number, number>();

  constructor({ brokers, topic, clientId }: { brokers: string[]; topic: string; clientId: string }) {
    this.#topic = topic;
    this.#consumer = new Consumer({
      clientId,
      // A consumer is asked for a group though it never joins it.
      groupId: clientId,
      bootstrapBrokers: brokers,
      retries: 1,
      retryDelay: 100,
      timeout: 5000,
      connectTimeout: 3000,
    });
    // Failures are reported by the call that they make fail; an event without a listener would end the process.
    this.#consumer.on('client:broker:failed', () => {});
  }

  /** Which broker leads each partition: broker ids, in the order of the partitions. */
  async leaders(): Promise<number[]> {
    return (await this.#metadata()).partitions.map((partition) => partition.leader);
  }

  /** Asks the brokers anew who leads, and how many partitions there are. */
  async refresh(): Promise<void> {
    await this.#metadata(true);
  }

  async #metadata(forceUpdate = false) {
    const metadata = await this.#consumer.metadata({ topics: [this.#topic], forceUpdate });
    const topic = metadata.topics.get(this.#topic);
    if (!topic) throw new Error(`The topic ${this.#topic} does not exist.`);
    return topic;
  }

  /**
   * Fetches from a broker that leads these partitions.
   *
   * An offset that the log no longer has, or does not have yet, is taken as the beginning of what it has: the
   * sequences of the records decide what is missing, not their offsets.
   *
   * @param offsets by partition, where to read.
   * @throws the client's error when the broker does not answer or no longer leads.
   */
  async fetch(
    node: number,
    offsets: ReadonlyMap<number, number>,
    limits: FetchLimits,
  ): Promise<PartitionRead[]> {
    const { id: topicId } = await this.#metadata();
    const partitions = [...offsets].map(([partition, offset]) => ({
      partition,
      fetchOffset: BigInt(offset),
      currentLeaderEpoch: -1,
      lastFetchedEpoch: -1,
      partitionMaxBytes: limits.partitionMaxBytes,
    }));
    try {
      const { responses } = await this.#consumer.fetch({
        node,
        topics: [{ topicId, partitions }],
        minBytes: 1,
        maxBytes: MAX_FETCH_BYTES,
        maxWaitTime: limits.maxWaitMs,
        isolationLevel: 0,
      });
      const answers = new Map(
        responses.flatMap((topic) => topic.partitions).map((answer) => [answer.partitionIndex, answer]),
      );
      return [...offsets].map(([partition, offset]) => this.#read(partition, offset, answers.get(partition)));
    } catch (error) {
      const outOfRange = error instanceof Error && findErrorBy(error, 'apiId', OFFSET_OUT_OF_RANGE);
      if (!outOfRange) throw error;
      return this.#restart(offsets);
    }
  }

  /**
   * Fetches once from each broker that leads some of these partitions, from all of them at the same time.
   *
   * @param leaders what `leaders()` gave.
   * @param offsets by partition, where to read.
   * @throws as `fetch` does.
   */
  async fetchFromLeaders(
    leaders: readonly number[],
    offsets: ReadonlyMap<number, number>,
    limits: FetchLimits,
  ): Promise<PartitionRead[]> {
    const byNode = Map.groupBy(offsets, ([partition]) => leaders[partition] ?? -1);
    const fetches = [...byNode].map(([node, led]) => this.fetch(node, new Map(led), limits));
    return (await Promise.all(fetches)).flat();
  }

  #read(partition: number, offset: number, answer: FetchAnswer | undefined): PartitionRead {
    if (answer) this.#ends.set(partition, Number(answer.highWatermark));
    let nextOffset = offset;
    const records: FetchedRecord[] = [];
    for (const batch of answer?.records ?? []) {
      const first = Number(batch.firstOffset);
      for (const record of batch.records) {
        const recordOffset = first + record.offsetDelta;
        // A batch comes whole, also where only its end was asked for.
        if (recordOffset >= offset && record.value)
          records.push({ offset: recordOffset, value: record.value });
      }
      nextOffset = Math.max(nextOffset, first + batch.lastOffsetDelta + 1);
    }
    return { partition, records, nextOffset, atEnd: nextOffset >= (this.#ends.get(partition) ?? 0) };
  }

  /** Moves what lies outside of the log to its beginning; the rest stays where it is. */
  async #restart(offsets: ReadonlyMap<number, number>): Promise<PartitionRead[]> {
    const options = { topics: [this.#topic] };
    const starts = await this.#consumer.listOffsets({ ...options, timestamp: EARLIEST });
    const ends = await this.#consumer.listOffsets(options);
    return [...offsets].map(([partition, offset]) => {
      const start = Number(starts.get(this.#topic)?.[partition] ?? 0n);
      const end = Number(ends.get(this.#topic)?.[partition] ?? 0n);
      const nextOffset = offset < start || offset > end ? start : offset;
      return { partition, records: [], nextOffset, atEnd: nextOffset >= end };
    });
  }

  async close(): Promise<void> {
    await this.#consumer.close(true);
  }
}
