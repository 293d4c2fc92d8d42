import type { StreamFilter } from '../../domain/stream-filter.ts';
import { type Chunk, laterPoint, type ResumePoint } from './entry.ts';
import { type Audience, Delivery, type FanOut, type Waiting } from './fan-out.ts';

/** The stream as a reader sees it. */
export interface ChangeSource {
  /** The resume point after the newest change that can be delivered. */
  readonly latest: ResumePoint;
  /** Returns the next changes after a resume point; none if there are none yet. */
  read(resumePoint: ResumePoint): Promise<Chunk>;
}

/**
 * Reads the stream through a filter. A reader holds no state of the stream and no queue: its caller asks for the changes
 * after a resume point, which come from memory or Kafka, or once they happen (INV-10).
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

  /** Whether the reader waits at the end of the stream. All changes up to the latest were then examined for it. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /**
   * Returns the changes after a resume point that pass the filter. Behind the end of the stream, it examines a bounded
   * number of changes, of which none may pass. At the end, it waits for the first that do, or until it is closed.
   *
   * @throws the errors of `ChangeSource.read`.
   */
  async next(resumePoint: ResumePoint): Promise<Delivery> {
    if (!this.#closed && resumePoint.sequence >= this.#source.latest.sequence) return this.#wait(resumePoint);
    const { entries, resumePoint: after } = await this.#source.read(resumePoint);
    return new Delivery(
      entries.filter(({ facets }) => this.#audience.matches(facets)),
      after,
    );
  }

  /** Replaces the filter, unless the reader is closed. */
  changeFilter(filter: StreamFilter): void {
    if (this.#closed) return;
    const audience = this.#fanOut.join(filter);
    if (this.#waiting) {
      this.#audience.waiting.delete(this.#waiting);
      audience.waiting.add(this.#waiting);
    }
    this.#fanOut.leave(this.#audience);
    this.#audience = audience;
  }

  /** Ends its waiting. Every reader must be closed. */
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

/** Cuts a delivery to the changes after a resume point: a cursor of another gateway can be ahead of this gateway. */
function follow(delivery: Delivery, resumePoint: ResumePoint): Delivery {
  const after = laterPoint(delivery.resumePoint, resumePoint);
  const [first] = delivery.entries;
  const isAfter = !first || first.sequence > resumePoint.sequence;
  if (isAfter && after === delivery.resumePoint) return delivery;
  return new Delivery(
    delivery.entries.filter(({ sequence }) => sequence > resumePoint.sequence),
    after,
  );
}
