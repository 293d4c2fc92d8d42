import type pg from 'pg';
import type { OutgoingRecord } from '../../kafka/protocol/write-batch.ts';
import type { ChangesProducer } from '../../kafka/writing/changes-producer.ts';
import { encodeChange } from '../../schemas/change-encoding.ts';
import { createEventIds } from '../../schemas/cursor.ts';
import { formatChangeHeaders } from '../../schemas/record-headers.ts';
import { type Clock, systemClock } from '../../service/clock.ts';
import { SupersededError } from '../../service/failure.ts';
import { observeHop } from '../../service/stream-metrics.ts';
import { traceMessages } from '../../service/tracing.ts';
import { loadEpoch } from '../../store/stream/epoch.ts';
import {
  acknowledgeBatch,
  type ChangeToRelay,
  loadChanges,
  loadLastBatch,
  loadLastSequence,
  type RelayBatch,
  takeBatch,
} from '../../store/stream/relay-batches.ts';
import { BackgroundTask } from './background-task.ts';
import { relayedChanges, relayedSequence } from './metrics.ts';

/** The most changes in a batch. Each batch costs a statement in Postgres and at least one request to Kafka. */
const MAX_BATCH = 1000;
/** The greatest age of the partitions' known ends, in milliseconds. */
const ENDS_MAX_AGE_MS = 200;

/** The settings of a relay, besides its connections. */
interface RelayParts {
  clock?: Clock | undefined;
  /** Resolves when everything committed before the call may be published; null if it always may. */
  beforeSending?: (() => Promise<void>) | null;
}

/**
 * Copies the change log to Kafka in batches. Stores the offsets of a batch before it is first sent: if a
 * relay dies while sending, its successor sends the same ids (INV-3).
 *
 * There is one relay at a time. It works on the connection with the leader's lock, and ends with it.
 */
export class Relay {
  readonly #client: pg.Client;
  readonly #producer: ChangesProducer;
  readonly #epoch: number;
  readonly #clock: Clock;
  readonly #beforeSending: (() => Promise<void>) | null;
  #nextSequence: number;
  /** The first sequence of a batch that Kafka has but the store has not recorded; null for none. */
  #unrecorded: number | null = null;
  /** By partition: a recent end offset, which is a lower bound for new records. */
  #ends: number[];
  readonly #endsRefresh = new BackgroundTask(ENDS_MAX_AGE_MS, () => this.#refreshEnds());

  private constructor(
    client: pg.Client,
    producer: ChangesProducer,
    start: { epoch: number; nextSequence: number; ends: number[] },
    clock: Clock,
    beforeSending: (() => Promise<void>) | null,
  ) {
    this.#client = client;
    this.#producer = producer;
    this.#epoch = start.epoch;
    this.#clock = clock;
    this.#beforeSending = beforeSending;
    this.#nextSequence = start.nextSequence;
    this.#ends = start.ends;
  }

  /**
   * Resends the batch that the last relay left unacknowledged, and is then ready to continue.
   *
   * @param clock tells when changes are relayed; the database's clock, which gives changes their times
   */
  static async start(
    client: pg.Client,
    producer: ChangesProducer,
    { clock = systemClock, beforeSending = null }: RelayParts = {},
  ): Promise<Relay> {
    const { epoch, after } = await loadEpoch(client);
    const last = await loadLastBatch(client);
    // Changes before the epoch belong to another history, relayed or not.
    const nextSequence = Math.max(last?.lastSequence ?? 0, after) + 1;
    const ends = await producer.fetchEndOffsets();
    const relay = new Relay(client, producer, { epoch, nextSequence, ends }, clock, beforeSending);
    if (last && !last.acknowledged && last.firstSequence > after) {
      const { firstSequence: from, lastSequence: to } = last;
      await beforeSending?.();
      await relay.#send(last, await loadChanges(client, { from, to }));
    }
    return relay;
  }

  /** Sends the next batch of the change log. @returns the number of changes in it */
  async relayNext(): Promise<number> {
    this.#endsRefresh.requireWorking();
    const batch = { firstSequence: this.#nextSequence, offsets: this.#ends };
    const changes = await takeBatch(this.#client, {
      from: batch.firstSequence,
      to: await this.#findAnnounceable(),
      limit: MAX_BATCH,
      offsets: batch.offsets,
      epoch: this.#epoch,
      acknowledged: this.#unrecorded,
    });
    this.#unrecorded = null;
    const last = changes.at(-1);
    if (!last) return 0;
    await this.#send({ ...batch, lastSequence: last.sequence }, changes);
    this.#nextSequence = last.sequence + 1;
    return changes.length;
  }

  /**
   * The last change that may be published; null if all may. A batch that has begun counts as published,
   * because gateways fill holes from it.
   */
  async #findAnnounceable(): Promise<number | null> {
    if (!this.#beforeSending) return null;
    const last = await loadLastSequence(this.#client);
    if (last >= this.#nextSequence) await this.#beforeSending();
    return last;
  }

  /** Records the last batch as acknowledged, because no next batch will. */
  async finish(): Promise<void> {
    if (this.#unrecorded !== null) await acknowledgeBatch(this.#client, this.#unrecorded);
    this.#unrecorded = null;
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
      await this.#producer.send(this.#toRecords(batch, changes, relayedAt));
    });
    this.#unrecorded = batch.firstSequence;
    const acknowledgedAt = this.#clock.now();
    for (const { occurredAt } of changes) observeHop('relay', occurredAt, acknowledgedAt);
    relayedChanges.inc(changes.length);
    relayedSequence.set(batch.lastSequence);
    this.#endsRefresh.start();
  }

  #toRecords(
    { offsets }: Pick<RelayBatch, 'offsets'>,
    changes: readonly ChangeToRelay[],
    relayedAt: number,
  ): OutgoingRecord[] {
    const epoch = this.#epoch;
    let time = Number.NaN;
    let formatId = (_: number) => '';
    return changes.map((change) => {
      const { sequence, occurredAt, type, endorser, packed } = change;
      if (occurredAt !== time) {
        // All changes of a transaction have one time.
        time = occurredAt;
        formatId = createEventIds({ epoch, time, offsets });
      }
      const head = { epoch, sequence, id: formatId(sequence), type, occurred_at: occurredAt };
      const headers = formatChangeHeaders({ ...change, relayedAt });
      return { key: endorser, value: encodeChange(packed, head), headers };
    });
  }

  /**
   * Fetches the ends again in the background. Offsets only grow, so old ends are right but less precise: a
   * reader starts a little too early. If an end has fallen, the topic is another log, and the next batch
   * fails.
   */
  async #refreshEnds(): Promise<void> {
    const ends = await this.#producer.fetchEndOffsets();
    if (this.#ends.some((end, partition) => end > (ends[partition] ?? 0))) {
      throw new SupersededError('The changes topic has lost its newest records.');
    }
    this.#ends = ends;
  }
}
