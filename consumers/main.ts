import { type Service, stopOnSignal } from '../service/lifecycle.ts';
import { startMonitoring } from '../service/monitoring.ts';
import { runProgram } from '../service/program.ts';
import { readEnv } from '../service/running-service.ts';
import { createConfig } from './config.ts';
import { startConsumers } from './consumers.ts';

await runProgram('consumers', async (log) => {
  const config = createConfig(readEnv(process.env));
  let consumers: Service | undefined;
  await startMonitoring({ port: config.metricsPort, isReady: () => consumers?.isReady() ?? false, log });
  consumers = await startConsumers(config, { log });
  stopOnSignal(consumers, log);
  log.info({ roles: config.roles }, 'consuming');
});
