import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Feed } from '../../feed/feed.ts';
import { createAttempt } from '../../service/attempt.ts';
import { type Clock, systemClock } from '../../service/clock.ts';
import { LastSuccess } from '../../service/last-success.ts';
import type { Logger } from '../../service/log.ts';
import { repeat } from '../../service/repeat.ts';
import type { Seal } from '../../service/sealing.ts';
import {
  deleteOldAttempts,
  movePositions,
  recordAttempts,
  saveBatches,
} from '../../store/webhooks/deliveries.ts';
import {
  claimShare,
  endLease,
  type HeldWebhook,
  hasWebhooks,
  listHeld,
  loadHeld,
  releaseWebhooks,
  renewLease,
} from '../../store/webhooks/leases.ts';
import { AttemptMaker } from './attempts.ts';
import { Courier, type CourierServices } from './courier.ts';
import { GroupedWrites } from './grouped-writes.ts';
import { Lease } from './lease.ts';
import { heldWebhooks, showLags, turnsTaken, turnsWaiting } from './metrics.ts';
import { sendNotices } from './notices.ts';
import { ATTEMPT_TIMEOUT_MS, type Sender } from './send.ts';
import { sendTest } from './send-test.ts';
import { Turns } from './turns.ts';

/** No attempt begins unless the lease lasts this long: two processes never send for a webhook at a time. */
const LEASE_FOR_ATTEMPT_MS = ATTEMPT_TIMEOUT_MS + 1000;
const RENEW_MS = 3000;
/** The interval at which it looks for changed, new and abandoned webhooks. */
const LOOK_MS = 1000;
/** The interval at which positions that no delivery has moved are stored, and how long one may stay on a silent stream. */
const POSITIONS_MS = 60_000;
const SILENCE_MS = 60 * 60_000;
const CLEANING_MS = 60 * 60_000;
const NOTICES_MS = 10_000;
/** The most webhooks that are loaded, or whose positions are stored, in a statement. */
const MAX_GROUP = 1000;

export interface DelivererOptions {
  feed: Pick<Feed, 'ready' | 'isInConflict' | 'epoch' | 'latest' | 'openReader'>;
  /** Starts the feed. Called once there is a webhook: to follow the stream costs a tenth of each change. */
  startFeed: () => void;
  pool: Pool;
  sender: Sender;
  seal: Seal;
  /** The operator's address for notices; null for none. */
  noticeUrl: URL | null;
  retentionMs: number;
  clock: Clock;
  log: Logger;
}

/**
 * Delivers the webhooks that this process holds. Processes share the webhooks by leases that expire: each webhook is in one
 * place at a time, and other processes take over those of a process that has ended.
 */
export class Deliverer {
  readonly #id = randomUUID();
  readonly #options: DelivererOptions;
  readonly #turns = new Turns();
  readonly #couriers = new Map<number, { stamp: string; courier: Courier }>();
  /** The webhooks that it gives to other processes. */
  #leaving: ReadonlySet<number> = new Set();
  /** The webhooks whose test is being sent. */
  readonly #tests = new Map<number, Promise<void>>();
  readonly #services: CourierServices;
  readonly #lease: Lease;
  readonly #success = new LastSuccess();
  #hasWork = false;
  readonly #stopping = new AbortController();
  #loops: { stop(): Promise<void> }[] = [];

  constructor(options: DelivererOptions) {
    this.#options = options;
    const { feed, pool, sender, seal, retentionMs, clock, log } = options;
    this.#lease = new Lease((ms) => renewLease(pool, this.#id, ms));
    const untilLeased = (signal: AbortSignal) => this.#lease.untilItLasts(LEASE_FOR_ATTEMPT_MS, signal);
    this.#services = {
      ...{ feed, pool, retentionMs, random: Math.random, clock, log },
      delivererId: this.#id,
      turns: this.#turns,
      attempts: new AttemptMaker({ sender, seal, untilLeased, clock, log }),
      saves: new GroupedWrites((batches) => saveBatches(pool, this.#id, batches)),
      records: new GroupedWrites((attempts) => recordAttempts(pool, this.#id, attempts)),
    };
  }

  start(): void {
    const loop = (everyMs: number, message: string, work: () => Promise<void>, clock = systemClock) => {
      const attempt = createAttempt(this.#options.log, 'webhooks');
      return repeat(everyMs, clock, () => attempt(message, work));
    };
    this.#loops = [
      loop(RENEW_MS, 'the lease of webhooks cannot be renewed; trying again', async () => {
        if (this.#mayDeliver) await this.#lease.renew();
      }),
      loop(LOOK_MS, 'webhooks cannot be looked up; trying again', () => this.#look()),
      loop(POSITIONS_MS, 'positions of webhooks cannot be stored; trying again', () =>
        this.#storePositions(),
      ),
      loop(CLEANING_MS, 'old attempts cannot be deleted; trying again', () =>
        deleteOldAttempts(this.#options.pool),
      ),
    ];
    const { noticeUrl, pool, clock, log } = this.#options;
    if (noticeUrl) {
      const message = 'notices of disabled webhooks cannot be sent; trying again';
      const { signal } = this.#stopping;
      this.#loops.push(loop(NOTICES_MS, message, () => sendNotices(pool, noticeUrl, log, signal), clock));
    }
  }

  /** Ends after the attempts under way, and gives the webhooks to other processes. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await Promise.all([...this.#couriers.values()].map(({ courier }) => courier.stop()));
    await Promise.all(this.#tests.values());
    this.#lease.leave();
    await this.#storePositions().catch(() => {});
    // Without it the lease expires.
    await endLease(this.#options.pool, this.#id).catch(() => {});
  }

  /** Whether there has been a webhook since its start. */
  get hasWork(): boolean {
    return this.#hasWork;
  }

  /** Whether it has looked for webhooks in the last seconds. */
  succeededWithin(ms: number): boolean {
    return this.#success.isWithin(ms);
  }

  /**
   * Whether it knows the stream. Otherwise it has no share of the webhooks, which would get nothing, and others deliver
   * them.
   */
  get #mayDeliver(): boolean {
    const { feed } = this.#options;
    return feed.ready && !feed.isInConflict;
  }

  /** Takes a fair share, gives a surplus back, and follows changes of the webhooks. */
  async #look(): Promise<void> {
    const { startFeed, pool } = this.#options;
    if (!this.#hasWork && (await hasWebhooks(pool))) {
      this.#hasWork = true;
      startFeed();
    }
    const mayDeliver = this.#mayDeliver;
    if (mayDeliver) {
      if (!this.#lease.hasBegun) await this.#lease.renew();
      const { held, fair } = await claimShare(pool, this.#id);
      await this.#release(Math.max(0, held - fair));
    }
    const held = mayDeliver ? await listHeld(pool, this.#id) : [];
    await this.#follow(held.filter(({ isEnabled }) => isEnabled));
    for (const { id, testMessage } of held) if (testMessage !== null) this.#test(id, testMessage);
    heldWebhooks.set(held.length);
    showLags(
      [...this.#couriers.values()].map(({ courier }) => courier),
      this.#options.clock.now(),
    );
    turnsTaken.set(this.#turns.running);
    turnsWaiting.set(this.#turns.waiting);
    this.#success.note();
  }

  /** Stops and starts couriers, so that there is one for each enabled webhook, as it is now. */
  async #follow(held: readonly HeldWebhook[]): Promise<void> {
    const wanted = new Map(held.map(({ id, stamp }) => [id, stamp]));
    for (const [id, { stamp, courier }] of this.#couriers) {
      if (this.#leaving.has(id)) continue;
      if (wanted.get(id) !== stamp) void courier.stop();
      // The next one starts only when this one has ended.
      if (courier.isFinished) this.#couriers.delete(id);
    }
    const missing = held.filter(({ id }) => !this.#couriers.has(id));
    for (let from = 0; from < missing.length; from += MAX_GROUP) {
      const ids = missing.slice(from, from + MAX_GROUP).map(({ id }) => id);
      const loaded = await loadHeld(this.#options.pool, this.#id, ids);
      for (const webhook of loaded) {
        const stamp = wanted.get(webhook.id);
        // A webhook that was disabled meanwhile is no longer held at the next look.
        if (stamp === undefined || webhook.state === 'disabled') continue;
        const courier = new Courier(webhook, this.#services, this.#lease.lost);
        this.#couriers.set(webhook.id, { stamp, courier });
      }
    }
  }

  /** Gives a surplus back. A webhook whose attempt is under way follows at a later look, and the others do not wait for it. */
  async #release(count: number): Promise<void> {
    const surplus = [...this.#couriers].slice(0, count);
    this.#leaving = new Set(surplus.map(([id]) => id));
    for (const [, { courier }] of surplus) void courier.stop();
    const ended = surplus.filter(([, { courier }]) => courier.isFinished);
    if (ended.length === 0) return;
    await this.#store(ended.map(([, { courier }]) => courier));
    for (const [id] of ended) this.#couriers.delete(id);
    await releaseWebhooks(
      this.#options.pool,
      this.#id,
      ended.map(([id]) => id),
    );
  }

  #test(id: number, messageId: string): void {
    if (this.#tests.has(id) || this.#stopping.signal.aborted) return;
    const sending = sendTest({ id, messageId }, this.#services, this.#lease.lost).finally(() =>
      this.#tests.delete(id),
    );
    this.#tests.set(id, sending);
  }

  #storePositions(): Promise<void> {
    return this.#store([...this.#couriers.values()].map(({ courier }) => courier));
  }

  async #store(couriers: readonly Courier[]): Promise<void> {
    const silenceMs = Math.min(SILENCE_MS, this.#options.retentionMs / 4);
    const moved = couriers.flatMap((courier) => courier.takeMovedPosition(silenceMs) ?? []);
    for (let from = 0; from < moved.length; from += MAX_GROUP) {
      await movePositions(this.#options.pool, this.#id, moved.slice(from, from + MAX_GROUP));
    }
  }
}
