import type pg from 'pg';
import type { ChangeRecord, ChangesProducer } from '../../kafka/changes-producer.ts';
import { changeCodec, identifyChange } from '../../schemas/change.ts';
import { formatChangeHeaders } from '../../schemas/record-headers.ts';
import { type Clock, systemClock } from '../../service/clock.ts';
import { SupersededError } from '../../service/failure.ts';
import { observeHop } from '../../service/stream-metrics.ts';
import { traceMessages } from '../../service/tracing.ts';
import {
  acknowledgeBatch,
  beginBatch,
  type ChangeToRelay,
  loadChanges,
  loadEpoch,
  loadLastBatch,
  type RelayBatch,
} from '../../store/stream/relay-batches.ts';
import { relayedChanges, relayedSequence } from './metrics.ts';

/** The most changes in a batch. Each batch costs two statements in Postgres and at least one request to Kafka. */
const MAX_BATCH = 1000;
/** The end offsets of the partitions are fetched again when they are older than this, in milliseconds. */
const ENDS_MAX_AGE_MS = 200;

/** What a relay needs besides its connections. */
export interface RelayParts {
  clock?: Clock | undefined;
  beforeSending?: () => Promise<void>;
}

/**
 * Copies the change log to Kafka in batches. The offsets from which a batch can be read are stored before it is first
 * sent: a relay that dies in the middle is followed by one that sends the same ids (INV-3).
 *
 * There is one relay at a time. It works on the connection that holds the leader's lock, and ends with it.
 */
export class Relay {
  readonly #client: pg.Client;
  readonly #producer: ChangesProducer;
  readonly #epoch: number;
  readonly #clock: Clock;
  readonly #beforeSending: () => Promise<void>;
  #nextSequence: number;
  /** By partition: its end offset a moment ago, which is a lower bound for new records. */
  #ends: number[];
  #endsFetchedAt = performance.now();

  private constructor(
    client: pg.Client,
    producer: ChangesProducer,
    start: { epoch: number; nextSequence: number; ends: number[] } & {
      clock: Clock;
      beforeSending: () => Promise<void>;
    },
  ) {
    this.#client = client;
    this.#producer = producer;
    this.#epoch = start.epoch;
    this.#clock = start.clock;
    this.#beforeSending = start.beforeSending;
    this.#nextSequence = start.nextSequence;
    this.#ends = start.ends;
  }

  /**
   * Sends again the batch that the last relay left unacknowledged, and is then ready to go on.
   *
   * @param clock tells when changes are relayed; the database's, by which they occurred
   * @param beforeSending called after changes were read; they are sent when it resolves
   */
  static async start(
    client: pg.Client,
    producer: ChangesProducer,
    { clock = systemClock, beforeSending = async () => {} }: RelayParts = {},
  ): Promise<Relay> {
    const { epoch, after } = await loadEpoch(client);
    const last = await loadLastBatch(client);
    // Changes from before the epoch belong to another history, whether they were relayed or not.
    const nextSequence = Math.max(last?.lastSequence ?? 0, after) + 1;
    const relay = new Relay(client, producer, {
      epoch,
      nextSequence,
      ends: await producer.fetchEndOffsets(),
      clock,
      beforeSending,
    });
    if (last && !last.acknowledged && last.firstSequence > after) {
      const { firstSequence: from, lastSequence: to } = last;
      await beforeSending();
      await relay.#send(last, await loadChanges(client, { from, to, limit: to - from + 1 }));
    }
    return relay;
  }

  /** Sends the next batch of the change log. @returns the number of changes in it */
  async relayNext(): Promise<number> {
    const changes = await loadChanges(this.#client, { from: this.#nextSequence, limit: MAX_BATCH });
    const last = changes.at(-1);
    if (!last) return 0;
    const batch = {
      firstSequence: this.#nextSequence,
      lastSequence: last.sequence,
      offsets: this.#ends,
      epoch: this.#epoch,
    };
    // A batch that has begun counts as announced: gateways fill holes from it.
    await this.#beforeSending();
    await beginBatch(this.#client, batch);
    await this.#send(batch, changes);
    this.#nextSequence = last.sequence + 1;
    return changes.length;
  }

  async #send(batch: Omit<RelayBatch, 'acknowledged'>, changes: ChangeToRelay[]): Promise<void> {
    const expected = batch.lastSequence - batch.firstSequence + 1;
    if (changes.length !== expected) {
      throw new Error(
        `The change log has ${changes.length} of the ${expected} changes from ${batch.firstSequence} to ${batch.lastSequence}.`,
      );
    }
    const work = () => ({
      name: `send ${this.#producer.topic}`,
      kind: 'producer' as const,
      traceparents: changes.map(({ traceparent }) => traceparent),
      attributes: { 'messaging.batch.message_count': changes.length },
    });
    await traceMessages(work, async () => {
      const relayedAt = this.#clock.now();
      await this.#producer.send(changes.map((change) => this.#toRecord(batch, change, relayedAt)));
      await acknowledgeBatch(this.#client, batch.firstSequence);
    });
    const acknowledgedAt = this.#clock.now();
    for (const { occurredAt } of changes) observeHop('relay', occurredAt, acknowledgedAt);
    relayedChanges.inc(changes.length);
    relayedSequence.set(batch.lastSequence);
    await this.#refreshEnds();
  }

  #toRecord(
    { offsets }: Pick<RelayBatch, 'offsets'>,
    change: ChangeToRelay,
    relayedAt: number,
  ): ChangeRecord {
    const value = changeCodec.encode(identifyChange(change, { epoch: this.#epoch, offsets }));
    return { key: change.body.endorser.slug, value, headers: formatChangeHeaders({ ...change, relayedAt }) };
  }

  /**
   * Offsets only grow, so old ends are right, only further from the mark: a reader starts a little too early.
   *
   * @throws SupersededError if they did not grow, since it is another log then
   */
  async #refreshEnds(): Promise<void> {
    if (performance.now() - this.#endsFetchedAt < ENDS_MAX_AGE_MS) return;
    const ends = await this.#producer.fetchEndOffsets();
    if (this.#ends.some((end, partition) => end > (ends[partition] ?? 0))) {
      throw new SupersededError('The changes topic has lost its newest records.');
    }
    this.#ends = ends;
    this.#endsFetchedAt = performance.now();
  }
}
