import { FilterIndex } from '../../domain/filter-index.ts';
import {
  type ChangePredicate,
  createPredicate,
  nameFilter,
  type StreamFilter,
} from '../../domain/stream-filter.ts';
import type { LogEntry, ResumePoint } from './entry.ts';

/** Changes that pass a filter, and the position after everything that was looked at. */
export class Delivery {
  readonly entries: readonly LogEntry[];
  readonly resumePoint: ResumePoint;
  #bytes: number | undefined;
  #frames: Buffer | undefined;

  constructor(entries: readonly LogEntry[], resumePoint: ResumePoint) {
    this.entries = entries;
    this.resumePoint = resumePoint;
  }

  /** The length of `frames`. */
  get bytes(): number {
    this.#bytes ??= this.entries.reduce((sum, { frame }) => sum + frame.length, 0);
    return this.#bytes;
  }

  /** The Server-Sent Events of all entries, put together once for everyone who is given them (INV-11). */
  get frames(): Buffer {
    this.#frames ??= Buffer.concat(this.entries.map(({ frame }) => frame));
    return this.#frames;
  }
}

/** Takes what comes next. */
export type Waiting = (delivery: Delivery) => void;

/** The readers of one filter. */
export class Audience {
  readonly name: string;
  readonly matches: ChangePredicate;
  /** Those who have read everything there is. */
  readonly waiting = new Set<Waiting>();
  readers = 0;

  constructor(name: string, filter: StreamFilter) {
    this.name = name;
    this.matches = createPredicate(filter);
  }
}

/**
 * Brings new changes to the readers that wait for them. Readers of equal filters are one audience: their filter is
 * tried once a change, through an index, and what passes is put together once, however many they are (INV-11). Who
 * does not wait, because its socket is full or it still reads older changes, is not touched.
 */
export class FanOut {
  readonly #audiences = new Map<string, { audience: Audience; remove: () => void }>();
  readonly #index = new FilterIndex<Audience>();

  /** How many different filters have readers. */
  get size(): number {
    return this.#audiences.size;
  }

  /** The audience of a filter, with one reader more. */
  join(filter: StreamFilter): Audience {
    const name = nameFilter(filter);
    let place = this.#audiences.get(name);
    if (!place) {
      const audience = new Audience(name, filter);
      place = { audience, remove: this.#index.add(filter, audience) };
      this.#audiences.set(name, place);
    }
    place.audience.readers += 1;
    return place.audience;
  }

  /** Takes a reader, which no longer waits, out of its audience. */
  leave(audience: Audience): void {
    audience.readers -= 1;
    if (audience.readers > 0) return;
    this.#audiences.get(audience.name)?.remove();
    this.#audiences.delete(audience.name);
  }

  /** Gives everyone who waits what passes their filter. Who gets nothing goes on waiting. */
  publish(entries: readonly LogEntry[], resumePoint: ResumePoint): void {
    const passed = new Map<Audience, LogEntry[]>();
    for (const entry of entries) {
      this.#index.forEachMatch(entry.facets, (audience) => {
        const there = passed.get(audience);
        if (there) there.push(entry);
        else if (audience.waiting.size > 0) passed.set(audience, [entry]);
      });
    }
    for (const [audience, matching] of passed) deliver(audience, new Delivery(matching, resumePoint));
  }

  /** Has everyone who waits look again from a position. */
  interrupt(resumePoint: ResumePoint): void {
    for (const { audience } of this.#audiences.values()) deliver(audience, new Delivery([], resumePoint));
  }
}

function deliver(audience: Audience, delivery: Delivery): void {
  const waiting = [...audience.waiting];
  audience.waiting.clear();
  for (const give of waiting) give(delivery);
}
