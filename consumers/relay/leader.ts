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

/** How often a stand-by asks for the lock, in milliseconds. */
const STANDBY_POLL_MS = 1000;
/** How long a relay sleeps at most when no notification wakes it, in milliseconds. */
const IDLE_POLL_MS = 500;
/** How long it waits after a failure, in milliseconds. */
const RETRY_MS = 500;
/** A relay that has got no further for so long is not ready, in milliseconds: it looks more often than that. */
const STUCK_MS = 10_000;
const MAINTENANCE_INTERVAL_MS = 60 * 60 * 1000;

export interface RelayOptions {
  kafka: Kafka;
  /** Must lead to Postgres itself, not to a pooler: locks and notifications belong to a connection. */
  databaseUrl: string;
  topic: string;
  /** How long the change log is kept, in milliseconds. */
  keepMs: number;
  now: () => Date;
  log: Logger;
}

/**
 * Relays the change log to Kafka whenever this process is the leader, and stands by otherwise. It is ready while Kafka
 * takes what there is: from this process where it leads, and from whoever leads where it stands by.
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

/** Sleeps, but not beyond the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

/** One connection's life: stands by until the lock is free, then leads until something fails. */
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
    // What it stood by for is its own to do now, and not begun.
    round.forget();
    await producer.connect();
    await lead(options, { client, producer, round }, ending);
  } finally {
    // A relay that waits for its lock to be given back would hold the stand-by up, so both end at once.
    await Promise.allSettled([client.end(), producer.disconnect()]);
  }
}

/** A leader alone is no reason to stand by at ease: processes that all fail would lead by turns. One that relays is. */
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
    // Armed before looking, so that a change which commits meanwhile is not slept through.
    const rung = bell.next();
    const relayed = await relay.relayNext();
    round.note();
    if (relayed > 0) continue;
    const time = now();
    if (time.getTime() - maintainedAt >= MAINTENANCE_INTERVAL_MS) {
      await tidy(client, time, { topic, keepMs, log });
      maintainedAt = time.getTime();
    }
    const quiet = new AbortController();
    await Promise.race([rung, pause(IDLE_POLL_MS, AbortSignal.any([signal, quiet.signal]))]);
    quiet.abort();
  }
}

/** Tidies the change log. Where somebody reads it for long, as a backup does, that can wait for the next time. */
async function tidy(
  client: pg.Client,
  time: Date,
  { topic, keepMs, log }: Pick<RelayOptions, 'topic' | 'keepMs' | 'log'>,
): Promise<void> {
  try {
    await maintainChangeLog(client, time, keepMs);
    log.debug({ topic }, 'the change log is tidied');
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    log.info({ topic }, 'the change log is in use, and is tidied another time');
  }
}

/** Turns notifications into promises: `next()` resolves at the first one that comes after it was called. */
function createBell(client: pg.Client): { next: () => Promise<void> } {
  let ring = Promise.withResolvers<void>();
  client.on('notification', () => {
    ring.resolve();
    ring = Promise.withResolvers<void>();
  });
  return { next: () => ring.promise };
}
