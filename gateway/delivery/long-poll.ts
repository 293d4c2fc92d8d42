import type { StreamFilter } from '../../domain/stream-filter.ts';
import type { Feed } from '../../feed/feed.ts';
import type { FeedReader } from '../../feed/reader.ts';
import type { RenderedEvent, ResumePoint } from '../../feed/rendered-event.ts';
import type { Clock } from '../../service/clock.ts';
import type { ApiError } from '../http/api-error.ts';

export interface PollOptions {
  start: ResumePoint;
  filter: StreamFilter;
  accountId: number;
  /** The most events to return. */
  limit: number;
  /** How long to wait for the first event, in milliseconds. */
  waitMs: number;
  /** Aborts when the client disconnects or the gateway shuts down. Ends the poll. */
  signal: AbortSignal;
  /**
   * Called before events are returned after a wait. Refuses the poll if its client may no longer have them.
   */
  confirm: () => Promise<void>;
  clock: Clock;
}

export interface PollResult {
  events: RenderedEvent[];
  /** The point after all changes that were examined, whether they matched or not. */
  resumePoint: ResumePoint;
}

/** The most bytes of events in an answer, as JSON, unless the first event is larger. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** The most changes that one call examines, so that a filter without matches is answered in bounded time. */
const MAX_SCANNED = 20_000;

/** One call of `/v1/events`: collects the matching changes after a resume point, or waits for the first ones. */
export class LongPoll {
  readonly #feed: Feed;
  readonly #options: PollOptions;
  readonly #reader: FeedReader;
  #hasWaited = false;
  #refusal: ApiError | undefined;

  constructor(feed: Feed, options: PollOptions) {
    this.#feed = feed;
    this.#options = options;
    this.#reader = feed.openReader(options.filter, options.accountId);
  }

  /** Ends the poll with an error instead of events. */
  refuse(error: ApiError): void {
    this.#refusal ??= error;
    this.#reader.close();
  }

  /** Replaces the filter for the changes that follow. */
  changeFilter(filter: StreamFilter): void {
    this.#reader.changeFilter(filter);
  }

  /**
   * Collects matching changes, up to the limits of events and bytes. If there are none, waits for the first ones. May be called once.
   *
   * @throws the error of `refuse`, and the errors of `Feed.read`.
   */
  async run(): Promise<PollResult> {
    const { waitMs, signal, confirm, clock } = this.#options;
    const answered = new AbortController();
    const ended = AbortSignal.any([signal, answered.signal]);
    if (waitMs > 0) clock.wait(waitMs, ended).then(() => this.#reader.close());
    else this.#reader.close();
    try {
      const result = await this.#collect();
      if (this.#hasWaited && result.events.length > 0) await confirm();
      if (this.#refusal) throw this.#refusal;
      return result;
    } finally {
      answered.abort();
      this.#reader.close();
    }
  }

  async #collect(): Promise<PollResult> {
    const { limit, signal } = this.#options;
    const found: RenderedEvent[] = [];
    let bytes = 0;
    let { start: resumePoint } = this.#options;
    for (let scanned = 0; scanned < MAX_SCANNED && !this.#refusal && !signal.aborted; ) {
      const isAtEnd = resumePoint.sequence >= this.#feed.latest.sequence;
      // As soon as something was found, the call stops waiting for more.
      if (isAtEnd && found.length > 0) this.#reader.close();
      else if (isAtEnd) this.#hasWaited = true;
      const delivery = await this.#reader.next(resumePoint);
      for (const event of delivery.events) {
        const last = found.at(-1);
        const isFull = found.length === limit || bytes + event.jsonLength > MAX_ANSWER_BYTES;
        if (last && isFull) return { events: found, resumePoint: last.resumePoint };
        found.push(event);
        bytes += event.jsonLength;
      }
      const last = found.at(-1);
      if (last && found.length === limit) return { events: found, resumePoint: last.resumePoint };
      const moved = delivery.resumePoint.sequence - resumePoint.sequence;
      resumePoint = delivery.resumePoint;
      if (moved === 0) break;
      scanned += moved;
    }
    return { events: found, resumePoint };
  }
}
