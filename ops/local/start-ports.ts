import { once } from 'node:events';
import { createServer } from 'node:net';
import { OperatorError } from '../../service/operator-error.ts';
import { choosePort } from './servers/ports.ts';
import type { StartConfig } from './start-config.ts';

const DEFAULT_METRICS_PORT = 9464;

export interface StartPorts {
  /** The gateway's. */
  port: number;
  /** That of the gateway's metrics. Its further processes have the next ones. */
  metricsPort: number;
  consumersMetricsPort: number;
}

/** @throws OperatorError if nothing can listen on an address */
async function checkHost(host: string): Promise<void> {
  const server = createServer().listen(0, host);
  await once(server, 'listening').catch((error: Error) => {
    const advice = 'set HOST to an address of this machine, such as 127.0.0.1 or 0.0.0.0';
    throw new OperatorError(`HOST is "${host}", which cannot be listened on (${error.message}): ${advice}.`);
  });
  server.close();
}

/** @throws OperatorError if a port that the environment names is taken, or its HOST is not an address of this machine */
export async function chooseStartPorts(config: StartConfig): Promise<StartPorts> {
  const { host, port, metricsPort, gatewayProcesses } = config;
  await checkHost(host);
  if ((await choosePort(port)) !== port) {
    throw new OperatorError(
      `Port ${port} is taken: set PORT to a free one, as in "PORT=${port + 1} npm start".`,
    );
  }
  const chosen = await choosePort(metricsPort ?? DEFAULT_METRICS_PORT);
  if (metricsPort !== null && chosen !== metricsPort) {
    throw new OperatorError(`Port ${metricsPort} is taken: set METRICS_PORT to a free one.`);
  }
  for (let next = chosen + 1; next < chosen + gatewayProcesses; next += 1) {
    if ((await choosePort(next)) === next) continue;
    throw new OperatorError(
      `Port ${next} is taken, but each process of the gateway has a port of metrics: set METRICS_PORT to the first of ` +
        `${gatewayProcesses} free ones.`,
    );
  }
  return { port, metricsPort: chosen, consumersMetricsPort: await choosePort(chosen + gatewayProcesses) };
}
