import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { OpsConfig } from '../ops/config.ts';
import { findFreePort } from '../ops/local/servers/ports.ts';
import { stopWhenInterrupted } from '../test/helpers/service/interrupted.ts';
import { untilReady } from '../test/helpers/service/system.ts';

type RunningServers = Pick<OpsConfig, 'databaseUrl' | 'brokers' | 'topicPrefix'>;

/** A benchmark's own gateway. */
export interface GatewayProcess {
  base: string;
  pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a gateway with its own settings on running servers, and waits until it is ready.
 *
 * @param folder the checkout to run
 */
export async function startGatewayProcess(
  { databaseUrl, brokers, topicPrefix }: RunningServers,
  settings: Record<string, string> = {},
  folder = '.',
): Promise<GatewayProcess> {
  const port = await findFreePort();
  const gateway = spawn(process.execPath, ['gateway/main.ts'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      KAFKA_BROKERS: brokers.addresses.join(','),
      TOPIC_PREFIX: topicPrefix,
      PORT: String(port),
      METRICS_PORT: '0',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const stop = async () => {
    forget();
    gateway.kill('SIGTERM');
    await once(gateway, 'exit');
  };
  const forget = stopWhenInterrupted(stop);
  const base = `http://127.0.0.1:${port}`;
  await untilReady(base);
  return { base, pid: gateway.pid ?? 0, stop };
}

/** Starts a gateway as `startGatewayProcess` does, for the duration of `work`. @returns the result of `work` */
export async function withGatewayProcess<T>(
  servers: RunningServers,
  settings: Record<string, string>,
  work: (gateway: GatewayProcess) => Promise<T>,
): Promise<T> {
  const gateway = await startGatewayProcess(servers, settings);
  const result = await work(gateway);
  await gateway.stop();
  return result;
}
