import type { Brokers } from '../../service/brokers.ts';
import { platformaticConnection } from '../connection/connections.ts';
import { type Ask, prepareClient } from '../connection/refusal.ts';
import { TopicError, withRetries } from '../connection/retries.ts';
import { isAuthorizationError, MissingRightError, type Right } from '../connection/rights.ts';
import { Base, protocolErrors, protocolErrorsCodesById } from '../library.ts';
import { type ProducerIdentity, requestProducerId, sendProduce } from '../protocol/produce.ts';
import { type OutgoingRecord, writeBatch } from '../protocol/write-batch.ts';
import { partitionOfKey } from './key-partition.ts';

export interface TopicWriterOptions {
  brokers: Brokers;
  topic: string;
  clientId: string;
  /** Attempts that begin later than this after the first are not made, in milliseconds; by default all are. */
  retryMs?: number;
  /** Sends a request; for tests. */
  produce?: typeof sendProduce;
}

/** A batch's place. */
export interface Acknowledgement {
  partition: number;
  /** The offset of its first record; -1 if a duplicate's place is unknown. */
  baseOffset: number;
  /** The batch's records, in order. */
  records: readonly OutgoingRecord[];
}

/** An unacknowledged batch. Retries send it unchanged, so that the broker recognizes it. */
interface Batch {
  partition: number;
  records: readonly OutgoingRecord[];
  bytes: Buffer;
}

/** The greatest age of the known partitions and leaders, in milliseconds. */
const METADATA_MAX_AGE_MS = 30_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** A leader's time limit for the other replicas, in milliseconds; shorter than the request's. */
const REPLICATION_TIMEOUT_MS = 8000;
/** Sequence numbers of a partition restart at 0 after the greatest. */
const SEQUENCES = 2 ** 31;

/** A producer's id, and the topic that it writes to. Each cluster numbers its producers from the beginning. */
type Identity = ProducerIdentity & { topicId: string };

/** The broker already has this batch: an attempt that seemed to fail has arrived. */
const DUPLICATE = 'DUPLICATE_SEQUENCE_NUMBER';

/**
 * Writes to a topic, in order and without duplicates within its own retries: an idempotent producer with one
 * request at a time to each broker, acknowledged by all in-sync replicas.
 *
 * After a failed `send`, the outcome is unknown. The next `send` uses a new producer id.
 */
export class TopicWriter {
  readonly topic: string;
  readonly #client: Base;
  readonly #right: Right;
  readonly #write: Ask;
  readonly #produce: typeof sendProduce;
  readonly #retryMs: number;
  #identity: Identity | undefined;
  /** Whether the brokers may know more about the topic than this writer. */
  #isOutdated = false;
  /** By partition: the number of records sent under this identity. */
  readonly #sequences = new Map<number, number>();

  constructor({
    brokers,
    topic,
    clientId,
    retryMs = Number.POSITIVE_INFINITY,
    produce = sendProduce,
  }: TopicWriterOptions) {
    this.#produce = produce;
    this.#retryMs = retryMs;
    this.topic = topic;
    this.#right = { operation: 'Write', resource: 'topic', name: topic };
    this.#client = new Base({
      clientId,
      ...platformaticConnection(brokers),
      retries: 1,
      retryDelay: 100,
      requestTimeout: REQUEST_TIMEOUT_MS,
      metadataMaxAge: METADATA_MAX_AGE_MS,
    });
    this.#write = prepareClient(this.#client, brokers, this.#right);
    // Another cluster, or this one with older storage, may answer next, and may know this id of another producer.
    this.#client.on('client:broker:disconnect', () => {
      this.#identity = undefined;
      this.#isOutdated = true;
    });
  }

  /** Finds the topic and gets an id for this producer. @throws as `send` does */
  async connect(): Promise<void> {
    await this.#write(() => this.#withRetries(() => this.#identify()));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** The number of partitions. */
  async countPartitions(): Promise<number> {
    const { topic } = await this.#write(() => this.#withRetries(() => this.#metadata()));
    return topic.partitions.length;
  }

  /** Kafka's id of the topic. Asks the brokers again. */
  async identifyTopic(): Promise<string> {
    this.#isOutdated = true;
    const { topic } = await this.#write(() => this.#withRetries(() => this.#metadata()));
    return topic.id;
  }

  /**
   * Sends records, in one batch for each partition, by the hash of their keys. One call at a time.
   *
   * @returns one acknowledgement for each of these partitions, when all in-sync replicas have the records
   * @throws KafkaRefusal if Kafka refuses this process, and otherwise TopicError or the client's error
   */
  async send(records: readonly OutgoingRecord[]): Promise<Acknowledgement[]> {
    try {
      return await this.#write(async () => {
        const partitions = await this.countPartitions();
        const identity = await this.#withRetries(() => this.#identify());
        let open = this.#writeBatches(records, partitions, identity);
        const acknowledged: Acknowledgement[] = [];
        await this.#withRetries(async () => {
          const results = await this.#sendToLeaders(open, identity);
          for (const { acknowledgement } of results) if (acknowledgement) acknowledged.push(acknowledgement);
          open = results.flatMap(({ batch, acknowledgement }) => (acknowledgement ? [] : [batch]));
          const failure = results.find(({ error }) => error !== undefined);
          if (failure) throw failure.error;
        });
        return acknowledged;
      });
    } catch (error) {
      this.#identity = undefined;
      throw error;
    }
  }

  #withRetries<T>(action: () => Promise<T>): Promise<T> {
    const prepare = () => {
      this.#isOutdated = true;
    };
    return withRetries(action, prepare, this.#retryMs);
  }

  /** The brokers' answer, up to 30 s old unless it may be outdated. */
  async #metadata() {
    const forceUpdate = this.#isOutdated;
    this.#isOutdated = false;
    try {
      const { brokers, topics } = await this.#client.metadata({ topics: [this.topic], forceUpdate });
      const topic = topics.get(this.topic);
      if (!topic) throw new TopicError(`The topic ${this.topic} does not exist.`, true);
      return { brokers, topic };
    } catch (error) {
      this.#isOutdated = true;
      throw error;
    }
  }

  async #identify(): Promise<Identity> {
    const { brokers, topic } = await this.#metadata();
    if (this.#identity?.topicId === topic.id) return this.#identity;
    const [broker] = brokers.values();
    if (!broker) throw new TopicError('The cluster has no broker.', true);
    const given = await requestProducerId(await this.#client.connections.get(broker));
    this.#sequences.clear();
    this.#identity = { ...given, topicId: topic.id };
    return this.#identity;
  }

  #writeBatches(records: readonly OutgoingRecord[], partitions: number, identity: Identity): Batch[] {
    const now = Date.now();
    const byPartition = Map.groupBy(records, ({ key }) => partitionOfKey(key, partitions));
    return [...byPartition].map(([partition, own]) => {
      const firstSequence = this.#sequences.get(partition) ?? 0;
      this.#sequences.set(partition, (firstSequence + own.length) % SEQUENCES);
      return { partition, records: own, bytes: writeBatch(own, { ...identity, firstSequence }, now) };
    });
  }

  /** Sends batches to all leaders concurrently. @returns an acknowledgement or an error for each batch */
  async #sendToLeaders(
    batches: readonly Batch[],
    identity: Identity,
  ): Promise<{ batch: Batch; acknowledgement?: Acknowledgement; error?: unknown }[]> {
    const { topic } = await this.#metadata();
    if (topic.id !== identity.topicId) throw new TopicError(`The topic ${this.topic} was made anew.`, false);
    const byLeader = Map.groupBy(batches, ({ partition }) => topic.partitions[partition]?.leader ?? -1);
    const sent = [...byLeader].map(async ([leader, own]) => {
      try {
        const answers = await this.#sendTo(leader, own);
        return own.map((batch) => {
          const acknowledgement = answers.get(batch.partition);
          if (typeof acknowledgement !== 'number')
            return { batch, error: this.#explain(acknowledgement ?? 'UNKNOWN_SERVER_ERROR') };
          const { partition, records } = batch;
          return { batch, acknowledgement: { partition, records, baseOffset: acknowledgement } };
        });
      } catch (error) {
        return own.map((batch) => ({ batch, error }));
      }
    });
    return (await Promise.all(sent)).flat();
  }

  /** By partition: the offset of the first record, or the name of Kafka's error. */
  async #sendTo(leader: number, batches: readonly Batch[]): Promise<Map<number, number | string>> {
    const { brokers } = await this.#metadata();
    const broker = brokers.get(leader);
    if (!broker) throw this.#explain('LEADER_NOT_AVAILABLE');
    const answers = await this.#produce(await this.#client.connections.get(broker), {
      topic: this.topic,
      batches: new Map(batches.map(({ partition, bytes }) => [partition, bytes])),
      timeoutMs: REPLICATION_TIMEOUT_MS,
    });
    return new Map(
      answers.map(({ partition, errorCode, baseOffset }) => {
        const name = errorCode === 0 ? null : nameOf(errorCode);
        const isThere = name === null || name === DUPLICATE;
        return [partition, isThere ? baseOffset : name];
      }),
    );
  }

  #explain(name: string): Error {
    if (isAuthorizationError(name)) return new MissingRightError(this.#right, name);
    const canRetry = protocolErrors[name as keyof typeof protocolErrors]?.canRetry === true;
    return new TopicError(`The broker takes no records for ${this.topic}: ${name}.`, canRetry);
  }
}

function nameOf(errorCode: number): string {
  return protocolErrorsCodesById[errorCode] ?? `error ${errorCode}`;
}
