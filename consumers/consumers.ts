import pg from 'pg';
import { createKafkaClient } from '../kafka/client.ts';
import { topicNames } from '../kafka/topic-names.ts';
import { systemClock } from '../service/clock.ts';
import type { Service } from '../service/lifecycle.ts';
import type { Logger } from '../service/log.ts';
import { WATCHFUL_SESSION, watchSession } from '../store/connection/session.ts';
import { startApply } from './apply/apply.ts';
import type { ConsumersConfig } from './config.ts';
import { watchRelayLag } from './relay/lag-watch.ts';
import { startRelay } from './relay/leader.ts';

/** The change log outlives the window by this, so that a repair at its very end still finds the change. */
const KEEP_MARGIN_MS = 24 * 60 * 60 * 1000;

/** Starts the roles that the configuration names; they share nothing but the process, which is ready where all are. */
export async function startConsumers(
  { databaseUrl, brokers, topicPrefix, roles, retentionMs }: Omit<ConsumersConfig, 'metricsPort'>,
  { now, log }: { now: () => Date; log: Logger },
): Promise<Service> {
  const kafka = createKafkaClient({ brokers, clientId: 'ballot-endorsements-consumers', log });
  const topics = topicNames(topicPrefix);
  const started: Service[] = [];
  if (roles.includes('apply')) {
    const pool = new pg.Pool({
      connectionString: databaseUrl,
      max: 4,
      ...WATCHFUL_SESSION,
      onConnect: watchSession,
    });
    pool.on('error', (error) => log.warn({ error }, 'a connection to Postgres was lost'));
    const groupId = `${topicPrefix}endorsement-apply`;
    const apply = startApply({ kafka, brokers, databaseUrl, pool, topics, groupId, log });
    started.push({
      isReady: apply.isReady,
      async stop() {
        await apply.stop();
        await pool.end();
      },
    });
  }
  if (roles.includes('relay')) {
    const keepMs = retentionMs + KEEP_MARGIN_MS;
    const relay = startRelay({ kafka, brokers, databaseUrl, topic: topics.changes, keepMs, now, log });
    const lagWatch = watchRelayLag({ databaseUrl, clock: systemClock, log });
    started.push({
      isReady: relay.isReady,
      async stop() {
        await Promise.all([relay.stop(), lagWatch.stop()]);
      },
    });
  }
  return {
    isReady: () => started.every((role) => role.isReady()),
    async stop() {
      await Promise.all(started.map((role) => role.stop()));
    },
  };
}
