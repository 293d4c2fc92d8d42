import { RETENTION_GRACE } from '../../domain/retention.ts';
import type { StreamFilter } from '../../domain/stream-filter.ts';
import { cursorOf, timeOf } from '../../feed/cursor-of.ts';
import { Delivery } from '../../feed/fan-out.ts';
import type { Feed } from '../../feed/feed.ts';
import type { FeedReader } from '../../feed/reader.ts';
import type { RenderedEvent, ResumePoint } from '../../feed/rendered-event.ts';
import { StreamGapError } from '../../feed/stream-gap-error.ts';
import { renderFrame } from '../../schemas/event.ts';
import { stringifyJson } from '../../schemas/json-text.ts';
import type { Clock } from '../../service/clock.ts';
import { classifyFailure } from '../../service/failure.ts';
import type { Logger } from '../../service/log.ts';
import { reportFailure } from '../../service/report-failure.ts';
import type { EventOutput } from '../wire/event-output.ts';
import { replays } from './replay-turns.ts';
import { endingAfter, noteStreamEnd, type StreamEnding } from './stream-ending.ts';
import { takeTurn } from './write-turns.ts';

/*
 * A stream of Server-Sent Events is a resume point, a filter and a socket, without a queue (INV-10). It asks for the next
 * changes, writes them, and waits for the socket to drain or for more changes. Every 20 seconds it sends a heartbeat, and
 * a checkpoint if it has moved past changes that did not match.
 */

export interface StreamOptions {
  start: ResumePoint;
  filter: StreamFilter;
  accountId: number;
  /** The data of the ready event. */
  ready: object;
  /** The interval of heartbeats, in milliseconds. */
  heartbeatMs: number;
  /** How long the stream lasts before the client is asked to reconnect, in milliseconds. */
  lifetimeMs: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  clock: Clock;
  /** Creates a log whose lines name the request and its account. Few streams need one. */
  openLog: () => Logger;
  /** Returns a number from 0 to 1, for jitter. */
  random: () => number;
}

/** Large enough for a write to be worth its system call, small enough to hold in memory for a slow client. */
const MAX_WRITE_BYTES = 64 * 1024;
/** How long the rest of a delivery is kept for a client whose socket is full, in milliseconds. */
const KEPT_MS = 1000;
/** A client that takes nothing for this long, in milliseconds, is asked to reconnect; ten seconds later it is disconnected. */
const STALL_MS = 20_000;
/** How often a client that the kernel has enough for is looked at, in milliseconds. */
const STALL_STEP_MS = 2000;
/** The interval of checkpoints on a silent stream, which keep its cursor valid (INV-5). */
const SILENT_CHECKPOINT_MS = 60 * 60_000;
const SILENT_CHECKPOINTS_PER_RETENTION = 4;
/** How long a stream waits before it asks Kafka again after a failure, in milliseconds. */
const RETRY_MS = 1000;
/** The delay after which clients reconnect, in milliseconds. */
const RETRY_RANGE_MS = { min: 1000, max: 5000 };
/** Lifetimes are shortened by up to this part, so that clients that connected together do not reconnect together. */
const LIFETIME_JITTER = 0.05;

/** One client's stream of Server-Sent Events (specification, "Server-Sent Events kinds"). */
export class EventStream {
  readonly #output: EventOutput;
  readonly #feed: Feed;
  readonly #options: StreamOptions;
  readonly #reader: FeedReader;
  /** Created on demand. Aborts when the stream ends. */
  #over: AbortController | undefined;
  #cancelBeat: () => void = () => {};
  /** The remaining lifetime, in milliseconds. Counted down, because clocks jump. */
  #leftMs: number;
  #ending: StreamEnding | undefined;
  /** The point after the last change that was written or skipped. */
  #written: ResumePoint;
  /** The sequence of the last id that was sent. */
  #toldSequence: number;
  /** When the last id was sent, in milliseconds since 1970. */
  #toldAt: number;
  readonly #startedAt: number;
  /** The number of endorsement events that were written. */
  #delivered = 0;
  /** Whether the client has taken something since the last look at it. */
  #hasTaken = false;

  constructor(output: EventOutput, feed: Feed, options: StreamOptions) {
    this.#output = output;
    this.#feed = feed;
    this.#options = options;
    this.#reader = feed.openReader(options.filter, options.accountId);
    this.#written = options.start;
    this.#toldSequence = options.start.sequence;
    this.#toldAt = options.clock.now();
    this.#startedAt = this.#toldAt;
    this.#leftMs = options.lifetimeMs * (1 - LIFETIME_JITTER * options.random());
  }

  /** Writes until the lifetime is over or the stream is ended, then ends the output. Never rejects. */
  run(): Promise<void> {
    // Not an async function, because a suspended one takes more memory for as long as the stream lasts.
    return this.#follow().then(() => this.#finish());
  }

  #finish(): void {
    const { clock, openLog } = this.#options;
    this.#cancelBeat();
    try {
      this.#writeEnding();
    } catch (error) {
      this.#fail(error);
      // Without its last frame, the client reconnects from its last id.
      this.#output.end();
    }
    const seconds = (clock.now() - this.#startedAt) / 1000;
    noteStreamEnd(openLog(), this.#ending, { seconds, delivered: this.#delivered });
  }

  /** Ends the stream with an error. Reports a defect even if the stream is ending already. */
  #fail(error: unknown): void {
    const log = this.#options.openLog();
    if (error instanceof StreamGapError) log.error({ error }, 'a stream met a change that is lost');
    else reportFailure(log, error, { where: 'stream', message: 'a stream failed' });
    this.end(endingAfter(error));
  }

  /** Ends the stream after the current write. Only the first call counts. */
  end(ending: StreamEnding): void {
    if (this.#ending) return;
    this.#ending = ending;
    this.#over?.abort();
    this.#reader.close();
  }

  /** Replaces the filter for the changes that follow. */
  changeFilter(filter: StreamFilter): void {
    this.#reader.changeFilter(filter);
  }

  /** Notes that the client has taken a part of what was written, although the socket takes nothing more for now. */
  noteTaken(): void {
    this.#hasTaken = true;
  }

  get #whenOver(): AbortSignal {
    this.#over ??= new AbortController();
    if (this.#ending) this.#over.abort();
    return this.#over.signal;
  }

  /** The point up to which every change was examined: the latest change while the reader waits. */
  get #resumePoint(): ResumePoint {
    const { latest } = this.#feed;
    return this.#reader.isWaiting && latest.sequence > this.#written.sequence ? latest : this.#written;
  }

  /** Writes until the stream ends. A gap or a defect ends it. */
  async #follow(): Promise<void> {
    let waits = false;
    try {
      this.#output.writeText(`retry: ${this.#retryMs()}\n\n${this.#tell('ready', this.#options.ready)}`);
      this.#scheduleBeat();
      while (!this.#ending) {
        // Before it reads, so that a slow client costs no memory (INV-10).
        if (this.#output.needsDrain) {
          if (await this.#drains((waiting) => this.#untilStalled(waiting))) continue;
          return this.end({ reconnect: 'slow_consumer' });
        }
        if (this.#isBeyondRetention()) return this.end({ reconnect: 'slow_consumer' });
        try {
          if (!this.#feed.isRecent(this.#resumePoint.sequence)) await this.#replay();
          else await this.#send(await this.#reader.next(this.#resumePoint, (fresh) => this.#take(fresh)));
          waits = false;
        } catch (error) {
          await this.#waitAfter(error, waits);
          waits = true;
        }
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Waits before the next attempt. While Kafka is away, the connection stays open.
   *
   * @throws the error if it is a defect
   */
  async #waitAfter(error: unknown, hasWaited: boolean): Promise<void> {
    if (classifyFailure(error) === 'defect') throw error;
    const { clock, openLog } = this.#options;
    reportFailure(openLog(), error, { where: 'stream', message: 'a stream waits', quiet: hasWaited });
    await clock.wait(RETRY_MS, this.#whenOver);
  }

  /** Reads older changes and writes them, when its turn comes. */
  async #replay(): Promise<void> {
    const work = async () => this.#send(await this.#reader.read(this.#resumePoint));
    try {
      await replays.run(work, { share: this.#options.accountId, gone: this.#whenOver });
    } catch (error) {
      // A stream that ends leaves the queue.
      if (!this.#ending) throw error;
    }
  }

  #isBeyondRetention(): boolean {
    const { clock, retentionMs } = this.#options;
    const { sequence, time } = this.#written;
    const behind = sequence < this.#feed.latest.sequence;
    return behind && clock.now() - time > retentionMs * (1 + RETENTION_GRACE);
  }

  /** Writes a delivery in the same turn of the event loop. Returns the part that is left. */
  #take(delivery: Delivery): Delivery | undefined {
    if (delivery.bytes > MAX_WRITE_BYTES) return delivery;
    delivery.writes += 1;
    return this.#write(delivery) ? undefined : new Delivery([], delivery.resumePoint);
  }

  /** Writes a delivery, in several writes if it is large. The rest that a slow client does not take is read again later. */
  async #send(delivery: Delivery): Promise<void> {
    const { events, resumePoint } = delivery;
    delivery.writes += 1;
    if (delivery.bytes <= MAX_WRITE_BYTES) return void this.#write(delivery);
    let piece: RenderedEvent[] = [];
    let bytes = 0;
    for (const event of events) {
      piece.push(event);
      bytes += event.frameLength;
      if (bytes < MAX_WRITE_BYTES) continue;
      const isTaken = this.#write(new Delivery(piece, event.resumePoint));
      if (!isTaken && !(await this.#drainsSoon())) return;
      // The kernel can take a week of compressed changes at once, and other requests would wait for all of it (INV-15).
      await takeTurn(this.#options.accountId);
      if (this.#ending) return;
      piece = [];
      bytes = 0;
    }
    this.#write(new Delivery(piece, resumePoint));
  }

  /** Waits until the socket takes more. Returns false if that lasts too long to hold changes meanwhile. */
  async #drainsSoon(): Promise<boolean> {
    if (replays.waiting > 0) return false;
    return this.#drains((waiting) => this.#options.clock.wait(KEPT_MS, waiting));
  }

  /**
   * Advances and writes in one turn of the event loop, so that no frame in between carries an older id.
   * Returns false if the socket takes nothing more for now.
   */
  #write(delivery: Delivery): boolean {
    const { events, resumePoint } = delivery;
    this.#written = resumePoint;
    const last = events.at(-1);
    if (!last) return true;
    this.#delivered += events.length;
    this.#toldSequence = last.sequence;
    this.#toldAt = this.#options.clock.now();
    return this.#output.write(delivery.frames);
  }

  /** Waits until the socket takes more. Returns false if `untilLate` resolves first, or the stream ends. */
  async #drains(untilLate: (waiting: AbortSignal) => Promise<void>): Promise<boolean> {
    const late = new AbortController();
    const waiting = AbortSignal.any([this.#whenOver, late.signal]);
    untilLate(waiting).then(() => late.abort());
    const drains = await this.#output.drained(waiting).then(
      () => true,
      () => {
        // The connection has failed, unless the stream ends or the client is only late.
        if (!late.signal.aborted) this.end({ gone: true });
        return false;
      },
    );
    late.abort();
    return drains;
  }

  /**
   * Resolves when the client has taken nothing for too long. The socket says that it takes more only when a third of the
   * kernel's buffer is free, which takes a phone minutes.
   */
  async #untilStalled(waiting: AbortSignal): Promise<void> {
    for (let ms = 0; ms < STALL_MS && !waiting.aborted; ms = this.#hasTaken ? 0 : ms + STALL_STEP_MS) {
      this.#hasTaken = false;
      await this.#options.clock.wait(STALL_STEP_MS, waiting);
    }
  }

  get #silenceMs(): number {
    return Math.min(SILENT_CHECKPOINT_MS, this.#options.retentionMs / SILENT_CHECKPOINTS_PER_RETENTION);
  }

  /** One timer serves the heartbeat and the end of the lifetime: a timer takes 300 bytes. */
  #scheduleBeat(): void {
    const { clock, heartbeatMs } = this.#options;
    const ms = Math.min(heartbeatMs, this.#silenceMs, this.#leftMs);
    this.#cancelBeat = clock.schedule(ms, () => this.#beat(ms));
  }

  /** @param ms the time since the previous beat */
  #beat(ms: number): void {
    if (this.#ending) return;
    this.#leftMs -= ms;
    if (this.#leftMs <= 0) {
      this.end({ reconnect: 'lifetime' });
      return;
    }
    this.#scheduleBeat();
    if (this.#output.needsDrain) return;
    try {
      const silent = this.#options.clock.now() - this.#toldAt >= this.#silenceMs;
      const isNews = silent || this.#resumePoint.sequence > this.#toldSequence;
      this.#output.writeText(`${isNews ? this.#tellCheckpoint() : ''}: ping\n\n`);
    } catch (error) {
      this.#fail(error);
    }
  }

  #tellCheckpoint(): string {
    const resumePoint = this.#resumePoint;
    // Sequences have no gaps, and every match was sent. So no change since then matched.
    const scanned = resumePoint.sequence - this.#toldSequence;
    const occurred_at = new Date(timeOf(this.#feed, resumePoint)).toISOString();
    return this.#tell('checkpoint', { occurred_at, scanned });
  }

  #writeEnding(): void {
    const ending = this.#ending ?? { gone: true };
    if ('gone' in ending || 'vanished' in ending) return;
    if ('reconnect' in ending) {
      const data = { reason: ending.reconnect, retry_ms: this.#retryMs() };
      this.#output.writeText(this.#tell('reconnect', data));
    } else {
      this.#output.writeText(this.#tell('error', { code: ending.error, message: ending.message }));
    }
    this.#output.end();
  }

  /** Renders a control frame, which must be written at once. Its id is the client's cursor. */
  #tell(event: string, data: object): string {
    const resumePoint = this.#resumePoint;
    const id = cursorOf(this.#feed, resumePoint);
    this.#toldSequence = resumePoint.sequence;
    this.#toldAt = this.#options.clock.now();
    return renderFrame({ event, id, data: stringifyJson(data) });
  }

  #retryMs(): number {
    const { min, max } = RETRY_RANGE_MS;
    return Math.round(min + (max - min) * this.#options.random());
  }
}
