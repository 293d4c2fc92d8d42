import { createKafkaClient } from '../kafka/connection/client.ts';
import { applyGroup, topicNames } from '../kafka/topic-names.ts';
import type { Service } from '../service/lifecycle.ts';
import type { Logger } from '../service/log.ts';
import { ReferenceClock } from '../service/reference-clock.ts';
import { createWorkPool } from '../store/connection/work-pool.ts';
import { startHeartbeat } from '../store/processes/heartbeat.ts';
import { readDatabaseTime } from '../store/stream/database-time.ts';
import { startApply } from './apply/apply.ts';
import type { ConsumersConfig, Role } from './config.ts';
import { type Deliver, startDeliver } from './deliver/deliver.ts';
import type { Leadership } from './leadership.ts';
import { watchRelayLag } from './relay/lag-watch.ts';
import { startRelay } from './relay/leader.ts';

/** Whether a process leads a role. All processes of the role `deliver` share its work. */
const leads = (part: Leadership | Deliver | undefined): boolean =>
  part !== undefined && 'leads' in part && part.leads();

/** Starts the configured roles. They share only the process, which is ready when all of them are. */
export async function startConsumers(
  {
    databaseUrl,
    readDatabaseUrls,
    brokers,
    topicPrefix,
    roles,
    retentionMs,
    webhooks = null,
  }: Omit<ConsumersConfig, 'metricsPort' | 'webhooks'> & Partial<Pick<ConsumersConfig, 'webhooks'>>,
  { log }: { log: Logger },
): Promise<Service> {
  const topics = topicNames(topicPrefix);
  // Each leader has a connection of its own; this pool is for everything else.
  const pool = createWorkPool(databaseUrl, 2, (error) => {
    log.warn({ error }, 'a connection to Postgres was lost');
  });
  // It also warns operators of a wrong local clock.
  const clock = new ReferenceClock({ read: () => readDatabaseTime(pool), log });
  clock.start();
  const started = new Map<Role, Leadership | Deliver>();
  if (roles.includes('apply')) {
    const kafka = createKafkaClient({ brokers, clientId: 'ballot-endorsements-consumers', log });
    const groupId = applyGroup(topicPrefix);
    started.set('apply', startApply({ kafka, brokers, databaseUrl, pool, topics, groupId, clock, log }));
  }
  if (roles.includes('relay')) {
    const relay = startRelay({
      brokers,
      databaseUrl,
      readDatabaseUrls,
      topicPrefix,
      retentionMs,
      clock,
      log,
    });
    const lagWatch = watchRelayLag({ pool, clock, log });
    started.set('relay', {
      ...relay,
      async stop() {
        await Promise.all([relay.stop(), lagWatch.stop()]);
      },
    });
  }
  if (roles.includes('deliver') && webhooks) {
    const { changes: topic } = topics;
    started.set(
      'deliver',
      startDeliver({
        brokers,
        databaseUrl,
        topic,
        retentionMs,
        webhooks,
        clock,
        synchronized: clock.synchronized,
        log,
      }),
    );
  }
  const all = [...started.values()];
  const heartbeat = startHeartbeat({
    databaseUrl,
    describe: async () => ({
      program: 'consumers',
      obstacle: all.map((role) => role.findObstacle()).find((obstacle) => obstacle !== null) ?? null,
      details: { roles, leads: roles.filter((role) => leads(started.get(role))) },
    }),
    log,
  });
  return {
    isReady: () => all.every((role) => role.isReady()),
    async stop() {
      await Promise.all([heartbeat.stop(), clock.stop(), ...all.map((role) => role.stop())]);
      await pool.end();
    },
  };
}
