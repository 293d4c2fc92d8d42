import type { Pool } from 'pg';
import { Feed } from '../../feed/feed.ts';
import type { Brokers } from '../../service/brokers.ts';
import { type Clock, systemClock } from '../../service/clock.ts';
import type { Service } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { reportFailure } from '../../service/report-failure.ts';
import type { WebhookSettings } from '../../service/webhook-settings.ts';
import { createReadPool, type DatabasePool } from '../../store/connection/read-pool.ts';
import { createWorkPool } from '../../store/connection/work-pool.ts';
import { Deliverer } from './deliverer.ts';
import { createSender } from './send.ts';

const MB = 1024 * 1024;
/** The memory for changes, which all webhooks share: the newest ones, and older ones for webhooks that catch up. */
const FEED_MEMORY = { memoryBytes: 32 * MB, replayBytes: 16 * MB };
const FEED_CONNECTIONS = {
  maxConnections: 3,
  connectionTimeoutMs: 3000,
  statementTimeoutMs: 15_000,
};
const CONNECTIONS = 6;
/** A process without a success for this long is not ready, in milliseconds. */
const STUCK_MS = 10_000;
/** The pause after a failure, in milliseconds. */
const RETRY_MS = 500;

export interface DeliverOptions {
  brokers: Brokers;
  databaseUrl: string;
  /** The topic of changes. */
  topic: string;
  retentionMs: number;
  webhooks: WebhookSettings;
  clock: Clock;
  /** Resolves when the clock is right: the feed vouches for times. */
  synchronized: Promise<unknown>;
  log: Logger;
  /** How long an attempt may take, in milliseconds; for tests. */
  timeoutMs?: number;
}

/** The role `deliver`. */
export interface Deliver extends Service {
  /** The reason why it is not ready, in a sentence; null if it is. */
  findObstacle(): string | null;
}

interface Running {
  feed: Feed;
  deliverer: Deliverer;
  stop(): Promise<void>;
}

function run(
  options: DeliverOptions,
  pools: { read: DatabasePool; work: Pool },
  onNewEpoch: () => void,
): Running {
  const { brokers, topic, retentionMs, webhooks, clock, synchronized, log, timeoutMs } = options;
  const { read: pool } = pools;
  const feed = new Feed({ brokers, topic, pool, ...FEED_MEMORY, retentionMs, onNewEpoch, clock, log });
  let isStopped = false;
  const startFeed = () => {
    void synchronized.then(() => {
      if (!isStopped) feed.start();
    });
  };
  const sender = createSender({ ...webhooks, ...(timeoutMs !== undefined && { timeoutMs }) });
  const { seal, noticeUrl } = webhooks;
  const deliverer = new Deliverer({
    feed,
    startFeed,
    pool: pools.work,
    sender,
    seal,
    noticeUrl,
    retentionMs,
    clock,
    log,
  });
  deliverer.start();
  return {
    feed,
    deliverer,
    async stop() {
      isStopped = true;
      await deliverer.stop();
      sender.close();
      await feed.stop();
    },
  };
}

/**
 * Starts to deliver webhooks, as one of any number of processes. It waits for the database if it is away, and begins anew
 * when the stream has a new history.
 */
export function startDeliver(options: DeliverOptions): Deliver {
  const { databaseUrl, log } = options;
  const work = createWorkPool(databaseUrl, CONNECTIONS, (error) => {
    log.warn({ error }, 'a connection to Postgres was lost');
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  let read: DatabasePool | null = null;
  let running: Running | null = null;
  const begin = async () => {
    read ??= await openReadPool(databaseUrl, { log, signal });
    if (read && !signal.aborted) running = run(options, { read, work }, onNewEpoch);
  };
  let beginning = begin();
  const onNewEpoch = () => {
    beginning = beginning.then(async () => {
      await running?.stop();
      running = null;
      await begin();
    });
  };
  const findObstacle = () => {
    if (signal.aborted) return 'The process is stopping.';
    if (running === null) return 'The database does not answer yet.';
    const { feed, deliverer } = running;
    if (feed.isInConflict)
      return 'The database lacks changes that Kafka has published, or has different ones.';
    if (deliverer.hasWork && !feed.ready) return 'The stream is catching up.';
    if (deliverer.succeededWithin(STUCK_MS)) return null;
    return `There was no success of delivering webhooks in the last ${STUCK_MS / 1000} seconds.`;
  };
  return {
    isReady: () => findObstacle() === null,
    findObstacle,
    async stop() {
      stopping.abort();
      await beginning;
      await running?.stop();
      await Promise.all([read?.end(), work.end()]);
    },
  };
}

/** Opens the feed's pool, which connects at once, as soon as the database answers. @returns null if the signal aborts first */
async function openReadPool(
  databaseUrl: string,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<DatabasePool | null> {
  let isFailing = false;
  while (!signal.aborted) {
    try {
      return await createReadPool({ databaseUrl, ...FEED_CONNECTIONS });
    } catch (error) {
      const message = 'the database cannot be reached for webhooks; trying again';
      reportFailure(log, error, { where: 'webhooks', message, quiet: isFailing });
      isFailing = true;
      await systemClock.wait(RETRY_MS, signal);
    }
  }
  return null;
}
