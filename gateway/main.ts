import { systemClock } from '../service/clock.ts';
import { SettingError } from '../service/environment.ts';
import { stopOnSignal } from '../service/lifecycle.ts';
import { createLog } from '../service/log.ts';
import { startMonitoring } from '../service/monitoring.ts';
import { createConfig } from './config.ts';
import { startGateway } from './gateway.ts';

const logger = createLog('gateway');

try {
  const config = createConfig(process.env);
  // A gateway follows one history of the stream. Whoever runs the process starts it again, with the new one.
  const onNewEpoch = () => process.kill(process.pid, 'SIGTERM');
  const gateway = await startGateway(config, { clock: systemClock, logger, onNewEpoch });
  await startMonitoring({ port: config.metricsPort, isReady: gateway.isReady, log: logger });
  stopOnSignal(gateway, logger);
  logger.info({ port: gateway.port }, 'listening');
} catch (error) {
  // Whoever runs the process starts it again: a start from nothing is the one way in.
  if (error instanceof SettingError) process.stderr.write(`${error.message}\n`);
  else logger.error({ error }, 'the gateway could not start');
  process.exit(1);
}
