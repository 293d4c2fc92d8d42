import type { Pool } from 'pg';
import { Feed } from '../../feed/feed.ts';
import type { Brokers } from '../../service/brokers.ts';
import type { Clock } from '../../service/clock.ts';
import type { Service } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
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
  const sender = createSender({ ...webhooks, ...(timeoutMs !== undefined && { timeoutMs }) });
  const { seal, noticeUrl } = webhooks;
  const deliverer = new Deliverer({
    feed,
    pool: pools.work,
    sender,
    seal,
    noticeUrl,
    retentionMs,
    clock,
    log,
  });
  let isStopped = false;
  void synchronized.then(() => {
    if (!isStopped) feed.start();
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

/** Starts to deliver webhooks, as one of any number of processes. It begins anew when the stream has a new history. */
export async function startDeliver(options: DeliverOptions): Promise<Deliver> {
  const { databaseUrl, log } = options;
  const read = await createReadPool({ databaseUrl, ...FEED_CONNECTIONS });
  const work = createWorkPool(databaseUrl, CONNECTIONS, (error) => {
    log.warn({ error }, 'a connection to Postgres was lost');
  });
  let isStopping = false;
  let replacing = Promise.resolve();
  const onNewEpoch = () => {
    replacing = replacing.then(async () => {
      await running.stop();
      if (!isStopping) running = start();
    });
  };
  const start = () => run(options, { read, work }, onNewEpoch);
  let running = start();
  const findObstacle = () => {
    if (isStopping) return 'The process is stopping.';
    const { feed, deliverer } = running;
    if (feed.isInConflict)
      return 'The database lacks changes that Kafka has published, or has different ones.';
    if (!feed.ready) return 'The stream is catching up.';
    if (deliverer.succeededWithin(STUCK_MS)) return null;
    return `There was no success of delivering webhooks in the last ${STUCK_MS / 1000} seconds.`;
  };
  return {
    isReady: () => findObstacle() === null,
    findObstacle,
    async stop() {
      isStopping = true;
      await replacing;
      await running.stop();
      await Promise.all([read.end(), work.end()]);
    },
  };
}
