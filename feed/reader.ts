import type { StreamFilter } from '../domain/stream-filter.ts';
import { type Audience, Delivery, type FanOut, type Listener } from './fan-out.ts';
import { type Chunk, laterPoint, type ResumePoint } from './rendered-event.ts';

/** The stream as a reader sees it. */
export interface ChangeSource {
  /** The resume point after the newest change that can be delivered. */
  readonly latest: ResumePoint;
  /** Returns the next changes after a resume point; none if there are none yet. */
  read(resumePoint: ResumePoint, accountId: number): Promise<Chunk>;
}

/**
 * Takes a delivery in the turn of the event loop in which its changes arrived. Returns the rest of it, which
 * ends the wait; or undefined to continue to wait.
 */
export type Taking = (delivery: Delivery) => Delivery | undefined;

const leave: Taking = (delivery) => delivery;

/**
 * Reads the stream through a filter. A reader holds no state of the stream and no queue. Its caller asks for
 * the changes after a resume point; they come from memory, from Kafka, or when they happen (INV-10).
 */
export class FeedReader {
  readonly #source: ChangeSource;
  readonly #fanOut: FanOut;
  readonly #accountId: number;
  #audience: Audience;
  #waiting: Listener | undefined;
  #closed = false;

  constructor(source: ChangeSource, fanOut: FanOut, filter: StreamFilter, accountId: number) {
    this.#source = source;
    this.#fanOut = fanOut;
    this.#accountId = accountId;
    this.#audience = fanOut.join(filter);
  }

  /** Whether the reader waits at the end of the stream, with all changes up to the latest examined. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /**
   * Returns the matching changes after a resume point. Before the end, it examines a bounded number of
   * changes, so the result may be empty. At the end, it waits for the first matches, or until it is closed.
   *
   * @param take is offered every delivery at the end. Without it, the first one is returned.
   * @throws the errors of `ChangeSource.read`.
   */
  next(resumePoint: ResumePoint, take: Taking = leave): Promise<Delivery> {
    const isAtEnd = resumePoint.sequence >= this.#source.latest.sequence;
    return isAtEnd && !this.#closed ? this.#wait(resumePoint, take) : this.read(resumePoint);
  }

  /**
   * Returns the matching changes after a resume point, without a wait. It examines a bounded number of changes.
   *
   * @throws the errors of `ChangeSource.read`.
   */
  async read(resumePoint: ResumePoint): Promise<Delivery> {
    const { events, resumePoint: after } = await this.#source.read(resumePoint, this.#accountId);
    return new Delivery(this.#audience.select(events), after);
  }

  /** Replaces the filter, unless the reader is closed. */
  changeFilter(filter: StreamFilter): void {
    if (this.#closed) return;
    const audience = this.#fanOut.join(filter);
    if (this.#waiting) {
      this.#audience.listeners.delete(this.#waiting);
      audience.listeners.add(this.#waiting);
    }
    this.#fanOut.leave(this.#audience);
    this.#audience = audience;
  }

  /** Ends the wait. Every reader must be closed. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#waiting) {
      this.#audience.listeners.delete(this.#waiting);
      this.#waiting(new Delivery([], this.#source.latest));
    }
    this.#fanOut.leave(this.#audience);
  }

  #wait(resumePoint: ResumePoint, take: Taking): Promise<Delivery> {
    return new Promise((resolve, reject) => {
      const waiting: Listener = (delivery) => {
        const next = follow(delivery, resumePoint);
        if (next.events.length === 0 && delivery.events.length > 0) return true;
        try {
          const rest = next.events.length === 0 ? next : take(next);
          if (!rest) return true;
          resolve(rest);
        } catch (error) {
          // The other readers of the audience must still get the delivery.
          reject(error);
        }
        this.#waiting = undefined;
        return false;
      };
      this.#waiting = waiting;
      this.#audience.listeners.add(waiting);
    });
  }
}

/** Cuts a delivery to the changes after a resume point: a cursor of another gateway can be ahead of this gateway. */
function follow(delivery: Delivery, resumePoint: ResumePoint): Delivery {
  const after = laterPoint(delivery.resumePoint, resumePoint);
  const [first] = delivery.events;
  const isAfter = !first || first.sequence > resumePoint.sequence;
  if (isAfter && after === delivery.resumePoint) return delivery;
  return new Delivery(
    delivery.events.filter(({ sequence }) => sequence > resumePoint.sequence),
    after,
  );
}
