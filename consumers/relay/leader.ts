import type pg from 'pg';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { createChangesProducer } from '../../kafka/writing/changes-producer.ts';
import type { Brokers } from '../../service/brokers.ts';
import { type Clock, systemClock } from '../../service/clock.ts';
import type { Logger } from '../../service/log.ts';
import { Notifier } from '../../service/notifier.ts';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import { LOCK_NOT_AVAILABLE, sqlStateOf } from '../../store/connection/sql-state.ts';
import { CHANGES_CHANNEL } from '../../store/stream/change-log.ts';
import { readDatabaseTime } from '../../store/stream/database-time.ts';
import { maintainChangeLog } from '../../store/stream/relay-batches.ts';
import { type Leadership, startLeadership, type Term } from '../leadership.ts';
import { verifyHistory } from '../verify-history.ts';
import { BackgroundTask } from './background-task.ts';
import { reconcileGeneration, requireGeneration } from './generation.ts';
import { relayedSequence, relayLeader } from './metrics.ts';
import { rebuildWindow } from './rebuild.ts';
import { Relay } from './relay.ts';
import { openGate } from './replicas/open-gate.ts';
import { watchTopicSettings } from './topic-watch.ts';

/** The longest sleep of a relay without a notification, in milliseconds. */
const IDLE_POLL_MS = 500;
const MAINTENANCE_INTERVAL_MS = 60 * 60 * 1000;
/** The interval between two checks that the changes topic is still the same, in milliseconds. */
const GENERATION_CHECK_MS = 2000;

/** The extra time of the change log after the window, so that a repair at the window's end still finds the change. */
const KEEP_MARGIN_MS = 24 * 60 * 60 * 1000;

export interface RelayOptions {
  brokers: Brokers;
  databaseUrl: string;
  /** The replicas that gateways may read from. */
  readDatabaseUrls?: readonly string[] | undefined;
  topicPrefix: string;
  /** How long an event stays readable, in milliseconds. */
  retentionMs: number;
  /** The database's clock, which gives changes their times; this machine's clock by default. */
  clock?: Clock;
  log: Logger;
}

/**
 * Relays the change log to Kafka while this process leads, and stands by otherwise. It is ready while changes
 * reach Kafka, through this process or through the leader.
 */
export function startRelay(options: RelayOptions): Leadership {
  const { databaseUrl, brokers, log } = options;
  const { changes: topic } = topicNames(options.topicPrefix);
  const { relay: leader, relaying: working } = ADVISORY_LOCKS;
  return startLeadership({
    name: 'the relay',
    where: 'relay',
    databaseUrl,
    locks: { leader, working },
    verify: ({ client, signal }) => verifyHistory(client, { brokers, topic, signal }),
    lead: (term) => lead(options, term),
    onLead(leads) {
      relayLeader.set(leads ? 1 : 0);
      // The next leader may relay the shorter history of a restored backup.
      if (!leads) relayedSequence.set(0);
    },
    log,
  });
}

async function lead(options: RelayOptions, term: Term): Promise<void> {
  const { client, signal, succeeded, atEnd } = term;
  const { brokers, topicPrefix, log } = options;
  const { changes: topic } = topicNames(topicPrefix);
  const producer = createChangesProducer({ brokers, topic });
  atEnd(() => producer.disconnect());
  await producer.connect();
  const reader = new TopicReader({ brokers, topic, clientId: 'ballot-endorsements-relay' });
  atEnd(() => reader.close());
  const { topicId } = await reader.identify();
  const seen = { topicId, ends: await producer.fetchEndOffsets() };
  const replicas = await openGate(options, term);
  const generation = await reconcileGeneration(client, seen, log);
  await rebuildWindow({ client, producer, generation, signal, succeeded, log });
  if (signal.aborted) return;
  const notifier = new Notifier();
  client.on('notification', () => notifier.notify());
  await client.query(`LISTEN ${CHANGES_CHANNEL}`);
  const relay = await Relay.start(client, producer, {
    clock: options.clock,
    beforeSending: replicas && (() => replicas.barrier()),
  });
  const watch = watchTopicSettings(options, { clock: systemClock, log });
  atEnd(() => watch.stop());
  let maintainedAt = Number.NEGATIVE_INFINITY;
  const check = new BackgroundTask(GENERATION_CHECK_MS, async () => {
    await requireGeneration(client, generation, (await reader.identify()).topicId);
  });
  while (!signal.aborted) {
    check.requireWorking();
    check.start();
    replicas?.requireWorking();
    // Read before the change log, so that a change committed meanwhile ends the sleep.
    const seenNotifications = notifier.notifications;
    const relayed = await relay.relayNext();
    await succeeded();
    if (performance.now() - maintainedAt >= MAINTENANCE_INTERVAL_MS) {
      if (await maintain(client, options)) maintainedAt = performance.now();
    }
    if (relayed === 0) await notifier.wait(IDLE_POLL_MS, signal, seenNotifications);
  }
  await relay.finish();
}

/**
 * Maintains the change log. If another session, such as a backup, holds it, the next round retries.
 *
 * @returns whether this round is over; otherwise more follows after the next changes
 */
async function maintain(client: pg.Client, { retentionMs, log }: RelayOptions): Promise<boolean> {
  try {
    const now = new Date(await readDatabaseTime(client));
    const isAll = await maintainChangeLog(client, now, retentionMs + KEEP_MARGIN_MS);
    log.debug('maintained the change log');
    return isAll;
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    log.info('the change log is in use; its maintenance waits for the next round');
    return true;
  }
}
