import { exposeFeed } from '../feed/metrics.ts';
import { stopOnSignal } from '../service/lifecycle.ts';
import type { Logger } from '../service/log.ts';
import { startMonitoring } from '../service/monitoring.ts';
import { readEnv } from '../service/running-service.ts';
import { createConfig } from './config.ts';
import { startGateway } from './gateway.ts';
import { isOneOfSeveral, reportStarted, startProcesses } from './processes.ts';

/** Starts a gateway and its monitoring port, or several (GATEWAY_PROCESSES). They stop on a signal. */
export async function start(log: Logger): Promise<void> {
  const config = createConfig(readEnv(process.env));
  if (config.processes > 1 && !isOneOfSeveral) {
    stopOnSignal(await startProcesses(config, log), log);
    log.info({ processes: config.processes }, 'all gateway processes listen');
    return;
  }
  // Ctrl-C reaches every process of a terminal. The parent tells this one to stop.
  if (isOneOfSeveral) process.on('SIGINT', () => {});
  // A gateway follows one history of the stream. The supervisor restarts the process for the new one.
  const onNewEpoch = () => process.kill(process.pid, 'SIGTERM');
  const gateway = await startGateway(config, { log, onNewEpoch, warmsUp: true });
  exposeFeed(gateway.feed);
  await startMonitoring({ port: config.metricsPort, host: config.host, isReady: gateway.isReady, log });
  stopOnSignal(gateway, log, isOneOfSeveral ? ['SIGTERM'] : ['SIGTERM', 'SIGINT']);
  reportStarted();
  log.info({ port: gateway.port }, 'listening');
}
