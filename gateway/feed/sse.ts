import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { ChangePredicate } from '../../domain/stream-filter.ts';
import { renderFrame } from '../../schemas/event.ts';
import type { Clock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import type { LogEntry, Position } from './entry.ts';
import { type Feed, StreamGapError } from './feed.ts';
import { cursorOf } from './start-position.ts';

/*
 * A stream of Server-Sent Events is a position, a filter and a socket, and no queue (INV-10). It asks the feed for
 * what comes next, writes what matches, and waits: for the socket to drain, or for the feed to grow. Every 20 seconds
 * it gives a sign of life, and a checkpoint where the position has moved past changes that did not match.
 */

export interface StreamOptions {
  start: Position;
  matches: ChangePredicate;
  /** The data of the ready event. */
  ready: object;
  /** How often the stream gives a sign of life, in milliseconds. */
  heartbeatMs: number;
  /** How long it lasts before the client is asked to reconnect, in milliseconds. */
  lifetimeMs: number;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  /** The client is gone. */
  closed: AbortSignal;
  /** The gateway stops. */
  draining: AbortSignal;
  clock: Clock;
  logger: Logger;
  /** A number from 0 to 1, for jitter. */
  random: () => number;
}

type ReconnectReason = 'lifetime' | 'shutdown' | 'slow_consumer';

/** Enough for a write to be worth its system call, and little enough to hold in memory for a slow client. */
const MAX_WRITE_BYTES = 64 * 1024;
/** A client that takes nothing for so long is sent away, in milliseconds. */
const STALL_MS = 3 * 60_000;
/**
 * Who reads from the oldest event of the window begins at its very edge, so that an open stream may fall behind the
 * window by this part of it. The topic keeps more than that.
 */
const WINDOW_GRACE = 0.05;
/** A stream without a single event gets a checkpoint this often, so that its cursor never expires (INV-5). */
const SILENT_CHECKPOINT_MS = 60 * 60_000;
/** How long a stream waits before it asks Kafka again, in milliseconds. */
const RETRY_MS = 1000;
/** When clients come back after the connection ended, in milliseconds. */
const RETRY_RANGE_MS = { min: 1000, max: 5000 };
/** Lifetimes are shortened by up to this part, so that clients who came together do not come back together. */
const LIFETIME_JITTER = 0.05;

class EventStream {
  readonly #output: Writable;
  readonly #feed: Feed;
  readonly #options: StreamOptions;
  #position: Position;
  /** Changes passed since the client was last told its position. */
  #scanned = 0;
  #toldAt: number;

  constructor(output: Writable, feed: Feed, options: StreamOptions) {
    this.#output = output;
    this.#feed = feed;
    this.#options = options;
    this.#position = options.start;
    this.#toldAt = options.clock.now();
  }

  async run(): Promise<void> {
    const { closed, draining, clock, lifetimeMs, heartbeatMs, random } = this.#options;
    const over = new AbortController();
    const ended = AbortSignal.any([closed, over.signal]);
    let reason: ReconnectReason = 'lifetime';
    const end = (why: ReconnectReason) => {
      reason = why;
      over.abort();
    };
    clock.wait(lifetimeMs * (1 - LIFETIME_JITTER * random()), ended).then(() => over.abort());
    const drain = () => end('shutdown');
    draining.addEventListener('abort', drain);
    if (draining.aborted) drain();
    try {
      this.#greet();
      await Promise.all([this.#deliver(ended, end), this.#keepAlive(heartbeatMs, ended)]);
      if (!closed.aborted) this.#leave(reason);
    } catch (error) {
      if (!closed.aborted) this.#fail(error);
    } finally {
      draining.removeEventListener('abort', drain);
      over.abort();
    }
  }

  #greet(): void {
    this.#output.write(`retry: ${this.#retryMs()}\n\n`);
    this.#tell('ready', this.#options.ready);
  }

  /** Delivers until the stream is over. @throws StreamGapError when the log lacks the next change. */
  async #deliver(ended: AbortSignal, end: (why: ReconnectReason) => void): Promise<void> {
    const { clock, logger, retentionMs } = this.#options;
    while (!ended.aborted) {
      const behind = this.#position.sequence < this.#feed.latest.sequence;
      const age = clock.now() - this.#position.time;
      if (behind && age > retentionMs * (1 + WINDOW_GRACE)) return end('slow_consumer');
      try {
        const { entries, position } = await this.#feed.read(this.#position);
        if (!(await this.#send(entries, position, ended))) return end('slow_consumer');
        if (entries.length === 0) await this.#feed.whenBeyond(position.sequence, ended);
      } catch (error) {
        if (error instanceof StreamGapError) throw error;
        // Kafka does not answer: the connection stays, and goes on from its position by itself.
        logger.debug({ error }, 'a stream waits for Kafka');
        await clock.wait(RETRY_MS, ended);
      }
    }
  }

  /** Writes what matches, a bounded piece at a time. @returns false when the client has stopped reading. */
  async #send(entries: LogEntry[], after: Position, ended: AbortSignal): Promise<boolean> {
    let frames: Buffer[] = [];
    let bytes = 0;
    for (const entry of entries) {
      if (!this.#options.matches(entry.facets)) {
        this.#scanned += 1;
        continue;
      }
      this.#scanned = 0;
      frames.push(entry.frame);
      bytes += entry.frame.length;
      if (bytes < MAX_WRITE_BYTES) continue;
      if (!(await this.#write(frames, entry.position, ended))) return false;
      if (ended.aborted) return true;
      frames = [];
      bytes = 0;
    }
    return this.#write(frames, after, ended);
  }

  /** Moves to a position and writes what leads there, in one turn, so that no frame can tell an older one after it. */
  async #write(frames: Buffer[], position: Position, ended: AbortSignal): Promise<boolean> {
    this.#position = position;
    if (frames.length === 0) return true;
    this.#toldAt = this.#options.clock.now();
    return this.#output.write(Buffer.concat(frames)) || this.#drained(ended);
  }

  async #drained(ended: AbortSignal): Promise<boolean> {
    const stalled = new AbortController();
    const waiting = AbortSignal.any([ended, stalled.signal]);
    this.#options.clock.wait(STALL_MS, waiting).then(() => stalled.abort());
    const drained = await once(this.#output, 'drain', { signal: waiting }).then(
      () => true,
      () => ended.aborted,
    );
    stalled.abort();
    return drained;
  }

  async #keepAlive(heartbeatMs: number, ended: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!ended.aborted) {
      await clock.wait(heartbeatMs, ended);
      if (ended.aborted || this.#output.writableNeedDrain) continue;
      const silent = clock.now() - this.#toldAt >= SILENT_CHECKPOINT_MS;
      if (this.#scanned > 0 || silent) this.#checkpoint();
      this.#output.write(': ping\n\n');
    }
  }

  #checkpoint(): void {
    const scanned = this.#scanned;
    this.#tell('checkpoint', { occurred_at: new Date(this.#position.time).toISOString(), scanned });
  }

  #leave(reason: ReconnectReason): void {
    this.#tell('reconnect', { reason, retry_ms: this.#retryMs() });
    this.#output.end();
  }

  #fail(error: unknown): void {
    this.#options.logger.error({ error }, 'a stream failed');
    const gap = error instanceof StreamGapError;
    this.#tell('error', {
      code: gap ? 'cursor_expired' : 'internal_error',
      message: gap
        ? 'The stream lacks a change after this position. Catch up through /v1/endorsements, then read on from its stream_cursor.'
        : 'The stream failed; reconnect to go on from here.',
    });
    this.#output.end();
  }

  /** Writes a frame that is not an endorsement. Its id tells the client its position. */
  #tell(event: string, data: object): void {
    const id = cursorOf(this.#feed, this.#position);
    this.#output.write(renderFrame({ event, id, data: JSON.stringify(data) }));
    this.#toldAt = this.#options.clock.now();
    this.#scanned = 0;
  }

  #retryMs(): number {
    const { min, max } = RETRY_RANGE_MS;
    return Math.round(min + (max - min) * this.#options.random());
  }
}

/**
 * Writes the change stream to an output until its lifetime is over, the client is gone or the gateway stops
 * (specification, "Server-Sent Events kinds"). Ends the output; never rejects.
 */
export async function streamFeed(output: Writable, feed: Feed, options: StreamOptions): Promise<void> {
  await new EventStream(output, feed, options).run();
}
