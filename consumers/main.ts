import { SettingError } from '../service/environment.ts';
import { type Service, stopOnSignal } from '../service/lifecycle.ts';
import { createLog } from '../service/log.ts';
import { startMonitoring } from '../service/monitoring.ts';
import { createConfig } from './config.ts';
import { startConsumers } from './consumers.ts';

const log = createLog('consumers');

try {
  const config = createConfig(process.env);
  let consumers: Service | undefined;
  await startMonitoring({ port: config.metricsPort, isReady: () => consumers?.isReady() ?? false, log });
  consumers = await startConsumers(config, { now: () => new Date(), log });
  stopOnSignal(consumers, log);
  log.info({ roles: config.roles }, 'consuming');
} catch (error) {
  // Whoever runs the process starts it again: a start from nothing is the one way in.
  if (error instanceof SettingError) process.stderr.write(`${error.message}\n`);
  else log.error({ error }, 'the consumers could not start');
  process.exit(1);
}
