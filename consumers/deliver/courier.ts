import type { Pool } from 'pg';
import { afterAttempt, isExpired, type WebhookState } from '../../domain/webhooks/state.ts';
import { cursorOf } from '../../feed/cursor-of.ts';
import type { Feed } from '../../feed/feed.ts';
import type { FeedReader } from '../../feed/reader.ts';
import type { ResumePoint } from '../../feed/rendered-event.ts';
import { StreamGapError } from '../../feed/stream-gap-error.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import { generateMessageId } from '../../schemas/webhook-signature.ts';
import type { Clock } from '../../service/clock.ts';
import { classifyFailure } from '../../service/failure.ts';
import type { Logger } from '../../service/log.ts';
import { reportFailure } from '../../service/report-failure.ts';
import {
  expireWebhook,
  loadBatch,
  type NewBatch,
  type RecordedAttempt,
} from '../../store/webhooks/deliveries.ts';
import type { LoadedWebhook } from '../../store/webhooks/leases.ts';
import type { AttemptMaker, MadeAttempt } from './attempts.ts';
import { collectBatch, renderMessage } from './collect-batch.ts';
import type { GroupedWrites } from './grouped-writes.ts';
import type { Turns } from './turns.ts';

/** The pause after a failure of a server, in milliseconds. */
const RETRY_MS = 1000;
/** An attempt that takes longer makes its webhook one of the slow ones, in milliseconds. */
const SLOW_MS = 1000;

export interface CourierServices {
  feed: Pick<Feed, 'epoch' | 'latest' | 'openReader'>;
  pool: Pool;
  /** The id of the deliverer, by which it holds webhooks. */
  delivererId: string;
  turns: Turns;
  attempts: AttemptMaker;
  saves: GroupedWrites<NewBatch>;
  records: GroupedWrites<RecordedAttempt>;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  random: () => number;
  clock: Clock;
  log: Logger;
}

type Batch = Pick<NewBatch, 'messageId' | 'body' | 'events' | 'cursor'>;

/** Begins with the state that was loaded. */
function stateOf({ state, reason, failures, failingSince, nextAttemptAt }: LoadedWebhook): WebhookState {
  return { state, reason, failures, failingSince, nextAttemptAt } as WebhookState;
}

/**
 * Delivers to one webhook, one batch at a time: the next one follows after an answer of 2xx. Between batches it holds a
 * position and a filter, and no event (INV-10).
 */
export class Courier {
  readonly #webhook: LoadedWebhook;
  readonly #services: CourierServices;
  readonly #stopping = new AbortController();
  /** Aborts when the webhook may be somebody else's: an attempt under way ends too. */
  readonly #lost: AbortSignal;
  readonly #over: AbortSignal;
  readonly #reader: FeedReader;
  #state: WebhookState;
  #position: ResumePoint;
  #storedSequence: number;
  #storedAt: number;
  #hasBatch: boolean;
  #isSlow: boolean;
  #isFinished = false;
  readonly #done: Promise<void>;

  constructor(webhook: LoadedWebhook, services: CourierServices, lost: AbortSignal) {
    this.#webhook = webhook;
    this.#services = services;
    this.#lost = lost;
    this.#over = AbortSignal.any([lost, this.#stopping.signal]);
    this.#state = stateOf(webhook);
    this.#hasBatch = webhook.hasBatch;
    this.#isSlow = webhook.failures > 0;
    this.#position = parseCursor(webhook.cursor);
    this.#storedSequence = this.#position.sequence;
    this.#storedAt = services.clock.now();
    this.#reader = services.feed.openReader(webhook.filter, webhook.accountId);
    this.#over.addEventListener('abort', () => this.#leave(), { once: true });
    this.#done = this.#run();
  }

  /** Whether it delivers nothing more: it was stopped, or the webhook must be loaded again. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** How long the oldest change that the receiver lacks has waited, in milliseconds; 0 if it lacks none. */
  get lagMs(): number {
    const { feed, clock } = this.#services;
    const isBehind = !this.#reader.isWaiting && this.#position.sequence < feed.latest.sequence;
    return isBehind || this.#hasBatch ? Math.max(0, clock.now() - this.#position.time) : 0;
  }

  get createdAt(): number {
    return this.#webhook.createdAt;
  }

  /** Ends after an attempt under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  /**
   * The position to store, if it has moved past changes that did not match, or stayed for long; null otherwise. A silent
   * stream moves it too, so that it does not expire (INV-5).
   */
  takeMovedPosition(silenceMs: number): { id: number; revision: number; cursor: string } | null {
    const { feed, clock } = this.#services;
    if (this.#hasBatch) return null;
    this.#notePassed();
    const hasMoved = this.#position.sequence > this.#storedSequence;
    if (!hasMoved && clock.now() - this.#storedAt < silenceMs) return null;
    this.#noteStored();
    const { id, revision } = this.#webhook;
    return { id, revision, cursor: cursorOf(feed, this.#position) };
  }

  /** While the reader waits, every change up to the latest was examined. */
  #notePassed(): void {
    const { latest } = this.#services.feed;
    if (this.#reader.isWaiting && latest.sequence >= this.#position.sequence) this.#position = latest;
  }

  #leave(): void {
    this.#notePassed();
    this.#reader.close();
  }

  #noteStored(): void {
    this.#storedSequence = this.#position.sequence;
    this.#storedAt = this.#services.clock.now();
  }

  async #run(): Promise<void> {
    let isFailing = false;
    try {
      while (!this.#over.aborted) {
        try {
          if (!(await this.#step())) return;
          isFailing = false;
        } catch (error) {
          if (this.#lost.aborted) return;
          if (error instanceof StreamGapError) return await this.#expire();
          const message = 'a webhook waits; trying again';
          const { log, clock } = this.#services;
          const fields = { webhook: this.#webhook.id };
          reportFailure(log, error, { where: 'webhooks', message, fields, quiet: isFailing });
          isFailing = classifyFailure(error) !== 'defect';
          await clock.wait(RETRY_MS, this.#over);
        }
      }
    } catch (error) {
      const message = 'a webhook cannot be disabled; trying again';
      reportFailure(this.#services.log, error, { where: 'webhooks', message });
    } finally {
      this.#reader.close();
      this.#isFinished = true;
    }
  }

  /** Delivers the next batch when it is due. Returns false if the webhook must be loaded again. */
  async #step(): Promise<boolean> {
    const { clock, turns } = this.#services;
    if (this.#isBeyondRetention()) {
      await this.#expire();
      return false;
    }
    const { nextAttemptAt } = this.#state;
    if (nextAttemptAt !== null) await clock.wait(Math.max(0, nextAttemptAt - clock.now()), this.#over);
    if (!this.#hasBatch && !(await this.#findMatch())) return true;
    const { accountId, url } = this.#webhook;
    const endTurn = await turns.take(
      { host: new URL(url).host, accountId, isSlow: this.#isSlow },
      this.#over,
    );
    if (!endTurn) return true;
    try {
      return await this.#deliver();
    } finally {
      endTurn();
    }
  }

  /** A batch that was begun can still be sent; the state decides for how long. */
  #isBeyondRetention(): boolean {
    const { feed, clock, retentionMs } = this.#services;
    if (parseCursor(this.#webhook.cursor).epoch !== feed.epoch) return true;
    const { sequence, time } = this.#position;
    const isBehind = !this.#hasBatch && sequence < feed.latest.sequence;
    return isBehind && isExpired({ now: clock.now(), positionTime: time, retentionMs });
  }

  async #expire(): Promise<void> {
    const { pool, delivererId, log } = this.#services;
    await expireWebhook(pool, delivererId, this.#webhook);
    log.warn(
      { webhook: this.#webhook.id },
      'a webhook is disabled: the events after its position are not kept any more',
    );
  }

  /** Waits for a change that matches, and stops before it. Returns false if there was none yet. */
  async #findMatch(): Promise<boolean> {
    const { events, resumePoint } = await this.#reader.next(this.#position);
    const [first] = events;
    // No change before the first match matches. The offsets are lower bounds, which hold for later changes too.
    this.#position = first ? { ...this.#position, sequence: first.sequence - 1 } : resumePoint;
    return first !== undefined;
  }

  /** Makes an attempt to deliver the batch that was begun, or the next one. */
  async #deliver(): Promise<boolean> {
    const { pool, attempts, saves } = this.#services;
    const { id, revision } = this.#webhook;
    const batch = this.#hasBatch ? await loadBatch(pool, id) : await this.#collect();
    if (batch === null) {
      this.#hasBatch = false;
      return true;
    }
    if (!this.#hasBatch) {
      // Stored before it is sent, so that every attempt sends the same bytes. If the answer is lost, it may be stored.
      this.#hasBatch = true;
      if (!(await saves.add({ id, revision, ...batch }))) return false;
    }
    const made = await attempts.make(this.#webhook, batch, this.#lost);
    return this.#record(batch, made);
  }

  /** Collects the next batch. Returns null if no further change matches yet. */
  async #collect(): Promise<Batch | null> {
    const { feed, clock } = this.#services;
    const { events, end } = await collectBatch(this.#reader, this.#position);
    if (events.length === 0) {
      this.#position = end;
      return null;
    }
    const cursor = cursorOf(feed, end);
    const body = renderMessage(events, cursor, clock.now());
    return { messageId: generateMessageId(), body, events: events.length, cursor };
  }

  /** Records an attempt until the database has it. Returns false if the webhook must be loaded again. */
  async #record(batch: Batch, made: MadeAttempt): Promise<boolean> {
    const { records, retentionMs, random, clock, log } = this.#services;
    const { id, revision } = this.#webhook;
    const isDelivered = made.outcome === 'delivered';
    const now = clock.now();
    const positionTime = this.#position.time;
    const state = afterAttempt(this.#state, made, { now, random: random(), positionTime, retentionMs });
    const { retryAfterMs: _, ...attempt } = made;
    const after = { ...state, cursor: isDelivered ? batch.cursor : null };
    const recorded: RecordedAttempt = { id, revision, ...attempt, after };
    let isFailing = false;
    for (;;) {
      try {
        if (!(await records.add(recorded))) return false;
        break;
      } catch (error) {
        const message = 'an attempt cannot be recorded; trying again';
        reportFailure(log, error, { where: 'webhooks', message, quiet: isFailing });
        isFailing = true;
        if (this.#over.aborted) return false;
        await clock.wait(RETRY_MS, this.#over);
      }
    }
    this.#state = state;
    this.#isSlow = !isDelivered || made.durationMs > SLOW_MS;
    if (isDelivered) {
      this.#position = parseCursor(batch.cursor);
      this.#hasBatch = false;
      this.#noteStored();
    }
    if (state.state !== 'disabled') return true;
    log.warn({ webhook: id, reason: state.reason }, 'a webhook is disabled');
    return false;
  }
}
