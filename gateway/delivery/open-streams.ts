import { Gauge } from 'prom-client';
import { nameFilter, type StreamFilter } from '../../domain/stream-filter.ts';
import type { Clock } from '../../service/clock.ts';
import type { Stoppable } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { findKeyStates, type StoredKey } from '../../store/access/api-keys.ts';
import { loadSubscriptionFilters, type StoredSubscription } from '../../store/access/subscriptions.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { requireUsableKey } from '../auth/authentication.ts';
import { ApiError } from '../http/api-error.ts';
import type { StreamEnding } from './stream-ending.ts';

/** How often the keys and subscriptions of open streams are checked, in milliseconds. */
const WATCH_INTERVAL_MS = 2000;
/** The interval at which a draining gateway ends some of its streams, in milliseconds. */
const DRAIN_STEP_MS = 50;

const openStreamCount = new Gauge({
  name: 'streams_open',
  help: 'The number of open Server-Sent Events connections.',
});

/** The part of a stream that can be controlled. */
interface ControlledStream {
  end(ending: StreamEnding): void;
  changeFilter(filter: StreamFilter): void;
}

interface OpenStream {
  stream: ControlledStream;
  key: StoredKey;
  subscription: Pick<StoredSubscription, 'id' | 'filter'> | null;
}

/**
 * The open streams of a gateway. Two queries check the keys and subscriptions of all streams at once. When the gateway
 * shuts down, the streams are asked to reconnect.
 */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #pool: DatabasePool;
  readonly #clock: Clock;
  readonly #log: Logger;
  #watching: Stoppable | undefined;
  #isDraining = false;

  constructor({ pool, clock, log }: { pool: DatabasePool; clock: Clock; log: Logger }) {
    this.#pool = pool;
    this.#clock = clock;
    this.#log = log;
  }

  start(): void {
    this.#watching = repeat(WATCH_INTERVAL_MS, this.#clock, () => this.#watch());
  }

  async stop(): Promise<void> {
    await this.#watching?.stop();
  }

  /** Adds a stream and returns the function that removes it. While the gateway drains, a new stream is ended at once. */
  add(open: OpenStream): () => void {
    this.#streams.add(open);
    if (this.#isDraining) open.stream.end({ reconnect: 'shutdown' });
    openStreamCount.set(this.#streams.size);
    return () => {
      this.#streams.delete(open);
      openStreamCount.set(this.#streams.size);
    };
  }

  /** Asks every stream to reconnect, spread over `ms`, so that not all clients reach another gateway at once. */
  async drain(ms: number): Promise<void> {
    this.#isDraining = true;
    const never = new AbortController().signal;
    const leaving = [...this.#streams];
    const steps = Math.max(1, Math.floor(ms / DRAIN_STEP_MS));
    const perStep = Math.ceil(leaving.length / steps);
    while (leaving.length > 0) {
      for (const { stream } of leaving.splice(0, perStep)) stream.end({ reconnect: 'shutdown' });
      if (leaving.length > 0) await this.#clock.wait(DRAIN_STEP_MS, never);
    }
  }

  async #watch(): Promise<void> {
    if (this.#streams.size === 0) return;
    try {
      await Promise.all([this.#checkKeys(), this.#checkSubscriptions()]);
    } catch (error) {
      // Open streams continue: an outage passes, and a defect here must not end every stream of every gateway.
      const message = 'the keys and subscriptions of open streams cannot be checked; trying again';
      reportFailure(this.#log, error, { where: 'stream_checks', message });
    }
  }

  /** Ends the streams of keys that are no longer usable. */
  async #checkKeys(): Promise<void> {
    const open = [...this.#streams];
    const states = await findKeyStates(this.#pool, [...new Set(open.map(({ key }) => key.id))]);
    for (const { stream, key } of open) {
      try {
        requireUsableKey(states.get(key.id) ?? null, this.#clock.now());
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        stream.end({ error: error.code, message: error.message });
      }
    }
  }

  /** Gives streams the new filter of an edited subscription, and ends those of a deleted one. */
  async #checkSubscriptions(): Promise<void> {
    const open = [...this.#streams];
    const ids = [...new Set(open.flatMap(({ subscription }) => subscription?.id ?? []))];
    if (ids.length === 0) return;
    const filters = await loadSubscriptionFilters(this.#pool, ids);
    for (const each of open) {
      if (each.subscription === null) continue;
      const { id, filter: known } = each.subscription;
      const filter = filters.get(id);
      if (!filter) each.stream.end({ reconnect: 'subscription_changed' });
      else if (nameFilter(filter) !== nameFilter(known)) {
        each.subscription = { id, filter };
        each.stream.changeFilter(filter);
      }
    }
  }
}
