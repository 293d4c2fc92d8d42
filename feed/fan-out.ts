import { FilterIndex } from '../domain/filter-index.ts';
import {
  type ChangePredicate,
  createPredicate,
  filterKey,
  type StreamFilter,
} from '../domain/stream-filter.ts';
import { feedFilters } from './metrics.ts';
import { framesLength, type RenderedEvent, type ResumePoint } from './rendered-event.ts';
import { SharedBytes } from './shared-bytes.ts';

/** Changes that pass a filter, and the resume point after all changes that were examined. */
export class Delivery {
  readonly events: readonly RenderedEvent[];
  readonly resumePoint: ResumePoint;
  /** The number of streams that it was written to. */
  writes = 0;
  #bytes: number | undefined;
  #frames: SharedBytes | undefined;

  constructor(events: readonly RenderedEvent[], resumePoint: ResumePoint) {
    this.events = events;
    this.resumePoint = resumePoint;
  }

  /** The length of `frames` in bytes, before any encoding. */
  get bytes(): number {
    this.#bytes ??= framesLength(this.events);
    return this.#bytes;
  }

  /** The Server-Sent Events of all events, concatenated once for all recipients (INV-11). */
  get frames(): SharedBytes {
    this.#frames ??= new SharedBytes(joinFrames(this.events, this.bytes));
    return this.#frames;
  }
}

function joinFrames(events: readonly RenderedEvent[], length: number): Buffer {
  const joined = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const event of events) end = event.copyFrame(joined, end);
  return joined;
}

/** Receives the next delivery of a waiting reader. Returns whether the reader continues to wait. */
export type Listener = (delivery: Delivery) => boolean;

/** The readers of one filter. */
export class Audience {
  readonly key: string;
  /** Null for a filter that every change passes. */
  readonly #matches: ChangePredicate | null;
  /** The readers that have reached the end of the stream. */
  readonly listeners = new Set<Listener>();
  readers = 0;

  constructor(name: string, filter: StreamFilter) {
    this.key = name;
    this.#matches = Object.keys(filter).length === 0 ? null : createPredicate(filter);
  }

  /** The events that pass the filter. */
  select(events: RenderedEvent[]): RenderedEvent[] {
    const matches = this.#matches;
    return matches ? events.filter(({ facets }) => matches(facets)) : events;
  }
}

/**
 * Delivers new changes to the readers that wait for them. Readers with equal filters form one audience. An
 * index evaluates each filter once for each change, and the frames of the same changes are concatenated once
 * (INV-11). Readers with a full socket, and readers of older changes, cost nothing.
 */
export class FanOut {
  readonly #audiences = new Map<string, { audience: Audience; remove: () => void }>();
  readonly #index = new FilterIndex<Audience>();

  /** The number of different filters that have readers. */
  get size(): number {
    return this.#audiences.size;
  }

  /** Adds a reader to the audience of its filter. */
  join(filter: StreamFilter): Audience {
    const name = filterKey(filter);
    let place = this.#audiences.get(name);
    if (!place) {
      const audience = new Audience(name, filter);
      place = { audience, remove: this.#index.add(filter, audience) };
      this.#audiences.set(name, place);
      feedFilters.set(this.size);
    }
    place.audience.readers += 1;
    return place.audience;
  }

  /** Removes a reader from its audience. The reader must not be waiting. */
  leave(audience: Audience): void {
    audience.readers -= 1;
    if (audience.readers > 0) return;
    this.#audiences.get(audience.key)?.remove();
    this.#audiences.delete(audience.key);
    feedFilters.set(this.size);
  }

  /**
   * Delivers events to the waiting readers of matching filters. The others continue to wait.
   *
   * @returns the deliveries. Filters that match the same events share one.
   */
  publish(events: readonly RenderedEvent[], resumePoint: ResumePoint): Delivery[] {
    const passed = new Map<Audience, RenderedEvent[]>();
    for (const event of events) {
      this.#index.forEachMatch(event.facets, (audience) => {
        const there = passed.get(audience);
        if (there) there.push(event);
        else if (audience.listeners.size > 0) passed.set(audience, [event]);
      });
    }
    const deliveries = new Map<string, Delivery>();
    for (const [audience, matching] of passed) {
      const name = matching.map(({ sequence }) => sequence).join();
      const delivery = deliveries.get(name) ?? new Delivery(matching, resumePoint);
      deliveries.set(name, delivery);
      deliver(audience, delivery);
    }
    return [...deliveries.values()];
  }

  /** Wakes all waiting readers, to read again from a resume point. */
  interrupt(resumePoint: ResumePoint): void {
    for (const { audience } of this.#audiences.values()) deliver(audience, new Delivery([], resumePoint));
  }
}

function deliver(audience: Audience, delivery: Delivery): void {
  for (const give of audience.listeners) if (!give(delivery)) audience.listeners.delete(give);
}
