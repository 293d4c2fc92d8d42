import type { Brokers } from '../../service/brokers.ts';
import { KafkaUnavailableError } from '../../service/failure.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { platformaticConnection } from '../connection/connections.ts';
import { type Ask, prepareClient } from '../connection/refusal.ts';
import { withRetries } from '../connection/retries.ts';
import type { Right } from '../connection/rights.ts';
import { Consumer, ListOffsetTimestamps } from '../library.ts';

/** Offsets of a partition. */
export interface PartitionBounds {
  start: number;
  stableEnd: number;
  end: number;
}

/** A topic of a cluster. A topic that is deleted and made again has another id, and so has a mirror. */
export interface TopicIdentity {
  topicId: string;
  clusterId: string;
}

export interface TopicLookupOptions {
  brokers: Brokers;
  topic: string;
  clientId: string;
  /** The required id of the topic; null for any. Another id is a different log; its offsets do not carry over. */
  expectedId?: () => string | null;
  /** The right that an error names as missing; Describe by default. */
  operation?: 'Describe' | 'Read';
}

/** The topic was deleted and made anew, or the brokers belong to another cluster. */
export class OtherTopicError extends KafkaUnavailableError {
  constructor(topic: string) {
    const message =
      `The topic ${topic} is not the one that this database knows. If it was made anew, it is written soon; ` +
      'otherwise check KAFKA_BROKERS, TOPIC_PREFIX and DATABASE_URL.';
    super(message, { cause: new OperatorError(message) });
  }
}

const EARLIEST = -2n;

/** Asks Kafka about a topic: its id, the leaders of its partitions, and their offsets. */
export class TopicLookup {
  protected readonly client: Consumer;
  protected readonly topic: string;
  protected readonly right: Right;
  protected readonly ask: Ask;
  readonly #expectedId: () => string | null;

  constructor({
    brokers,
    topic,
    clientId,
    expectedId = () => null,
    operation = 'Describe',
  }: TopicLookupOptions) {
    this.topic = topic;
    this.right = { operation, resource: 'topic', name: topic };
    this.#expectedId = expectedId;
    this.client = new Consumer({
      clientId,
      // The client requires a group, but never joins it.
      groupId: clientId,
      ...platformaticConnection(brokers),
      retries: 1,
      retryDelay: 100,
    });
    this.ask = prepareClient(this.client, brokers, this.right);
  }

  async close(): Promise<void> {
    await this.client.close(true);
  }

  /** Asks the brokers again for the leaders and the number of partitions. @throws OtherTopicError as `identify` does */
  async refresh(): Promise<void> {
    await this.metadata(true);
  }

  /**
   * The ids that Kafka gave the topic and the cluster. Asks the brokers again for that of the topic; the client keeps the
   * id of its first cluster.
   *
   * @throws OtherTopicError if the topic's id is not the expected one
   */
  async identify(): Promise<TopicIdentity> {
    const { clusterId, topic } = await this.metadata(true);
    return { topicId: topic.id, clusterId };
  }

  /** The end of every partition, by partition. Retries while leaders move. */
  async ends(): Promise<number[]> {
    const topics = [this.topic];
    const ends = await this.ask(() =>
      withRetries(
        async () => {
          await this.refresh();
          return this.client.listOffsets({ topics, isolationLevel: 0 });
        },
        () => {},
      ),
    );
    return Array.from(ends.get(this.topic) ?? [], (end) => Number(end ?? 0n));
  }

  /** The bounds of every partition, or only of these, by partition. */
  async bounds(partitions?: readonly number[]): Promise<PartitionBounds[]> {
    await this.refresh();
    const wanted = {
      topics: [this.topic],
      ...(partitions && { partitions: { [this.topic]: [...partitions] } }),
    };
    const [starts, stableEnds, ends] = await this.ask(() =>
      Promise.all([
        this.client.listOffsets({ ...wanted, timestamp: EARLIEST }),
        this.client.listOffsets({ ...wanted, isolationLevel: 1 }),
        this.client.listOffsets({ ...wanted, isolationLevel: 0 }),
      ]),
    );
    const of = (offsets: typeof ends, partition: number) =>
      Number(offsets.get(this.topic)?.[partition] ?? 0n);
    return (ends.get(this.topic) ?? []).map((_, partition) => ({
      start: of(starts, partition),
      stableEnd: of(stableEnds, partition),
      end: of(ends, partition),
    }));
  }

  /**
   * The offset of a partition's first record with an append time at or after `time`; null if there is none.
   *
   * @param time milliseconds since 1970
   */
  async offsetAt(partition: number, time: number): Promise<number | null> {
    const timestamp = BigInt(Math.ceil(time));
    const found = await this.ask(() =>
      this.client.listOffsets({
        topics: [this.topic],
        partitions: { [this.topic]: [partition] },
        timestamp,
      }),
    );
    const offset = found.get(this.topic)?.[partition] ?? -1n;
    return offset >= 0n ? Number(offset) : null;
  }

  /**
   * The append time of a partition's first record with one at or after `time`; null if there is none. Both are
   * milliseconds since 1970. Records of open transactions count.
   */
  async timeAt(partition: number, time: number): Promise<number | null> {
    const found = await this.ask(() =>
      this.client.listOffsetsWithTimestamps({
        topics: [this.topic],
        partitions: { [this.topic]: [partition] },
        timestamp: BigInt(time),
        isolationLevel: 0,
      }),
    );
    const { offset = -1n, timestamp = -1n } = found.get(this.topic)?.get(partition) ?? {};
    return offset >= 0n ? Number(timestamp) : null;
  }

  /** The offset and time of the record with the latest time, by partition. Partitions without records are missing. */
  async newestTimes(): Promise<Map<number, { offset: number; appendedAt: number }>> {
    const found = await this.ask(() =>
      this.client.listOffsetsWithTimestamps({ topics: [this.topic], timestamp: ListOffsetTimestamps.MAX }),
    );
    const listed = [...(found.get(this.topic) ?? [])].filter(([, { offset }]) => offset >= 0n);
    const read = ({ offset, timestamp }: { offset: bigint; timestamp: bigint }) => ({
      offset: Number(offset),
      appendedAt: Number(timestamp),
    });
    return new Map(listed.map(([partition, newest]) => [partition, read(newest)]));
  }

  /** The brokers' answer, up to 5 s old. @throws OtherTopicError as `identify` does */
  protected async metadata(forceUpdate = false) {
    const known = await this.#load(forceUpdate);
    const expected = this.#expectedId();
    if (expected === null || known.topic.id === expected) return known;
    const asked = forceUpdate ? known : await this.#load(true);
    if (asked.topic.id !== expected) throw new OtherTopicError(this.topic);
    return asked;
  }

  async #load(forceUpdate: boolean) {
    const { id, brokers, topics } = await this.ask(() =>
      this.client.metadata({ topics: [this.topic], forceUpdate }),
    );
    const topic = topics.get(this.topic);
    if (!topic) throw new KafkaUnavailableError(`The topic ${this.topic} does not exist.`);
    return { clusterId: id, brokers, topic };
  }
}
