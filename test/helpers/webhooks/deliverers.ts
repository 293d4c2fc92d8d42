import { type Deliver, startDeliver } from '../../../consumers/deliver/deliver.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { type Clock, systemClock } from '../../../service/clock.ts';
import { createLog } from '../../../service/log.ts';
import { readWebhookSettings, type WebhookSettings } from '../../../service/webhook-settings.ts';
import { brokersOf } from '../servers/servers.ts';
import type { TestService } from '../service/service.ts';
import { until } from '../until.ts';
import { WEBHOOK_ENV } from './webhook-env.ts';

/** How many times faster than by the schedule attempts are repeated. */
const HURRY = 100;
/** The time, with waits that end a hundred times sooner: for retries after minutes. */
const hurriedClock: Clock = { ...systemClock, wait: (ms, signal) => systemClock.wait(ms / HURRY, signal) };

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

export interface TestDelivererOptions {
  databaseUrl?: string;
  env?: object;
  /** How long an attempt may take, in milliseconds. */
  timeoutMs?: number;
}

/** A deliverer of a service's webhooks, in this process. Attempts take at most a second by default, and repeat soon. */
export function createTestDeliverer(
  service: TestService,
  { databaseUrl = service.databaseUrl, env = WEBHOOK_ENV, timeoutMs = 1000 }: TestDelivererOptions = {},
): Deliver {
  return startDeliver({
    brokers: brokersOf('deliver'),
    databaseUrl,
    topic: topicNames(service.topicPrefix).changes,
    retentionMs: WEEK_MS,
    webhooks: readWebhookSettings(env as Record<string, string>) as WebhookSettings,
    clock: hurriedClock,
    synchronized: Promise.resolve(),
    log: createLog('consumers', 'silent'),
    timeoutMs,
  });
}

/** The same, once it is ready. */
export async function startTestDeliverer(
  service: TestService,
  options?: TestDelivererOptions,
): Promise<Deliver> {
  const deliverer = createTestDeliverer(service, options);
  await until('the deliverer is ready', () => deliverer.isReady());
  return deliverer;
}
