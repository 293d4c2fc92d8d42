import { type Service, stopOnSignal } from '../service/lifecycle.ts';
import type { Logger } from '../service/log.ts';
import { startMonitoring } from '../service/monitoring.ts';
import { readEnv } from '../service/running-service.ts';
import { createConfig } from './config.ts';
import { startConsumers } from './consumers.ts';

/** Starts the consumers of this process and its monitoring port. They stop on a signal. */
export async function start(log: Logger): Promise<void> {
  const config = createConfig(readEnv(process.env));
  let consumers: Service | undefined;
  const isReady = () => consumers?.isReady() ?? false;
  await startMonitoring({ port: config.metricsPort, host: config.host, isReady, log });
  consumers = await startConsumers(config, { log });
  stopOnSignal(consumers, log);
  log.info({ roles: config.roles }, 'consuming');
}
