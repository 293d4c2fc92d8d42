import { type FetchedRecord, readHeaders } from '../kafka/protocol/record-batches.ts';
import { type ChangeOrigin, readChangeHeaders } from '../schemas/record-headers.ts';
import type { Clock } from '../service/clock.ts';
import { observeDelivery, observeHop } from '../service/stream-metrics.ts';
import { isTracing, recordMessages } from '../service/tracing.ts';
import type { Delivery } from './fan-out.ts';
import type { EventAt, RenderedEvent } from './rendered-event.ts';

/** The way of a change to this gateway. Times are milliseconds since 1970. */
interface Arrival extends ChangeOrigin {
  readAt: number;
}

/** The most arrivals to remember; fewer can wait for their turn. */
const MAX_ARRIVALS = 100_000;

/**
 * Measures and traces the last hops of changes that a stream waits for. A change is measured once, after it
 * was written to all of these streams, so that streams cost nothing extra. Streams that lag behind are not
 * measured: their clients are slow or have just connected.
 */
export class Arrivals {
  readonly #topic: string;
  readonly #clock: Clock;
  /** By sequence: the changes that were read but not published yet. */
  readonly #arrivals = new Map<number, Arrival>();
  #publishedTo = 0;

  /** @param clock the clock of the times at which changes occur and are relayed */
  constructor(topic: string, clock: Clock) {
    this.#topic = topic;
    this.#clock = clock;
  }

  /** Notes fetched records of a partition. `events` are the decoded ones, in the same order. */
  note(records: readonly FetchedRecord[], events: readonly EventAt[]): void {
    const readAt = this.#clock.now();
    let index = 0;
    for (const { offset, headers } of records) {
      const at = events[index];
      if (at?.offset !== offset) continue;
      index += 1;
      const { sequence } = at.event;
      if (headers === null || sequence <= this.#publishedTo) continue;
      const origin = readOrigin(headers);
      if (origin) this.#arrivals.set(sequence, { ...origin, readAt });
    }
  }

  /** Measures changes that waiting readers received, after these have had their turn to write. */
  published(events: readonly RenderedEvent[], deliveries: readonly Delivery[]): void {
    const published = new Map<number, Arrival>();
    for (const { sequence } of events) {
      const arrival = this.#arrivals.get(sequence);
      if (arrival && deliveries.length > 0) published.set(sequence, arrival);
      this.#arrivals.delete(sequence);
      this.#publishedTo = sequence;
    }
    // Skipped changes are never published, so their arrivals remain.
    if (this.#arrivals.size > MAX_ARRIVALS) this.#arrivals.clear();
    if (published.size > 0) setImmediate(() => this.#observe(published, deliveries));
  }

  #observe(published: ReadonlyMap<number, Arrival>, deliveries: readonly Delivery[]): void {
    const writtenAt = this.#clock.now();
    const written = new Set<Arrival>();
    let streams = 0;
    for (const { events, writes } of deliveries) {
      if (writes === 0) continue;
      streams += writes;
      for (const { sequence } of events) {
        const arrival = published.get(sequence);
        if (arrival) written.add(arrival);
      }
    }
    for (const { submittedAt, relayedAt, readAt } of written) {
      if (relayedAt !== null) observeHop('tail', relayedAt, readAt);
      observeHop('write', readAt, writtenAt);
      if (submittedAt !== null) observeDelivery(submittedAt, writtenAt);
    }
    if (written.size > 0 && isTracing()) this.#trace([...written], streams, writtenAt);
  }

  #trace(written: readonly Arrival[], streams: number, writtenAt: number): void {
    const traceparents = written.map(({ traceparent }) => traceparent);
    if (traceparents.every((traceparent) => traceparent === null)) return;
    // Spans use this machine's clock.
    const endedAt = Date.now();
    const readAt = written.reduce((earliest, arrival) => Math.min(earliest, arrival.readAt), writtenAt);
    recordMessages({
      name: `deliver ${this.#topic}`,
      kind: 'consumer',
      traceparents,
      attributes: { 'messaging.batch.message_count': written.length, 'stream.count': streams },
      startedAt: endedAt - (writtenAt - readAt),
      endedAt,
    });
  }
}

/** The origin of a change; undefined if the headers are broken. The change is delivered even then. */
function readOrigin(headers: Buffer): ChangeOrigin | undefined {
  try {
    return readChangeHeaders(readHeaders(headers));
  } catch {
    return undefined;
  }
}
