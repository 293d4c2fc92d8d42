import type { StreamFilter } from '../../domain/stream-filter.ts';
import type { Delivery } from '../../feed/fan-out.ts';
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
  /** Called before events are returned after a wait. Refuses the poll if its client may no longer have them. */
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
/**
 * The most bytes of events that calls keep while they read on, of an account and of the gateway: their answers are counted
 * only when they are made (INV-15).
 */
const MAX_KEPT_BYTES = { ofAccount: 16 * 1024 * 1024, inAll: 64 * 1024 * 1024 };
/** The bytes that the calls of each account keep, and those of all. */
const keptBytes = { ofAccounts: new Map<number, number>(), inAll: 0 };
/** The most changes that one call examines, so that a filter without matches is answered in bounded time. */
const MAX_SCANNED = 20_000;

/** One call of `/v1/events`: collects the matching changes after a resume point, or waits for the first ones. */
export class LongPoll {
  readonly #feed: Feed;
  readonly #options: PollOptions;
  readonly #reader: FeedReader;
  #found: RenderedEvent[] = [];
  /** The bytes of the found events, as JSON. */
  #bytes = 0;
  /** The bytes of found events that count as kept. */
  #keptBytes = 0;
  /** Whether the answer has no room for the next event. */
  #isFull = false;
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
      this.#keep(0);
    }
  }

  async #collect(): Promise<PollResult> {
    const { signal } = this.#options;
    let { start: resumePoint } = this.#options;
    for (let scanned = 0; scanned < MAX_SCANNED && !this.#refusal && !signal.aborted; ) {
      const isAtEnd = resumePoint.sequence >= this.#feed.latest.sequence;
      // As soon as something was found, the call stops waiting for more.
      if (isAtEnd && this.#found.length > 0) this.#reader.close();
      else if (isAtEnd) this.#hasWaited = true;
      else if (!this.#keep(this.#bytes)) break;
      // Otherwise each event would keep alive all that were rendered with it.
      else this.#found = this.#found.map((event) => event.detach());
      // No variable has the delivery, and would keep it alive during the next wait.
      const after = this.#add(await this.#reader.next(resumePoint));
      const moved = after.sequence - resumePoint.sequence;
      resumePoint = after;
      if (moved === 0 || this.#isFull) break;
      scanned += moved;
    }
    return { events: this.#found, resumePoint };
  }

  /** Adds the events of a delivery, as far as the answer has room. Returns the point after those that were examined. */
  #add({ events, resumePoint }: Delivery): ResumePoint {
    const { limit } = this.#options;
    for (const event of events) {
      const last = this.#found.at(-1);
      this.#isFull = last !== undefined && this.#bytes + event.jsonLength > MAX_ANSWER_BYTES;
      if (last && this.#isFull) return last.resumePoint;
      this.#found.push(event);
      this.#bytes += event.jsonLength;
      this.#isFull = this.#found.length === limit;
      if (this.#isFull) return event.resumePoint;
    }
    return resumePoint;
  }

  /** Counts bytes as kept until the next call. Returns false if there is no room for them: the last ones still count. */
  #keep(bytes: number): boolean {
    const { accountId } = this.#options;
    const more = bytes - this.#keptBytes;
    const ofAccount = (keptBytes.ofAccounts.get(accountId) ?? 0) + more;
    const inAll = keptBytes.inAll + more;
    if (bytes > 0 && (ofAccount > MAX_KEPT_BYTES.ofAccount || inAll > MAX_KEPT_BYTES.inAll)) return false;
    if (ofAccount > 0) keptBytes.ofAccounts.set(accountId, ofAccount);
    else keptBytes.ofAccounts.delete(accountId);
    keptBytes.inAll = inAll;
    this.#keptBytes = bytes;
    return true;
  }
}
