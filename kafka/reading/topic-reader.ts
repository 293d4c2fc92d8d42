import { setTimeout as sleep } from 'node:timers/promises';
import type { BufferPool } from '../../service/buffer-pool.ts';
import { KafkaUnavailableError } from '../../service/failure.ts';
import { isAuthorizationError, MissingRightError } from '../connection/rights.ts';
import { protocolErrorsCodesById } from '../library.ts';
import { type PartitionAnswer, requestFetchVersion, sendFetch } from '../protocol/fetch.ts';
import { NearbyReplicas } from './nearby-replicas.ts';
import { createReadBudget, type PartitionRead, readPartition } from './partition-read.ts';
import { TopicLookup, type TopicLookupOptions } from './topic-lookup.ts';

export interface FetchLimits {
  /** The longest time that the broker may delay an empty answer, in milliseconds. */
  maxWaitMs: number;
  /** The most bytes to fetch from each partition; a larger batch still comes whole. */
  partitionMaxBytes: number;
}

export interface TopicReaderOptions extends TopicLookupOptions {
  /** Whether to leave out aborted transactions, and to wait for open ones. */
  committed?: boolean;
  /** A pool for the memory of fetches. Every read must then be released, or the pool loses its buffer. */
  buffers?: BufferPool;
}

const MAX_FETCH_BYTES = 32 * 1024 * 1024;
const OFFSET_OUT_OF_RANGE = 1;
/** The pause after a partition's error, in milliseconds, because brokers report errors without delay. */
const ERROR_PAUSE_MS = 100;

/**
 * Reads a topic's partitions by offset, without a consumer group. A broker answers one reader's fetches one
 * after the other; concurrent fetches need several readers.
 */
export class TopicReader extends TopicLookup {
  readonly #rack: string;
  readonly #committed: boolean;
  readonly #buffers: BufferPool | undefined;
  readonly #nearby = new NearbyReplicas();
  /** By broker: its version of Fetch. */
  readonly #versions = new Map<number, number>();

  constructor({ committed = false, buffers, ...options }: TopicReaderOptions) {
    super({ operation: 'Read', ...options });
    this.#rack = options.brokers.rack ?? '';
    this.#committed = committed;
    this.#buffers = buffers;
  }

  /**
   * The broker to fetch each partition from, by partition: its leader, or a replica in this process's rack
   * that the leader named.
   */
  async sources(): Promise<number[]> {
    const { brokers, topic } = await this.metadata();
    return topic.partitions.map(({ leader }, partition) => {
      const nearby = this.#nearby.nodeOf(partition);
      return nearby !== undefined && brokers.has(nearby) ? nearby : leader;
    });
  }

  /**
   * Fetches from a broker that has these partitions, according to `sources`. An error of one partition does
   * not fail the others. If a leader names a replica instead, this reads nothing of that partition, and
   * `sources` changes.
   *
   * An offset outside of the log becomes the log's beginning: callers detect missing records themselves.
   *
   * @param offsets the offset to read from, by partition
   * @throws the client's error if the broker does not answer, and KafkaUnavailableError if it serves none of
   * these partitions. The next `sources` then asks for the leaders again.
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
    reads.push(...(await this.#fetchFrom(node, wanted, limits)));
    return reads;
  }

  /**
   * Fetches once from the leader of a partition, even if this process reads a replica in its rack: the
   * replica may lag behind, and a leader's first answer only names it.
   *
   * @returns undefined if the leader does not answer for the partition
   * @throws as `fetch` does
   */
  async fetchFromLeader(
    partition: number,
    offset: number,
    limits: FetchLimits,
  ): Promise<PartitionRead | undefined> {
    const { topic } = await this.metadata();
    const leader = topic.partitions[partition]?.leader ?? -1;
    const [read] = await this.#fetchFrom(leader, new Map([[partition, offset]]), limits, '');
    return read;
  }

  /** Asks the leaders of partitions whether to continue reading a replica. */
  async #askLeaders(offsets: ReadonlyMap<number, number>, limits: FetchLimits): Promise<PartitionRead[]> {
    for (const partition of offsets.keys()) this.#nearby.forget(partition);
    return this.fetchFromSources(await this.sources(), offsets, { ...limits, maxWaitMs: 0 });
  }

  async #fetchFrom(
    node: number,
    offsets: ReadonlyMap<number, number>,
    limits: FetchLimits,
    rack = this.#rack,
  ): Promise<PartitionRead[]> {
    try {
      return await this.#request(node, offsets, limits, rack);
    } catch (error) {
      this.#nearby.forgetNode(node);
      // It may return as a broker of another version.
      this.#versions.delete(node);
      // A stopping broker passes its partitions to others, which the next `sources` then names.
      this.client.clearMetadata();
      throw error;
    }
  }

  async #request(
    node: number,
    offsets: ReadonlyMap<number, number>,
    limits: FetchLimits,
    rack: string,
  ): Promise<PartitionRead[]> {
    const { brokers, topic } = await this.metadata();
    const broker = brokers.get(node);
    if (!broker) throw new KafkaUnavailableError(`The cluster has no broker ${node}.`);
    const connection = await this.ask(() => this.client.connections.get(broker));
    const version = this.#versions.get(node) ?? (await this.ask(() => requestFetchVersion(connection)));
    this.#versions.set(node, version);
    const request = {
      topicId: topic.id,
      offsets,
      leaderEpochs: topic.partitions.map(({ leaderEpoch }) => leaderEpoch),
      committed: this.#committed,
      maxBytes: MAX_FETCH_BYTES,
      rack,
      ...limits,
    };
    const { errorCode, partitions } = await sendFetch(connection, version, request, this.#buffers);
    if (errorCode !== 0) await this.#fail(errorCode);
    for (const { partition, preferredReplica, highWatermark, lastStableOffset } of partitions) {
      if (preferredReplica < 0) continue;
      this.#nearby.note(partition, preferredReplica, { end: highWatermark, stableEnd: lastStableOffset });
    }
    return this.#readAnswers(offsets, partitions);
  }

  /**
   * Fetches once from each broker with some of these partitions, concurrently.
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
    // Does not ask again a replica that has not reached the offset, or no longer exists.
    const refusedByLeaders = answers.filter(
      ({ partition, errorCode }) => errorCode !== 0 && !this.#nearby.forget(partition),
    );
    const outOfRange = refusedByLeaders.filter(({ errorCode }) => errorCode === OFFSET_OUT_OF_RANGE);
    if (outOfRange.length > 0) reads.push(...(await this.#restart(offsets, outOfRange)));
    const failed = refusedByLeaders.find(({ errorCode }) => errorCode !== OFFSET_OUT_OF_RANGE);
    if (failed) {
      if (reads.length === 0) await this.#fail(failed.errorCode);
      await this.refresh();
      await sleep(ERROR_PAUSE_MS);
    }
    return reads;
  }

  async #fail(errorCode: number): Promise<never> {
    const name = protocolErrorsCodesById[errorCode] ?? `error ${errorCode}`;
    if (isAuthorizationError(name))
      await this.ask(() => Promise.reject(new MissingRightError(this.right, name)));
    throw new KafkaUnavailableError(`The broker does not serve ${this.topic}: ${name}.`);
  }

  /** Moves offsets outside of the log to its beginning. The log may have changed since the answer. */
  async #restart(
    offsets: ReadonlyMap<number, number>,
    answers: readonly PartitionAnswer[],
  ): Promise<PartitionRead[]> {
    const bounds = await this.bounds(answers.map(({ partition }) => partition));
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
