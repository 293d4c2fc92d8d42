import { setTimeout as sleep } from 'node:timers/promises';
import type { Kafka } from 'kafkajs';
import pg from 'pg';
import { type ChangesProducer, createChangesProducer } from '../../kafka/changes-producer.ts';
import { LastSuccess } from '../../service/last-success.ts';
import type { Service } from '../../service/lifecycle.ts';
import type { Logger } from '../../service/log.ts';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import { WATCHFUL_SESSION, watchSession } from '../../store/connection/session.ts';
import { LOCK_NOT_AVAILABLE, sqlStateOf } from '../../store/connection/sql-state.ts';
import { CHANGES_CHANNEL } from '../../store/stream/change-log.ts';
import { maintainChangeLog } from '../../store/stream/relay-batches.ts';
import { relayLeader } from './metrics.ts';
import { Relay } from './relay.ts';

/** How often a stand-by tries to take the lock, in milliseconds. */
const STANDBY_POLL_MS = 1000;
/** The longest that a relay sleeps without a notification, in milliseconds. */
const IDLE_POLL_MS = 500;
/** The pause after a failure, in milliseconds. */
const RETRY_MS = 500;
/** A relay without a successful round for this long is not ready, in milliseconds. */
const STUCK_MS = 10_000;
const MAINTENANCE_INTERVAL_MS = 60 * 60 * 1000;

export interface RelayOptions {
  kafka: Kafka;
  /** Must point to Postgres itself, not to a pooler: locks and notifications belong to a connection. */
  databaseUrl: string;
  topic: string;
  /** How long the change log is kept, in milliseconds. */
  keepMs: number;
  now: () => Date;
  log: Logger;
}

/**
 * Relays the change log to Kafka while this process is the leader, and stands by otherwise. It is ready while changes
 * reach Kafka, be it from this process or from the leader that it stands by for.
 */
export function startRelay(options: RelayOptions): Service {
  const stopping = new AbortController();
  const round = new LastSuccess();
  const done = stayAvailable(options, round, stopping.signal);
  return {
    isReady: () => !stopping.signal.aborted && round.isWithin(STUCK_MS),
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

async function stayAvailable(
  options: RelayOptions,
  round: LastSuccess,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    try {
      await serveTerm(options, round, stopping);
    } catch (error) {
      round.forget();
      options.log.warn({ error }, 'the relay was interrupted; starting again');
    }
    relayLeader.set(0);
    await pause(RETRY_MS, stopping);
  }
}

/** Sleeps until the time is up or the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

/** The life of one connection: stands by until the lock is free, then leads until something fails. */
async function serveTerm(options: RelayOptions, round: LastSuccess, stopping: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: options.databaseUrl, ...WATCHFUL_SESSION });
  const lost = new AbortController();
  const ending = AbortSignal.any([stopping, lost.signal]);
  client.on('error', () => lost.abort());
  const producer = createChangesProducer(options.kafka, options.topic);
  try {
    await client.connect();
    await watchSession(client);
    if (!(await waitForLead(client, round, ending))) return;
    // From here on readiness depends on this process's own work, which has not begun.
    round.forget();
    await producer.connect();
    await lead(options, { client, producer, round }, ending);
  } finally {
    // Both end at once: waiting for the producer would keep the lock from the stand-by.
    await Promise.allSettled([client.end(), producer.disconnect()]);
  }
}

/**
 * Waits for the lock. A stand-by counts as ready only if the leader has relayed something: of several processes that all
 * fail, each would be leader for a moment.
 */
async function waitForLead(client: pg.Client, round: LastSuccess, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const { rows } = await client.query<{ leads: boolean; isRelayed: boolean }>(
      `SELECT pg_try_advisory_lock($1) AS leads, NOT pg_try_advisory_xact_lock_shared($2) AS "isRelayed"`,
      [ADVISORY_LOCKS.relay, ADVISORY_LOCKS.relaying],
    );
    if (rows[0]?.leads) return true;
    if (rows[0]?.isRelayed) round.note();
    await pause(STANDBY_POLL_MS, signal);
  }
  return false;
}

async function lead(
  { topic, keepMs, now, log }: RelayOptions,
  { client, producer, round }: { client: pg.Client; producer: ChangesProducer; round: LastSuccess },
  signal: AbortSignal,
): Promise<void> {
  const bell = createBell(client);
  await client.query(`LISTEN ${CHANGES_CHANNEL}`);
  const relay = await Relay.start(client, producer);
  await relay.relayNext();
  await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.relaying]);
  relayLeader.set(1);
  log.info('relaying changes');
  let maintainedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    // Armed before the log is read, so that a change which commits meanwhile ends the sleep.
    const rung = bell.next();
    const relayed = await relay.relayNext();
    round.note();
    if (relayed > 0) continue;
    const time = now();
    if (time.getTime() - maintainedAt >= MAINTENANCE_INTERVAL_MS) {
      await maintain(client, time, { topic, keepMs, log });
      maintainedAt = time.getTime();
    }
    const quiet = new AbortController();
    await Promise.race([rung, pause(IDLE_POLL_MS, AbortSignal.any([signal, quiet.signal]))]);
    quiet.abort();
  }
}

/** Maintains the change log's partitions. If another session holds them, as a backup does, the next round does it. */
async function maintain(
  client: pg.Client,
  time: Date,
  { topic, keepMs, log }: Pick<RelayOptions, 'topic' | 'keepMs' | 'log'>,
): Promise<void> {
  try {
    await maintainChangeLog(client, time, keepMs);
    log.debug({ topic }, 'maintained the change log');
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    log.info({ topic }, 'the change log is in use; its maintenance waits for the next round');
  }
}

/** Turns notifications into promises: `next()` resolves at the first notification after the call. */
function createBell(client: pg.Client): { next: () => Promise<void> } {
  let ring = Promise.withResolvers<void>();
  client.on('notification', () => {
    ring.resolve();
    ring = Promise.withResolvers<void>();
  });
  return { next: () => ring.promise };
}
