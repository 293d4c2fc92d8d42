import type pg from 'pg';
import { changeCodec } from '../../schemas/change.ts';
import { formatCursor } from '../../schemas/cursor.ts';
import {
  acknowledgeBatch,
  beginBatch,
  type LoggedChange,
  loadChanges,
  loadEpoch,
  loadLastBatch,
  type RelayBatch,
} from '../../store/relay-batches.ts';
import type { ChangeRecord, ChangesProducer } from './changes-producer.ts';
import { relayedChanges, relayedSequence } from './metrics.ts';

/** One batch is one transaction more in Postgres and at least one request to Kafka. */
const MAX_BATCH = 1000;

/** The Kafka record of a change. Its id is fixed by the batch that it is part of (INV-3). */
function toRecord(
  epoch: number,
  { offsets }: Pick<RelayBatch, 'offsets'>,
  change: LoggedChange,
): ChangeRecord {
  const { sequence, occurredAt, type, endorser, body } = change;
  const id = formatCursor({ epoch, sequence, time: occurredAt, offsets });
  return {
    key: endorser,
    value: changeCodec.encode({ epoch, sequence, id, type, occurred_at: occurredAt, ...body }),
  };
}

/**
 * Copies the change log to Kafka in batches. The offsets at which a batch can begin are stored before it is first
 * sent, so that a relay which dies in the middle is followed by one that sends the same ids (INV-3).
 *
 * There is one at a time: it works on the connection that holds the leader's lock, and ends with it.
 */
export class Relay {
  readonly #client: pg.Client;
  readonly #producer: ChangesProducer;
  readonly #epoch: number;
  #nextSequence: number;
  /** By partition: an offset that it has reached; new records come after it. */
  readonly #reached: number[];

  private constructor(
    client: pg.Client,
    producer: ChangesProducer,
    start: { epoch: number; nextSequence: number; reached: number[] },
  ) {
    this.#client = client;
    this.#producer = producer;
    this.#epoch = start.epoch;
    this.#nextSequence = start.nextSequence;
    this.#reached = start.reached;
  }

  /** Finishes what the last relay left unacknowledged, and is then ready to go on. */
  static async start(client: pg.Client, producer: ChangesProducer): Promise<Relay> {
    const epoch = await loadEpoch(client);
    const last = await loadLastBatch(client);
    const nextSequence = (last?.lastSequence ?? 0) + 1;
    const relay = new Relay(client, producer, {
      epoch,
      nextSequence,
      reached: await producer.fetchEndOffsets(),
    });
    if (last && !last.acknowledged) {
      const { firstSequence: from, lastSequence: to } = last;
      await relay.#send(last, await loadChanges(client, { from, to, limit: to - from + 1 }));
    }
    return relay;
  }

  /** Sends the next changes of the log. @returns how many there were. */
  async relayNext(): Promise<number> {
    const changes = await loadChanges(this.#client, { from: this.#nextSequence, limit: MAX_BATCH });
    const last = changes.at(-1);
    if (!last) return 0;
    const batch = {
      firstSequence: this.#nextSequence,
      lastSequence: last.sequence,
      offsets: [...this.#reached],
    };
    await beginBatch(this.#client, batch);
    await this.#send(batch, changes);
    this.#nextSequence = last.sequence + 1;
    return changes.length;
  }

  async #send(batch: Omit<RelayBatch, 'acknowledged'>, changes: LoggedChange[]): Promise<void> {
    const expected = batch.lastSequence - batch.firstSequence + 1;
    if (changes.length !== expected) {
      throw new Error(
        `The change log has ${changes.length} of the ${expected} changes from ${batch.firstSequence} to ${batch.lastSequence}.`,
      );
    }
    const reached = await this.#producer.send(changes.map((change) => toRecord(this.#epoch, batch, change)));
    for (const [partition, offset] of reached) {
      while (this.#reached.length <= partition) this.#reached.push(0);
      this.#reached[partition] = Math.max(this.#reached[partition] ?? 0, offset);
    }
    await acknowledgeBatch(this.#client, batch.firstSequence);
    relayedChanges.inc(changes.length);
    relayedSequence.set(batch.lastSequence);
  }
}
