import { setTimeout as sleep } from 'node:timers/promises';
import { Consumer, protocolErrorsCodesById } from '@platformatic/kafka';
import type { Brokers } from '../service/brokers.ts';
import type { BufferPool } from '../service/buffer-pool.ts';
import { KafkaUnavailableError } from '../service/failure.ts';
import { keepConnectionErrors, platformaticConnection } from './connections.ts';
import { chooseFetchVersion, OLDEST_FETCH_VERSION, type PartitionAnswer, sendFetch } from './fetch.ts';
import { NearbyReplicas } from './nearby-replicas.ts';
import { createReadBudget, type PartitionRead, readPartition } from './partition-read.ts';
import { explainingRefusals } from './refusal.ts';
import { withRetries } from './retries.ts';
import { isAuthorizationError, MissingRightError, type Right, withRight } from './rights.ts';

/** Offsets of a partition. */
export interface PartitionBounds {
  start: number;
  stableEnd: number;
  end: number;
}

/** A topic of a cluster. One that is deleted and made again has another id, and so has a mirror. */
export interface TopicIdentity {
  topicId: string;
  clusterId: string;
}

export interface FetchLimits {
  /** How long the broker may hold back an empty answer, in milliseconds. */
  maxWaitMs: number;
  /** The most to fetch of each partition; a larger batch still comes whole. */
  partitionMaxBytes: number;
}

export interface TopicReaderOptions {
  brokers: Brokers;
  topic: string;
  clientId: string;
  /** Whether to leave out aborted transactions, and to wait for open ones. */
  committed?: boolean;
  /** The id that the topic must have; null for any. The topic of another id is another log, in which offsets mean others. */
  expectedId?: () => string | null;
  /** The right that this needs: to describe the topic, for one whose offsets alone are asked for. */
  operation?: 'Describe' | 'Read';
  /** A pool for the memory of what is fetched. Every read must then be released, or its buffer is lost to the pool. */
  buffers?: BufferPool;
}

/** The topic was deleted and made anew, or the brokers are another cluster's. */
export class OtherTopicError extends KafkaUnavailableError {
  constructor(topic: string) {
    super(`The topic ${topic} was made anew, and is not written yet.`);
  }
}

const MAX_FETCH_BYTES = 32 * 1024 * 1024;
const EARLIEST = -2n;
const FETCH_API = 1;
const OFFSET_OUT_OF_RANGE = 1;
/** The pause after a partition's error, which a broker reports at once, in milliseconds. */
const ERROR_PAUSE_MS = 100;

/**
 * Reads a topic's partitions by offset, without a consumer group. A broker answers the fetches of one reader one after
 * the other; concurrent fetches need several readers.
 */
export class TopicReader {
  readonly #consumer: Consumer;
  readonly #brokers: Brokers;
  readonly #operation: 'Describe' | 'Read';
  readonly #findHidden: () => unknown;
  readonly #topic: string;
  readonly #committed: boolean;
  readonly #expectedId: () => string | null;
  readonly #buffers: BufferPool | undefined;
  readonly #nearby = new NearbyReplicas();
  #fetchVersion: number | undefined;

  constructor({
    brokers,
    topic,
    clientId,
    committed = false,
    expectedId = () => null,
    operation = 'Read',
    buffers,
  }: TopicReaderOptions) {
    this.#brokers = brokers;
    this.#operation = operation;
    this.#topic = topic;
    this.#committed = committed;
    this.#expectedId = expectedId;
    this.#buffers = buffers;
    this.#consumer = new Consumer({
      clientId,
      // The client insists on a group, which it never joins.
      groupId: clientId,
      ...platformaticConnection(brokers),
      retries: 1,
      retryDelay: 100,
      timeout: 5000,
      connectTimeout: 3000,
    });
    this.#findHidden = keepConnectionErrors(this.#consumer);
  }

  /**
   * The id of the broker to fetch each partition from, by partition: its leader, or a replica in the rack of this process
   * that the leader named.
   */
  async sources(): Promise<number[]> {
    const { brokers, topic } = await this.#metadata();
    return topic.partitions.map(({ leader }, partition) => {
      const nearby = this.#nearby.nodeOf(partition);
      return nearby !== undefined && brokers.has(nearby) ? nearby : leader;
    });
  }

  /** Asks the brokers again for the leaders and the number of partitions. @throws OtherTopicError as `identify` does */
  async refresh(): Promise<void> {
    await this.#metadata(true);
  }

  get #right(): Right {
    return { operation: this.#operation, resource: 'topic', name: this.#topic };
  }

  /** @throws KafkaRefusal if Kafka refuses this process, and the error of `action` otherwise */
  #read<T>(action: () => Promise<T>): Promise<T> {
    return explainingRefusals(this.#brokers, () => withRight(this.#right, action), this.#findHidden);
  }

  /**
   * The ids that Kafka gave the topic and the cluster when they were made. Asks the brokers again.
   *
   * @throws OtherTopicError if the topic's is not the expected one
   */
  async identify(): Promise<TopicIdentity> {
    const { clusterId, topic } = await this.#metadata(true);
    return { topicId: topic.id, clusterId };
  }

  async #metadata(forceUpdate = false) {
    const known = await this.#askForMetadata(forceUpdate);
    const expected = this.#expectedId();
    if (expected === null || known.topic.id === expected) return known;
    const asked = forceUpdate ? known : await this.#askForMetadata(true);
    if (asked.topic.id !== expected) throw new OtherTopicError(this.#topic);
    return asked;
  }

  async #askForMetadata(forceUpdate: boolean) {
    const { id, brokers, topics } = await this.#read(() =>
      this.#consumer.metadata({ topics: [this.#topic], forceUpdate }),
    );
    const topic = topics.get(this.#topic);
    if (!topic) throw new KafkaUnavailableError(`The topic ${this.#topic} does not exist.`);
    return { clusterId: id, brokers, topic };
  }

  /**
   * Fetches from a broker that has these partitions, as `sources` says. An error of one partition does not fail the others.
   * If a leader names a replica to read instead, nothing is read of that partition, and `sources` changes.
   *
   * An offset outside of the log counts as the log's beginning: callers decide by the records what is missing.
   *
   * @param offsets the offset to read from, by partition
   * @throws the client's error if the broker does not answer, and KafkaUnavailableError if it serves none of these
   *   partitions
   */
  async fetch(
    node: number,
    offsets: ReadonlyMap<number, number>,
    limits: FetchLimits,
  ): Promise<PartitionRead[]> {
    const reads: PartitionRead[] = [];
    const wanted = new Map(offsets);
    const stale = this.#nearby.findStale(node, offsets.keys());
    if (stale.length > 0) {
      const answered = await this.#askLeaders(
        new Map(stale.map((partition) => [partition, offsets.get(partition) ?? 0])),
        limits,
      );
      reads.push(...answered);
      for (const partition of stale) if (this.#nearby.nodeOf(partition) !== node) wanted.delete(partition);
    }
    if (wanted.size === 0) return reads;
    try {
      reads.push(...(await this.#fetchFrom(node, wanted, limits)));
    } catch (error) {
      this.#nearby.forgetNode(node);
      throw error;
    }
    return reads;
  }

  /** Asks the leaders of partitions whether a replica is still to be read in their place. */
  async #askLeaders(offsets: ReadonlyMap<number, number>, limits: FetchLimits): Promise<PartitionRead[]> {
    for (const partition of offsets.keys()) this.#nearby.forget(partition);
    return this.fetchFromSources(await this.sources(), offsets, { ...limits, maxWaitMs: 0 });
  }

  async #fetchFrom(
    node: number,
    offsets: ReadonlyMap<number, number>,
    limits: FetchLimits,
  ): Promise<PartitionRead[]> {
    const { brokers, topic } = await this.#metadata();
    const broker = brokers.get(node);
    if (!broker) throw new KafkaUnavailableError(`The cluster has no broker ${node}.`);
    const connection = await this.#read(() => this.#consumer.connections.get(broker));
    this.#fetchVersion ??= await this.#chooseVersion();
    const request = {
      topicId: topic.id,
      offsets,
      committed: this.#committed,
      maxBytes: MAX_FETCH_BYTES,
      rack: this.#brokers.rack ?? '',
      ...limits,
    };
    const { errorCode, partitions } = await sendFetch(connection, this.#fetchVersion, request, this.#buffers);
    if (errorCode !== 0) await this.#failOver(errorCode);
    for (const { partition, preferredReplica, highWatermark, lastStableOffset } of partitions) {
      if (preferredReplica < 0) continue;
      this.#nearby.note(partition, preferredReplica, { end: highWatermark, stableEnd: lastStableOffset });
    }
    return this.#readAnswers(offsets, partitions);
  }

  /**
   * Fetches once from each broker that has some of these partitions, from all of them at the same time.
   *
   * @param sources the result of `sources()`
   * @param offsets the offset to read from, by partition
   * @throws as `fetch` does
   */
  async fetchFromSources(
    sources: readonly number[],
    offsets: ReadonlyMap<number, number>,
    limits: FetchLimits,
  ): Promise<PartitionRead[]> {
    const byNode = Map.groupBy(offsets, ([partition]) => sources[partition] ?? -1);
    const fetches = [...byNode].map(([node, own]) => this.fetch(node, new Map(own), limits));
    return (await Promise.all(fetches)).flat();
  }

  /** The end of every partition, by partition. Tries again while leaders move. */
  async ends(): Promise<number[]> {
    const topics = [this.#topic];
    const ends = await this.#read(() =>
      withRetries(
        async () => {
          await this.refresh();
          return this.#consumer.listOffsets({ topics, isolationLevel: 0 });
        },
        () => {},
      ),
    );
    return Array.from(ends.get(this.#topic) ?? [], (end) => Number(end ?? 0n));
  }

  /** The bounds of every partition, by partition. */
  async bounds(): Promise<PartitionBounds[]> {
    await this.refresh();
    const topics = [this.#topic];
    const [starts, stableEnds, ends] = await this.#read(() =>
      Promise.all([
        this.#consumer.listOffsets({ topics, timestamp: EARLIEST }),
        this.#consumer.listOffsets({ topics, isolationLevel: 1 }),
        this.#consumer.listOffsets({ topics, isolationLevel: 0 }),
      ]),
    );
    const of = (offsets: typeof ends, partition: number) =>
      Number(offsets.get(this.#topic)?.[partition] ?? 0n);
    return (ends.get(this.#topic) ?? []).map((_, partition) => ({
      start: of(starts, partition),
      stableEnd: of(stableEnds, partition),
      end: of(ends, partition),
    }));
  }

  /**
   * The offset of the first record of a partition that was appended at a time or later; null if there is none.
   *
   * @param time milliseconds since 1970
   */
  async offsetAt(partition: number, time: number): Promise<number | null> {
    const timestamp = BigInt(Math.ceil(time));
    const found = await this.#read(() =>
      this.#consumer.listOffsets({
        topics: [this.#topic],
        partitions: { [this.#topic]: [partition] },
        timestamp,
      }),
    );
    const offset = found.get(this.#topic)?.[partition] ?? -1n;
    return offset >= 0n ? Number(offset) : null;
  }

  async close(): Promise<void> {
    await this.#consumer.close(true);
  }

  async #chooseVersion(): Promise<number> {
    const apis = await this.#read(() => this.#consumer.listApis());
    const newest = apis.find(({ apiKey }) => apiKey === FETCH_API)?.maxVersion ?? 0;
    if (newest < OLDEST_FETCH_VERSION) throw new Error('The broker is older than Kafka 3.1.');
    return chooseFetchVersion(newest);
  }

  async #readAnswers(
    offsets: ReadonlyMap<number, number>,
    answers: readonly PartitionAnswer[],
  ): Promise<PartitionRead[]> {
    const budget = createReadBudget();
    const reads = answers
      .filter(({ errorCode }) => errorCode === 0)
      .map((answer) => {
        const { partition, highWatermark: end, lastStableOffset: stableEnd } = answer;
        const from = offsets.get(partition) ?? 0;
        const ends = this.#nearby.furthestEnds(partition, { end, stableEnd });
        return readPartition(answer, { from, ends, committed: this.#committed, budget });
      });
    // A replica that has not got so far yet, or no longer exists, is not asked again.
    const refused = answers.filter(({ errorCode }) => errorCode !== 0);
    const left = new Set(
      refused.map(({ partition }) => partition).filter((each) => this.#nearby.forget(each)),
    );
    const own = answers.filter(({ partition }) => !left.has(partition));
    const outside = own.filter(({ errorCode }) => errorCode === OFFSET_OUT_OF_RANGE);
    if (outside.length > 0) reads.push(...(await this.#restart(offsets, outside)));
    const failed = own.find(({ errorCode }) => errorCode !== 0 && errorCode !== OFFSET_OUT_OF_RANGE);
    if (failed) {
      if (reads.length === 0) await this.#failOver(failed.errorCode);
      await this.refresh();
      await sleep(ERROR_PAUSE_MS);
    }
    return reads;
  }

  async #failOver(errorCode: number): Promise<never> {
    const name = protocolErrorsCodesById[errorCode] ?? `error ${errorCode}`;
    if (isAuthorizationError(name))
      await this.#read(() => Promise.reject(new MissingRightError(this.#right, name)));
    await this.refresh();
    throw new KafkaUnavailableError(`The broker does not serve ${this.#topic}: ${name}.`);
  }

  /** Moves offsets outside of the log to its beginning. The log may have changed since the broker answered. */
  async #restart(
    offsets: ReadonlyMap<number, number>,
    answers: readonly PartitionAnswer[],
  ): Promise<PartitionRead[]> {
    const bounds = await this.bounds();
    return answers.map(({ partition }) => {
      const { start, stableEnd, end } = bounds[partition] ?? { start: 0, stableEnd: 0, end: 0 };
      const offset = offsets.get(partition) ?? 0;
      const isOutOfRange = offset < start || offset > end;
      const nextOffset = isOutOfRange ? start : offset;
      const atEnd = nextOffset >= (this.#committed ? stableEnd : end);
      const nothing = { records: [], unreadable: [], newestAt: 0 };
      return { partition, ...nothing, nextOffset, end, stableEnd, atEnd, isOutOfRange };
    });
  }
}
