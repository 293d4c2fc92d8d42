import type { StreamFilter } from '../../domain/stream-filter.ts';
import type { Chunk, ResumePoint } from './entry.ts';
import { type Audience, Delivery, type FanOut, type Waiting } from './fan-out.ts';

/** The stream as a reader sees it. */
export interface ChangeSource {
  /** The position after the newest change that can be delivered. */
  readonly latest: ResumePoint;
  /** Returns the next changes after a position; none if there are none yet. */
  read(resumePoint: ResumePoint): Promise<Chunk>;
}

/**
 * A reader of the stream through a filter. It keeps no position and no queue: it is asked for what follows a position,
 * and answers out of memory or Kafka where there is something, or waits for it (INV-10).
 */
export class FeedReader {
  readonly #source: ChangeSource;
  readonly #fanOut: FanOut;
  #audience: Audience;
  #waiting: Waiting | undefined;
  #closed = false;

  constructor(source: ChangeSource, fanOut: FanOut, filter: StreamFilter) {
    this.#source = source;
    this.#fanOut = fanOut;
    this.#audience = fanOut.join(filter);
  }

  /** Whether it waits: then everything up to the feed's latest position was looked at for it. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /**
   * What follows a position: a bounded run of changes, perhaps none of which passes the filter; or, at the end of the
   * stream, the first that do, once they come. Nothing, where the reader is closed meanwhile.
   *
   * @throws whatever reading the source throws.
   */
  async next(resumePoint: ResumePoint): Promise<Delivery> {
    if (!this.#closed && resumePoint.sequence >= this.#source.latest.sequence) return this.#wait(resumePoint);
    const { entries, resumePoint: after } = await this.#source.read(resumePoint);
    return new Delivery(
      entries.filter(({ facets }) => this.#audience.matches(facets)),
      after,
    );
  }

  /** From now on it reads through another filter. */
  changeFilter(filter: StreamFilter): void {
    const audience = this.#fanOut.join(filter);
    if (this.#waiting) {
      this.#audience.waiting.delete(this.#waiting);
      audience.waiting.add(this.#waiting);
    }
    this.#fanOut.leave(this.#audience);
    this.#audience = audience;
  }

  /** Ends its waiting. Whoever made it must call this. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#waiting) {
      this.#audience.waiting.delete(this.#waiting);
      this.#waiting(new Delivery([], this.#source.latest));
    }
    this.#fanOut.leave(this.#audience);
  }

  #wait(resumePoint: ResumePoint): Promise<Delivery> {
    return new Promise((resolve) => {
      const waiting: Waiting = (delivery) => {
        const next = follow(delivery, resumePoint);
        if (next.entries.length === 0 && delivery.entries.length > 0) {
          this.#audience.waiting.add(waiting);
          return;
        }
        this.#waiting = undefined;
        resolve(next);
      };
      this.#waiting = waiting;
      this.#audience.waiting.add(waiting);
    });
  }
}

/** What of a delivery follows a position: a cursor of another gateway can be ahead of this one for a moment. */
function follow(delivery: Delivery, resumePoint: ResumePoint): Delivery {
  const [first] = delivery.entries;
  if (
    resumePoint.sequence <= delivery.resumePoint.sequence &&
    (!first || first.sequence > resumePoint.sequence)
  ) {
    return delivery;
  }
  return new Delivery(
    delivery.entries.filter(({ sequence }) => sequence > resumePoint.sequence),
    resumePoint.sequence > delivery.resumePoint.sequence ? resumePoint : delivery.resumePoint,
  );
}
